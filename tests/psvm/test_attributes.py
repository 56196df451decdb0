"""What a fitted machine says of its row objects, the scale of columns, and found row objects."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

from fewest import PotentialSelector, PotentialSVC, PotentialSVCCV, PotentialSVR
from fewest.psvm import potential_path


@pytest.fixture
def data():
    rng = np.random.default_rng(2)
    K = rng.standard_normal((50, 12)) * rng.uniform(0.1, 5, 12) + 3.0
    K[:, 1] = K[:, 0] + 0.2 * rng.standard_normal(50)
    return K, K[:, 0] - 0.5 * K[:, 4] + 0.3 * rng.standard_normal(50)


@pytest.mark.parametrize("scale", ["unit length", "unit variance"])
@pytest.mark.parametrize("refit", [False, True])
def test_importance_is_the_loss_without_the_feature(data, scale, refit):
    K, y = data
    machine = PotentialSVR(
        C=1.5, epsilon=0.2, kernel="precomputed", scale=scale, refit=refit, tol=1e-12
    ).fit(K, y)
    assert np.any(np.abs(machine.coef_) == 1.5)
    loss = np.mean((y - machine.predict(K)) ** 2) / 2
    for column in range(12):
        without = K.copy()
        without[:, column] = K[:, column].mean()
        expected = np.mean((y - machine.predict(without)) ** 2) / 2 - loss
        assert machine.importance_[column] == pytest.approx(expected, abs=1e-8)


def test_importance_is_the_bound_of_the_report():
    rng = np.random.default_rng(0)
    K, y = rng.standard_normal((40, 30)), np.repeat([0, 1], 20)
    K[:20, :2] += 1.0
    machine = PotentialSVC(
        C=np.inf, epsilon=8.0, kernel="precomputed", scale="unit variance", tol=1e-13
    ).fit(K, y)
    alpha = np.abs(machine.coef_)
    bound = 8.0 * alpha / 40 + alpha**2 / 2  # eq. 43
    assert np.count_nonzero(alpha) > 2
    np.testing.assert_allclose(machine.importance_, bound, atol=1e-6)
    assert not machine.slacks_.any()
    selector = PotentialSelector(epsilon=8.0, scale="unit variance", tol=1e-13).fit(K, y)
    np.testing.assert_allclose(selector.importance_, bound, atol=1e-6)


@pytest.mark.parametrize("scale", ["unit length", "unit variance"])
def test_moments_correlations_and_slacks(data, scale):
    K, y = data
    C, epsilon = (1.5, 0.2) if scale == "unit length" else (1.5 / 50**0.5, 0.2 * 50**0.5)
    machine = PotentialSVR(C=C, epsilon=epsilon, kernel="precomputed", scale=scale, tol=1e-12)
    machine.fit(K, y)
    residual = y - machine.predict(K)
    expected = [np.corrcoef(column, residual)[0, 1] for column in K.T]
    np.testing.assert_allclose(machine.correlations_, expected, atol=1e-6)
    scaled = (K - K.mean(axis=0)) / machine.scale_
    np.testing.assert_allclose(machine.moments_, scaled.T @ residual, atol=1e-6)
    bounded = np.abs(machine.coef_) == C
    assert bounded.any()
    assert not bounded.all()
    excess = np.abs(scaled.T @ residual) - epsilon
    np.testing.assert_allclose(machine.slacks_[bounded], excess[bounded], atol=1e-6)
    assert np.all(excess[bounded] > 0)
    assert np.all(excess[~bounded] < 1e-5)
    assert not machine.slacks_[~bounded].any()


def test_both_scales_are_the_same_machine_after_conversion(data):
    K, y = data
    root = np.sqrt(len(y))
    there = PotentialSVR(
        C=0.8, epsilon=2.0, kernel="precomputed", scale="unit variance", tol=1e-12
    ).fit(K, y)
    here = PotentialSVR(C=0.8 * root, epsilon=2.0 / root, kernel="precomputed", tol=1e-12).fit(K, y)
    np.testing.assert_allclose(there.scale_, K.std(axis=0))
    np.testing.assert_allclose(there.predict(K), here.predict(K), atol=1e-5)
    np.testing.assert_allclose(there.coef_ * root, here.coef_, atol=1e-5)
    np.testing.assert_allclose(there.correlations_, here.correlations_, atol=1e-5)
    paths = [
        potential_path(K, y, epsilons=[2.0 / root, 1.0 / root]),
        potential_path(K, y, epsilons=[2.0, 1.0], scale="unit variance"),
    ]
    np.testing.assert_allclose(paths[0].coefs, root * paths[1].coefs, atol=1e-4)
    with pytest.raises(
        ValueError, match="scale must be one of 'unit length', 'unit variance'; got 'none'"
    ):
        PotentialSVR(scale="none").fit(K, y)


def test_search_scales_columns_in_every_fold(data):
    K, y = data
    labels = y > np.median(y)
    splits = [(np.arange(40), np.arange(40, 50)), (np.arange(10, 50), np.arange(10))]
    root = np.sqrt(40)
    common = {"kernel": "precomputed", "cv": splits, "tol": 1e-10}
    there = PotentialSVCCV([0.1, 1.0], [0.5, 5.0], scale="unit variance", **common).fit(K, labels)
    here = PotentialSVCCV([0.1 * root, root], [0.5 / root, 5.0 / root], **common).fit(K, labels)
    for name in ("mean_test_score", "mean_n_support"):
        np.testing.assert_array_equal(there.cv_results_[name], here.cv_results_[name])


def test_row_objects_are_found_in_the_training_samples_alone():
    X, y = make_moons(60, noise=0.1, random_state=0)
    finder = KMeans(8, n_init=2, random_state=0)
    machine = PotentialSVC(C=10.0, epsilon=0.01, row_objects=finder, gamma=2.0)
    given = PotentialSVC(C=10.0, epsilon=0.01, gamma=2.0)
    splits = [(np.arange(0, 60, 2), np.arange(1, 60, 2)), (np.arange(40), np.arange(40, 60))]
    expected = [
        clone(given)
        .set_params(row_objects=clone(finder).fit(X[train]).cluster_centers_)
        .fit(X[train], y[train])
        .score(X[test], y[test])
        for train, test in splits
    ]
    np.testing.assert_allclose(cross_val_score(machine, X, y, cv=splits), expected)
    search = PotentialSVCCV([10.0], [0.01], row_objects=finder, gamma=2.0, cv=splits).fit(X, y)
    found = [search.cv_results_[f"split{place}_test_score"][0] for place in range(2)]
    np.testing.assert_allclose(found, expected)
    assert not hasattr(finder, "cluster_centers_")


def test_components_and_means_are_row_objects_too():
    X, y = make_moons(60, noise=0.1, random_state=0)
    directions = PotentialSVC(kernel="linear", row_objects=PCA(2), C=np.inf).fit(X, y)
    fitted = PCA(2).fit(X)
    np.testing.assert_allclose(np.abs(directions.support_row_objects_), np.abs(fitted.components_))
    mixture = PotentialSVC(row_objects=GaussianMixture(5, random_state=0)).fit(X, y)
    assert mixture.n_row_objects_ == 5
    with pytest.raises(ValueError, match="StandardScaler finds no vectors to relate samples to"):
        PotentialSVC(row_objects=StandardScaler()).fit(X, y)


def test_samples_without_relations_to_support_features_are_named():
    rng = np.random.default_rng(0)
    links = (rng.random((80, 40)) < 0.08).astype(int)
    y = rng.integers(0, 2, 80)
    links[:, 0] = (y == 1) & (rng.random(80) < 0.6)
    machine = PotentialSVC(C=np.inf, epsilon=2.0, kernel="precomputed").fit(links, y)
    expected = [any(links[row, machine.support_features_]) for row in range(80)]
    found = machine.find_classifiable(links)
    np.testing.assert_array_equal(found, expected)
    assert 0 < found.sum() < 80
    nothing = PotentialSVC(C=np.inf, epsilon=100.0, kernel="precomputed").fit(links, y)
    assert not nothing.find_classifiable(links).any()
