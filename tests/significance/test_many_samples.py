"""Permutations and resamples of very many samples: memory, and no loop over samples or groups."""

import math
from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from fewest._estimators import splits
from fewest._estimators.many_samples import hold_several
from fewest._estimators.splits import permute_labels, require_all_classes
from fewest._estimators.validation import make_dense
from fewest.significance import bootstrap_632, permutation_test, run_held_out, stability
from fewest.significance._permutation import _draw_like
from fewest.significance._resampling import draw_rows, find_strata, find_units
from tests.memory import traced_memory


def test_all_permutations_together_take_one_byte_per_sample():
    n, n_permutations = 30_000, 40
    X, y = np.arange(n, dtype=np.float64)[:, None], np.arange(n) % 2
    how = {"statistics": "error", "cv": 2, "n_permutations": n_permutations, "random_state": 0}
    with traced_memory() as memory:
        permutation_test(DummyClassifier(), X, y, **how)
    assert memory.peak < 4 * n * n_permutations


def test_labels_of_many_groups_change_places_within_them():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 20_000, 100_000)
    y = rng.integers(0, 3, len(groups))
    (drawn, other) = permute_labels(y, groups, 2, np.random.RandomState(0))
    assert np.mean(drawn != y) > 0.3
    assert np.mean(drawn != other) > 0.3
    for label in range(3):
        counts = (np.bincount(groups, labels == label) for labels in (drawn, y))
        np.testing.assert_array_equal(*counts)


def test_one_sort_for_all_groups_permutes_evenly(monkeypatch):
    """All orders of three labels in a group are equally frequent, as by a draw for each group."""
    monkeypatch.setattr(splits, "_MANY_GROUPS", 1)
    groups, y = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 3, 1, 4, 2, 5])
    monkeypatch.setattr(splits, "count_arrangements", lambda *_: math.inf)  # none is listed
    drawn = permute_labels(y, groups, 6000, np.random.RandomState(0))
    assert set(drawn[:, [0, 2, 4]].ravel()) == {0, 1, 2}
    orders, counts = np.unique(drawn[:, [0, 2, 4]], axis=0, return_counts=True)
    assert len(orders) == 6
    assert counts.min() > 850
    both = np.unique(drawn, axis=0)
    assert len(both) == 36  # groups are independent of each other


def test_groups_that_hold_several_classes():
    groups, y = np.array([5, 5, 7, 7, 9]), np.array(["a", "b", "a", "a", "b"])
    np.testing.assert_array_equal(hold_several(y, groups), [True, False, False])
    with pytest.raises(ValueError, match="group 7 has samples of one class only"):
        require_all_classes(groups, y)


@pytest.mark.parametrize("grouped", [False, True])
def test_resamples_are_drawn_without_a_list_of_all_samples(grouped):
    n = 100_000
    y = np.arange(n) // 2 % 2
    groups = np.arange(n) // 100 if grouped else None
    rng = np.random.RandomState(0)
    with traced_memory() as memory:
        draw_rows(find_strata(y, groups), y, rng)
    assert memory.peak < 80 * n


def test_draws_are_those_of_one_unit_per_sample():
    y = np.repeat([0, 1], [30, 10])
    inside, outside = draw_rows([find_units(40, None)], y, np.random.RandomState(3))
    expected = np.random.RandomState(3).choice(40, 40)
    np.testing.assert_array_equal(inside, expected)
    np.testing.assert_array_equal(outside, np.setdiff1d(np.arange(40), expected))


class FirstColumn(ClassifierMixin, BaseEstimator):
    """Selects the first column and cuts it at one half; remembers what it was given."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append(getattr(X, "format", "dense") + f" {X.dtype}")
        self.n_features_in_ = X.shape[1]
        return self

    def get_support(self):
        return np.arange(self.n_features_in_) == 0

    def predict(self, X):
        first = X[:, [0]]
        return self.classes_[(make_dense(first)[:, 0] > 0.5).astype(int)]


RUNS = {
    "bootstrap": lambda *data: bootstrap_632(*data, n_resamples=2, random_state=0),
    "stability": lambda *data: stability(*data, n_resamples=2, random_state=0),
    "held out": lambda *data: run_held_out(*data, cv=3),
    "permutations": lambda *data: permutation_test(
        *data, statistics="error", cv=2, n_permutations=1, random_state=0
    ),
}
# A resample is as large as the data, and is judged with what was left out.
COPIES = {"bootstrap": 1.4, "stability": 1.0, "held out": 0.7, "permutations": 0.5}


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("what", RUNS)
def test_parts_of_the_data_stay_as_they_are(layout, what):
    """Float32 stays float32, sparse data stay sparse, and there is one part at a time."""
    rng = np.random.default_rng(0)
    n, d = 2_000, 500
    y = np.arange(n) % 2
    X = np.where(rng.random((n, d)) < 0.1, rng.random((n, d)), 0.0).astype(np.float32)
    X[:, 0] += y
    X = layout(X)
    is_dense = isinstance(X, np.ndarray)
    size = X.nbytes if is_dense else X.data.nbytes + X.indices.nbytes
    FirstColumn.seen.clear()
    with traced_memory() as memory:
        RUNS[what](FirstColumn(), X, y)
    assert set(FirstColumn.seen) == {"dense float32" if is_dense else "csr float32"}
    copies = COPIES[what] + (layout is sparse.csc_matrix)  # rows are taken from a CSR matrix
    assert memory.peak < (copies + 0.3) * size + 200 * n


def test_random_data_like_those_of_very_many_samples():
    rng = np.random.default_rng(0)
    n = 12_000
    codes = np.arange(n) % 2
    shape = rng.standard_normal((3, 3))
    X = rng.standard_normal((n, 3)) @ shape + 5.0 * codes[:, None]
    with traced_memory() as memory:
        drawn = _draw_like(X, codes, np.random.RandomState(0))
    assert memory.peak < 8 * n * n / 4
    within = X - np.where(codes, X[codes == 1].mean(axis=0)[:, None], 0.0).T
    within[codes == 0] -= X[codes == 0].mean(axis=0)
    expected = np.cov(within.T)
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=0.1 * np.trace(expected))
    assert drawn.shape == X.shape
