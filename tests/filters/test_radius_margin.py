"""R2W2 against the definition of its bound."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.feature_selection import SelectKBest
from sklearn.svm import SVC

from fewest.datasets import make_gaussian
from fewest.filters import r2w2
from fewest.filters.radius_margin import _enclose, measure_bound


def standardized(n, d, seed):
    X, y = make_gaussian(n=n, d=d, k=2, mu=1.2, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), y.astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_radius_is_that_of_the_smallest_ball(seed):
    points = np.random.default_rng(seed).standard_normal((12, 2))
    radius, beta = _enclose(points @ points.T + 1e-9 * np.eye(12))

    def farthest(centre):
        return np.max(np.sum((points - centre) ** 2, axis=1))

    starts = [points.mean(axis=0), *points]
    best = min(minimize(farthest, start, method="Nelder-Mead").fun for start in starts)
    assert radius == pytest.approx(best, rel=1e-3)
    assert farthest(beta @ points) == pytest.approx(radius, rel=1e-3)


def test_gradient_is_that_of_the_bound():
    Z, y = standardized(30, 6, 0)
    log_scale = np.random.default_rng(1).standard_normal(6)
    _, gradient = measure_bound(Z, y, log_scale)
    steps = 1e-3 * np.eye(6)
    numeric = [
        (measure_bound(Z, y, log_scale + h)[0] - measure_bound(Z, y, log_scale - h)[0]) / 2e-3
        for h in steps
    ]
    np.testing.assert_allclose(gradient, numeric, atol=2e-3)
    assert gradient.sum() == pytest.approx(0.0, abs=1e-12)  # a common factor changes nothing


def test_bound_of_two_samples_is_one():
    # R is half their distance, and so is the margin: R^2 |w|^2 = 1.
    Z = np.array([[3.0], [-3.0]])
    value, _ = measure_bound(Z, np.array([1.0, -1.0]), np.zeros(1))
    assert value == pytest.approx(0.0, abs=1e-3)


def test_bound_becomes_smaller_and_informative_features_heavier():
    Z, y = standardized(60, 40, 2)
    weight = r2w2(Z, y)
    assert weight.sum() == pytest.approx(1.0)
    equal, _ = measure_bound(Z, y, np.zeros(40))
    found, _ = measure_bound(Z, y, np.log(np.maximum(weight, 1e-300)))
    assert found < equal
    assert set(np.argsort(weight)[-2:]) == {0, 1}


def test_works_as_a_score_function_and_skips_constant_columns():
    X, y = make_gaussian(n=40, d=30, k=2, mu=1.5, random_state=0)
    X[:, 7] = 3.0
    selector = SelectKBest(r2w2, k=2).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1]
    assert selector.scores_[7] == 0.0
    machine = SVC(kernel="linear").fit(selector.transform(X), y)
    assert machine.score(selector.transform(X), y) > 0.9


def test_more_than_two_classes_are_refused():
    with pytest.raises(ValueError, match="two classes"):
        r2w2(np.eye(3), [0, 1, 2])
