"""Epsilon from permuted labels."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

from fewest import PotentialSelector, PotentialSVR
from fewest.psvm import choose_epsilon


def test_many_permutations_come_close_to_all_of_them():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((7, 5)), rng.standard_normal(7)
    unit = (X - X.mean(axis=0)) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    every = [np.abs(unit.T @ np.array(row)).max() for row in permutations(y - y.mean())]
    lower, upper = np.quantile(every, [0.885, 0.915])
    found = choose_epsilon(X, y, level=0.1, n_permutations=5000, random_state=0)
    assert lower <= found <= upper


def test_agrees_with_independent_normal_columns():
    """X_j^T y of normal columns is y's length times the cosine of a random direction."""
    rng = np.random.default_rng(1)
    n, d = 60, 3000
    X, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    # (1 + r) / 2 is beta distributed with (n - 2) / 2 twice; all d of them must stay below.
    part = 0.5 * (n - 2)
    quantile = stats.beta.ppf(1 - (1 - 0.8 ** (1 / d)) / 2, part, part)
    expected = (2 * quantile - 1) * np.linalg.norm(y - y.mean())
    found = choose_epsilon(X, y, level=0.2, n_permutations=400, random_state=0)
    assert found == pytest.approx(expected, rel=0.03)
    wide = choose_epsilon(
        X, y, level=0.2, n_permutations=400, scale="unit variance", random_state=0
    )
    assert wide == pytest.approx(found * np.sqrt(n))


def test_noise_is_selected_as_often_as_the_level_says():
    rng = np.random.default_rng(3)
    selected = 0
    for run in range(60):
        X, y = rng.standard_normal((30, 20)), np.repeat(["a", "b"], 15)
        epsilon = choose_epsilon(X, y, level=0.3, n_permutations=40, random_state=run)
        machine = PotentialSVR(C=np.inf, epsilon=epsilon, kernel="precomputed")
        selected += bool(clone(machine).fit(X, np.where(y == "a", 1.0, -1.0)).support_.any())
    assert stats.binomtest(selected, 60, 0.3).pvalue > 0.01


def test_classes_and_groups():
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((60, 30)), np.tile(["a", "b", "c"], 20)
    X[y == "a", 0] += 3.0
    X[y == "c", 1] += 3.0
    groups = np.repeat(np.arange(10), 6)
    epsilon = choose_epsilon(X, y, groups=groups, random_state=0)
    kept = PotentialSelector(epsilon=epsilon).fit(X, y).get_support(indices=True)
    np.testing.assert_array_equal(kept, [0, 1])
    with pytest.raises(ValueError, match="every group holds a single class"):
        choose_epsilon(X, y, groups=y)
    assert choose_epsilon(X, groups > 4, groups=groups, exchange="whole", random_state=0) > 0


def test_bad_input():
    X, y = np.eye(6), [0, 1] * 3
    with pytest.raises(ValueError, match="at least 99 are needed"):
        choose_epsilon(X, y, level=0.01, n_permutations=50)
    with pytest.raises(ValueError, match="level"):
        choose_epsilon(X, y, level=1.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        choose_epsilon(X, y, groups=[1, 2])
