"""The search from three features on, against a linear program each; and the upper bound."""

from itertools import combinations

import numpy as np
import pytest

from fewest.minimum.bits import SignedBits
from fewest.minimum.clock import Clock
from fewest.minimum.leaves import Separation, settle
from fewest.minimum.search import CoverSearch
from fewest.minimum.twins import Twins, conflicting_samples
from fewest.minimum.upper import first_set, swap_down, without_idle
from tests.minimum.oracle import separable_by_lp


def problem(seed, n=26, d=8, used=4):
    """Labels from a plane in `used` columns."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, d)))
    score = X[:, :used] @ rng.choice([-1.0, 1.0], used)
    return X, np.where(score > np.median(score), 1.0, -1.0)


def cover_search(X, y):
    return CoverSearch(X, y, SignedBits(X, y, np.arange(X.shape[1])))


def separating(X, y, size):
    sets = combinations(range(X.shape[1]), size)
    return [columns for columns in sets if separable_by_lp(X[:, columns], y)]


@pytest.mark.parametrize(("size", "seeds"), [(3, range(4)), (4, range(6))])
def test_finds_all_sets_of_a_size(size, seeds):
    n_found = 0
    for seed in seeds:
        X, y = problem(seed, used=size)
        if any(separating(X, y, smaller) for smaller in range(1, size)):
            continue
        search, found = cover_search(X, y), []
        assert search.run(size, Clock(), lambda one, found=found: found.append(one) is None)
        assert sorted(one.columns for one in found) == separating(X, y, size)
        assert all(one.holds(X, y) for one in (*found, *search.ruled_out))
        n_found += len(found)
    assert n_found > 0


def test_stops_when_told_to():
    X, y = problem(0, used=3)
    search, found = cover_search(X, y), []

    def stop(one):
        found.append(one)
        return False

    assert not search.run(3, Clock(), stop)
    assert len(found) == 1
    assert not search.run(3, Clock(limit=0.0), stop)
    assert len(found) == 1


def test_local_swaps_find_the_small_set():
    """Three columns separate; a set of six others that does so too is brought down to three."""
    rng = np.random.default_rng(3)
    X = np.asfortranarray(rng.standard_normal((24, 40)))
    y = np.where(X[:, :3].sum(axis=1) > 0, 1.0, -1.0)
    large = settle(X, y, range(5, 30))
    assert isinstance(large, Separation)
    large = without_idle(large, X, y)
    assert len(large.columns) > 3
    small = swap_down(cover_search(X, y), large, 1, Clock())
    assert len(small.columns) < len(large.columns)
    assert small.holds(X, y)


def test_first_set_separates_strictly():
    X, y = problem(1)
    assert first_set(X, y).holds(X, y)
    assert first_set(X, np.where(np.arange(26) % 2, 1.0, -1.0)) is None


def test_twins():
    x = np.array([0.0, 1.0, -2.0])
    X = np.asfortranarray(np.column_stack([x, np.ones(3), -x, 2 * x, x, np.zeros(3)]))
    before = X.copy()
    twins = Twins(X)
    assert twins.firsts.tolist() == [0, 3]
    assert twins.copies(0) == 3
    assert twins.leaders([4, 3]) == (0, 3)
    assert twins.expanded((0, 3)) == [(0, 3), (2, 3), (4, 3)]
    assert np.array_equal(X, before)


def test_conflicting_samples():
    X = np.array([[0.0, 1.0], [2.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])
    assert conflicting_samples(X, np.array([1.0, 1.0, 1.0, 1.0])) is None
    assert conflicting_samples(X, np.array([-1.0, 1.0, 1.0, 1.0])) == (2, 0)
