"""Permutation tests of more than two classes, against plain fits of scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from fewest import SupportFeatureMachine
from fewest.significance import chance_simulation, permutation_test

SPARSE = LogisticRegression(solver="saga", l1_ratio=1.0, C=0.2, max_iter=5000, tol=1e-6)


@pytest.fixture(scope="module")
def signal():
    """Four classes of unequal sizes; two of thirty features tell them apart."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [8, 12, 15, 10])
    X = rng.standard_normal((45, 30))
    X[:, 0] += 3.0 * (y % 2)
    X[:, 1] += 3.0 * (y // 2)
    return X, np.array(["d", "a", "c", "b"])[y]


def _p_value(values):
    return np.mean(np.array(values) <= values[0])


def test_equals_plain_fits(signal):
    X, y = signal
    found = permutation_test(SPARSE, X, y, n_permutations=3, cv=3, random_state=7)
    rng, codes = np.random.RandomState(7), np.unique(y, return_inverse=True)[1]
    labellings = [codes] + [rng.permutation(codes) for _ in range(3)]
    folds = StratifiedKFold(3, shuffle=True, random_state=7)
    counts = [np.any(SPARSE.fit(X, labels).coef_ != 0, axis=0).sum() for labels in labellings]
    errors = [
        1 - balanced_accuracy_score(labels, cross_val_predict(SPARSE, X, labels, cv=folds))
        for labels in labellings
    ]
    for comparison, values in [(found.features, counts), (found.error, errors)]:
        assert comparison.observed == pytest.approx(values[0])
        np.testing.assert_allclose(comparison.chance, values[1:])
        assert comparison.p_value == pytest.approx(_p_value(values))


@pytest.mark.parametrize("exchange", ["within", "whole"])
def test_labels_move_within_groups_or_with_them(signal, exchange):
    """Every permuted class is where the groups allow it: seen by a classifier that keeps y."""
    X, y = signal
    groups = np.arange(45) % 5
    if exchange == "whole":  # groups of three samples, each of one class
        groups = np.arange(45) // 3
        y = np.array(["d", "a", "c", "b"])[groups % 4]
    seen = []

    class Watched(GaussianNB):
        def fit(self, X, y):
            seen.append((X[:, -1].astype(int), y))
            return super().fit(X, y)

    numbered = np.column_stack([X, np.arange(45)])
    permutation_test(
        Watched(),
        numbered,
        y,
        statistics="error",
        n_permutations=6,
        cv=3,
        groups=groups,
        exchange=exchange,
        random_state=0,
    )
    labellings = []
    for first in range(0, len(seen), 3):  # the training parts of three folds hold every sample
        labels = np.empty(45, dtype=y.dtype)
        for rows, of_rows in seen[first : first + 3]:
            labels[rows] = of_rows
        labellings.append(labels)
    np.testing.assert_array_equal(labellings[0], y)
    moved = 0
    for labels in labellings[1:]:
        moved += np.any(labels != y)
        for group in np.unique(groups):
            mine, theirs = labels[groups == group], y[groups == group]
            if exchange == "within":
                assert sorted(mine) == sorted(theirs)
            else:
                assert len(set(mine)) == 1
    assert moved >= 5


def test_chance_is_one_minus_one_over_the_number_of_classes(signal):
    X, y = signal
    found = permutation_test(
        GaussianNB(), X, y, statistics="error", n_permutations=60, cv=3, random_state=0
    )
    assert found.error.chance.mean() == pytest.approx(0.75, abs=0.04)
    assert found.error.observed < 0.5
    assert found.p_value == pytest.approx(1 / 61)


def test_machines_of_this_package_count_the_features_of_all_classes(signal):
    X, y = signal
    machine = SupportFeatureMachine(C=np.inf)
    found = permutation_test(machine, X, y, statistics="features", n_permutations=9, random_state=0)
    fitted = machine.fit(X, y)
    assert fitted.support_.sum() <= found.features.observed <= fitted.supports_.sum()
    assert found.features.observed < found.features.chance_median


def test_random_data_of_many_classes(signal):
    X, y = signal
    found = chance_simulation(
        GaussianNB(), X, y, statistics="error", n_simulations=30, cv=3, random_state=0
    )
    assert found.error.chance.mean() == pytest.approx(0.75, abs=0.05)
    assert found.error.p_value == pytest.approx(1 / 31)
