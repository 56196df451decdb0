"""Probes of very many samples use a stated part of them, and no matrix of all pairs."""

import numpy as np
import pytest
from scipy import sparse

from fewest import RepetitiveSelector, SupportFeatureMachine
from fewest.informative import informative_features, random_subset_errors, t_map
from fewest.informative._probe import COSTS, Fold, make_folds, pick_samples, standardize_fold
from tests.memory import traced_memory

MANY = 12_000


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(MANY) % 3 > 0
    X = rng.standard_normal((MANY, 6)).astype(np.float32) + 0.8 * y[:, None] * (np.arange(6) < 3)
    return X.astype(np.float32), np.where(y, "b", "a")


def test_probes_of_many_samples_need_no_matrix_of_all_pairs(data):
    X, y = data
    with traced_memory() as memory:
        found = random_subset_errors(X, y, n_features=[1, 6], n_subsets=2, max_samples=500, C=1.0)
    assert memory.peak < 8 * MANY * MANY / 50
    assert found.n_samples == 500
    assert found.errors[1].mean() < 0.35


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_picked_samples_are_standardised_as_all_are(data, layout):
    X, y = data
    signs = np.where(y == "b", 1.0, -1.0)
    (fold, *_) = make_folds(y, np.arange(MANY) // 4, 3)
    columns = standardize_fold(layout(X), fold)
    picked, part, rows = pick_samples(columns, signs, fold, 300)
    assert len(rows) == picked.n_samples == 300
    assert set(rows[part.training]) <= set(fold.training)
    assert set(rows[part.test]) <= set(fold.test)
    assert np.mean(signs[rows] > 0) == pytest.approx(2 / 3, abs=0.01)
    every = np.arange(6)
    np.testing.assert_array_equal(picked.take(every), columns.take(every)[rows])
    assert len(part.inner) == len(part.training)
    assert set(part.inner) == set(range(10))
    # Samples of one inner group stay together.
    groups, inner = (rows[part.training] // 4).tolist(), part.inner.tolist()
    assert len(set(zip(groups, inner, strict=True))) == len(set(groups))


def test_few_samples_are_all_used(data):
    X, y = data[0][:90], data[1][:90]
    signs = np.where(y == "b", 1.0, -1.0)
    fold = Fold(np.arange(60), np.arange(60, 90), np.arange(60) % 5)
    columns = standardize_fold(X, fold)
    picked, part, rows = pick_samples(columns, signs, fold, 90)
    assert picked is columns
    assert part is fold
    np.testing.assert_array_equal(rows, np.arange(90))


def test_the_result_says_how_many_samples_were_probed(data):
    X, y = data[0][:400], data[1][:400]
    selector = RepetitiveSelector(SupportFeatureMachine(C=0.1, refit=None), n_subsets=2)
    found = informative_features(selector, X, y, every=1, n_permutations=2, max_samples=100)
    assert found.n_probed == 100
    assert all(fold.n_probed == 100 for fold in found.folds)
    assert found.probe_error[0] < 0.4
    assert set(found.folds[0].probe_costs) <= set(COSTS)
    assert found.folds[0].chance_errors.shape[1] == 2
    alone = informative_features(selector, X, y, n_permutations=0, probe=None)
    assert alone.n_probed is None


@pytest.mark.parametrize("kind", ["paired", "two-sample", "group-means"])
def test_t_maps_of_as_many_groups_as_samples(kind):
    rng = np.random.default_rng(1)
    n = 20_000
    groups = np.arange(n) // 2
    y = np.arange(n) % 2 if kind != "group-means" else groups % 2
    X = rng.standard_normal((n, 4)).astype(np.float32) + 0.05 * y[:, None]
    with traced_memory() as memory:
        found = t_map(X, y, groups=groups, kind=kind)
    assert memory.peak < 8 * n * n / 100
    assert np.all(found.t > 0)
