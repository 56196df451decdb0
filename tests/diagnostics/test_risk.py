"""Fat-shattering and guaranteed risk, against quadratic programs, theory and simulation."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from fewest import NotSeparableError
from fewest.datasets import make_gaussian
from fewest.diagnostics import (
    fat_shattering_bound,
    guaranteed_risk,
    log_growth_bound,
    log_growth_function,
)
from fewest.diagnostics._risk import enclose


def smallest_sphere(X):
    """By a general solver: the centre and the squared radius are its variables."""
    start = np.append(X.mean(axis=0), np.max(np.sum((X - X.mean(axis=0)) ** 2, axis=1)))
    limits = {
        "type": "ineq",
        "fun": lambda v: v[-1] - np.sum((X - v[:-1]) ** 2, axis=1),
    }
    found = minimize(lambda v: v[-1], start, constraints=limits, options={"ftol": 1e-12})
    return np.sqrt(found.x[-1])


@pytest.mark.parametrize(("n", "d"), [(6, 2), (20, 3), (15, 10), (30, 2)])
def test_smallest_sphere(n, d):
    X = np.random.default_rng(n).standard_normal((n, d))
    assert enclose(X @ X.T) == pytest.approx(smallest_sphere(X), rel=1e-5)


def test_spheres_in_closed_form():
    pair = np.array([[1.0, 0.0], [3.0, 0.0]])
    assert enclose(pair @ pair.T) == pytest.approx(1.0)
    simplex = np.eye(7)
    assert enclose(simplex @ simplex.T) == pytest.approx(np.sqrt(6 / 7))
    same = np.ones((4, 3))
    assert enclose(same @ same.T) == pytest.approx(0.0, abs=1e-7)


def test_radius_and_margin_of_data():
    X, y = make_gaussian(n=25, d=6, k=3, mu=2.0, separable=True, random_state=0)
    found = fat_shattering_bound(X, y)
    machine = SVC(kernel="linear", C=1e6).fit(X, y)
    assert found.margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-3)
    assert found.radius == pytest.approx(smallest_sphere(X), rel=1e-4)
    assert found.ratio == pytest.approx((found.radius / found.margin) ** 2)
    assert found.bound == 7  # no more than hyperplanes in six features shatter at all
    scaled = fat_shattering_bound(X * np.arange(1, 7), y, standardize=True)
    assert scaled.ratio == pytest.approx(fat_shattering_bound(X, y, standardize=True).ratio)
    near = fat_shattering_bound(np.column_stack([y * 10.0 + X[:, 0], X[:, 1:]]), y)
    assert near.bound == np.ceil(near.ratio) + 1 < 7


def test_noise_is_shattered_in_high_dimension():
    """Theorem 2.5.3 of the thesis, with n - 1 = 15 training samples, for any labelling."""
    n, d = 16, 200_000
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n - 1, d))
    theorem = np.sqrt(d * (n - 1) / (n * (n - 2)))
    for n_positive in (8, 3):
        y = np.arange(n - 1) < n_positive
        found = fat_shattering_bound(X, y)
        assert found.margin >= 0.98 * theorem
        assert found.margin == pytest.approx(found.noise_margin, rel=0.02)
    balanced = fat_shattering_bound(X, np.arange(n - 1) < 8)
    assert balanced.margin == pytest.approx(theorem, rel=0.02)
    assert balanced.bound == n - 1


def test_guaranteed_risk_in_closed_form():
    # Burges (1998), sec. 2.1: h / l = 0.1 at 95 % and l = 10,000.
    expected = np.sqrt((1000 * (np.log(20) + 1) - np.log(0.05 / 4)) / 10_000)
    assert guaranteed_risk(0.1, 10_000, vc_dimension=1000) == pytest.approx(0.1 + expected)
    assert guaranteed_risk(0.0, 10, vc_dimension=50) == 1.0
    for n, d in [(50, 3), (500, 20)]:  # Sauer: the growth function never promises less
        growth = log_growth_function(2 * n, d)
        exact = guaranteed_risk(0.0, n, log_growth=growth)
        assert exact <= guaranteed_risk(0.0, n, vc_dimension=d)


def test_guaranteed_risk_holds_for_the_best_of_many_features():
    """Signs of noise: the true error is one half, and the best feature looks better."""
    n, d, rng = 300, 50, np.random.default_rng(0)
    growth = log_growth_bound(2 * n, d, 1)
    promised = []
    for _ in range(100):
        errors = np.mean(rng.standard_normal((n, d)) < 0, axis=0)
        best = min(errors.min(), 1 - errors.max())
        assert best < 0.5
        promised.append(guaranteed_risk(best, n, log_growth=growth, confidence=0.9))
    assert np.mean(np.array(promised) >= 0.5) >= 0.9
    assert max(promised) < 0.8


def test_bad_input():
    with pytest.raises(ValueError, match="give either vc_dimension or log_growth"):
        guaranteed_risk(0.0, 10)
    with pytest.raises(ValueError, match="give either vc_dimension or log_growth"):
        guaranteed_risk(0.0, 10, vc_dimension=2, log_growth=3.0)
    with pytest.raises(ValueError, match="training_error must be a number between 0 and 1"):
        guaranteed_risk(2.0, 10, vc_dimension=2)
    with pytest.raises(NotSeparableError, match="no hyperplane separates the classes"):
        fat_shattering_bound([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
