"""Sphericity, concentration and hubs against plain formulas."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from scipy.stats import skew

from fewest.diagnostics import (
    distance_concentration,
    hubness,
    relative_concentration,
    sphericity,
)

FORMS = [np.asarray, np.float32, sparse.csr_matrix, sparse.csc_matrix]


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).standard_normal((25, 40)) * np.arange(1, 41) + 3.0


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("fewest._solvers.columns.tiles.BLOCK_VALUES", 1)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("p", [0.5, 1, 2, 3.5, np.inf])
@pytest.mark.parametrize("form", FORMS)
def test_concentration(X, p, form):
    lengths = np.array([np.linalg.norm(row, p) for row in standard(X)])
    if p == 0.5:
        lengths = (np.abs(standard(X)) ** 0.5).sum(axis=1) ** 2
    expected = lengths.std(ddof=1) / lengths.mean()
    assert relative_concentration(form(X), p) == pytest.approx(expected, rel=1e-4)
    metric = ("chebyshev", {}) if np.isinf(p) else ("minkowski", {"p": p})
    pairs = pdist(standard(X), metric[0], **metric[1])
    found = distance_concentration(form(X), p)
    assert found.variation == pytest.approx(pairs.std() / pairs.mean(), rel=1e-4)
    square = squareform(pairs)
    near = (square + np.diag(np.full(25, np.inf))).min(axis=1)
    contrast = np.mean((square.max(axis=1) - near) / near)
    assert found.contrast == pytest.approx(contrast, rel=1e-4)


def test_norms_of_gaussian_samples_concentrate():
    rng = np.random.default_rng(0)
    values = [
        relative_concentration(rng.standard_normal((2000, d)), standardize=False)
        for d in (10, 100, 1000)
    ]
    np.testing.assert_allclose(values, 1 / np.sqrt(2 * np.array([10, 100, 1000])), rtol=0.1)


def test_equal_samples():
    assert distance_concentration(np.ones((3, 2)), standardize=False).variation == 0.0
    assert relative_concentration(np.zeros((3, 2)), standardize=False) == 0.0


class TestSphericity:
    def test_of_a_known_covariance(self):
        rng = np.random.default_rng(0)
        scale = np.linspace(0.1, 3.0, 300)
        eigenvalues = scale**2
        truth = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
        found = [
            sphericity(rng.standard_normal((20, 300)) * scale, standardize=False)
            for _ in range(100)
        ]
        mean = np.mean([one.effective_dimension for one in found])
        assert mean == pytest.approx(truth, rel=0.1)  # the sample's own eigenvalues would say 18
        assert found[0].epsilon == pytest.approx(found[0].effective_dimension / 300)

    def test_estimates_have_no_bias(self):
        from fewest.diagnostics._geometry import trace_estimates

        rng = np.random.default_rng(0)
        scale = np.array([1.0, 2.0, 3.0])
        found = []
        for _ in range(4000):
            Z = rng.standard_normal((6, 3)) * scale
            Z -= Z.mean(axis=0)
            found.append(trace_estimates(Z @ Z.T, 5))
        assert np.mean(found, axis=0) == pytest.approx([14.0**2, 1 + 16 + 81], rel=0.05)

    def test_one_direction(self):
        rng = np.random.default_rng(0)
        X = np.outer(rng.standard_normal(50), np.ones(200))
        assert sphericity(X).effective_dimension == pytest.approx(1.0, abs=0.2)

    def test_too_few_samples(self):
        with pytest.raises(ValueError, match="at least four samples; got 3"):
            sphericity(np.random.default_rng(0).standard_normal((3, 5)))


class TestHubness:
    @pytest.mark.parametrize("form", FORMS)
    def test_counts(self, X, form):
        y = np.arange(25) % 2
        found = hubness(form(X), y, k=4)
        Z = standard(X)
        counts, bad = np.zeros(25, int), np.zeros(25, int)
        for i in range(25):
            order = np.argsort(((Z - Z[i]) ** 2).sum(axis=1))[1:5]
            counts[order] += 1
            bad[order[y[order] != y[i]]] += 1
        np.testing.assert_array_equal(found.occurrences, counts)
        np.testing.assert_array_equal(found.bad_occurrences, bad)
        assert found.skewness == pytest.approx(skew(counts))
        assert found.bad_share == bad.sum() / 100
        hubs = np.flatnonzero(counts > 4 + 2 * counts.std())
        np.testing.assert_array_equal(found.hubs, hubs)
        np.testing.assert_array_equal(found.bad_hubs, hubs[bad[hubs] > counts[hubs] / 2])

    def test_grows_with_the_dimension(self):
        rng = np.random.default_rng(0)
        low, high = (hubness(rng.standard_normal((200, d))).skewness for d in (2, 500))
        assert low < 0.5 < 1.5 < high

    def test_a_bad_hub(self):
        """The point in the middle of a simplex of the other class is everybody's neighbour."""
        X = np.vstack([np.zeros(8), 3 * np.eye(8)])
        found = hubness(X, [0] + [1] * 8, k=1, standardize=False)
        assert found.occurrences.tolist() == [8, 1, 0, 0, 0, 0, 0, 0, 0]
        assert found.bad_hubs.tolist() == found.hubs.tolist() == [0]
        assert found.bad_share == 1.0

    def test_without_classes(self, X):
        found = hubness(X, k=3)
        assert found.bad_share is found.bad_hubs is found.bad_occurrences is None

    def test_bad_input(self, X):
        with pytest.raises(ValueError, match="k = 25 neighbours need more than 25 samples"):
            hubness(X, k=25)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            hubness(X, [0, 1], k=3)


def test_bad_input(X):
    with pytest.raises(ValueError, match="p must be a positive number, or np.inf"):
        relative_concentration(X, 0)
    with pytest.raises(ValueError, match="contains NaN"):
        distance_concentration(np.where(X > 50, np.nan, X), standardize=False)
