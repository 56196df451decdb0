"""The search from three features on, against a linear program each; and the upper bound."""

from itertools import combinations

import numpy as np
import pytest

from fewest._solvers.linear.master import SolverError
from fewest.minimum import _bits, _search, _upper
from fewest.minimum._bits import SignedBits
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins, conflicting_samples
from fewest.minimum._leaves import Separation, settle
from fewest.minimum._search import CoverSearch
from fewest.minimum._upper import drop_idle, find_first_set, swap_down
from fuzzing.oracles.subsets import separable_by_lp


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


def test_stops_in_the_middle_of_a_larger_size():
    X, y = problem(0, used=4)
    search, found = cover_search(X, y), []
    assert not search.run(4, Clock(), lambda one: found.append(one) is not None)
    assert len(found) == 1


class Countdown(Clock):
    """A clock that is over after a number of looks at it."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    @property
    def is_over(self):
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_stops_when_the_time_is_up(looks):
    """At a node, before a batch of them, or behind it."""
    X, y = problem(0, used=3)
    search = cover_search(X, y)
    assert not search.run(3, Countdown(looks), lambda one: True)
    assert (search.tally.nodes > 0) == (looks > 1)


def test_rows_are_added_where_too_few_exist(monkeypatch):
    """With one pair of samples as the only row, a single feature covers all there is."""
    monkeypatch.setattr(_bits, "_MOST_PAIRS", 1)
    n_found = 0
    for seed in range(6):
        X, y = problem(seed, used=4)
        if any(separating(X, y, smaller) for smaller in range(1, 4)):
            continue
        search, found = cover_search(X, y), []
        assert search.run(4, Clock(), lambda one, found=found: found.append(one.columns) is None)
        assert sorted(found) == separating(X, y, 4)
        assert search.bits.n_rows > 1
        n_found += len(found)
    assert n_found > 0


def test_smaller_sizes_come_first(monkeypatch):
    X, y = problem(0, used=1)
    monkeypatch.setattr(_bits, "_MOST_PAIRS", 1)
    with pytest.raises(RuntimeError, match="a smaller set separates: search the smaller sizes"):
        cover_search(X, y).run(4, Clock(), lambda one: True)


def test_more_sets_than_there_is_room_for(monkeypatch):
    """Near copies of two of three columns: all their pairs complete the third."""
    monkeypatch.setattr(_search, "_ROOM", 4)
    rng = np.random.default_rng(1)
    base = rng.standard_normal((60, 3))
    score = base.sum(axis=1)
    base += 0.1 * np.sign(score - np.median(score))[:, None]
    copies = base[:, [0, *[1] * 4, *[2] * 4]]
    X = np.asfortranarray(copies + 1e-6 * rng.standard_normal(copies.shape))
    y = np.where(score > np.median(score), 1.0, -1.0)
    found = []
    assert not separating(X, y, 1)
    assert not separating(X, y, 2)
    assert cover_search(X, y).run(3, Clock(), lambda one: found.append(one.columns) is None)
    assert sorted(found) == separating(X, y, 3)
    assert len(found) >= 16


def test_local_swaps_find_the_small_set():
    """Three columns separate; a set of six others that does so too is brought down to three."""
    rng = np.random.default_rng(3)
    X = np.asfortranarray(rng.standard_normal((24, 40)))
    y = np.where(X[:, :3].sum(axis=1) > 0, 1.0, -1.0)
    large = settle(X, y, range(5, 30))
    assert isinstance(large, Separation)
    large = drop_idle(large, X, y, Clock())
    assert len(large.columns) > 3
    small = swap_down(cover_search(X, y), large, 1, Clock())
    assert len(small.columns) < len(large.columns)
    assert small.holds(X, y)


def test_first_set_separates_strictly():
    X, y = problem(1)
    assert find_first_set(X, y, Clock()).holds(X, y)
    assert find_first_set(X, np.where(np.arange(26) % 2, 1.0, -1.0), Clock()) is None


def test_the_first_set_will_do_when_time_is_up(monkeypatch):
    X, y = problem(1)
    minimize, calls = _upper.minimize_zero_norm, []
    monkeypatch.setattr(
        _upper,
        "minimize_zero_norm",
        lambda *given, **more: calls.append(given) or minimize(*given, **more),
    )
    found = find_first_set(X, y, Clock(limit=0.0))
    assert len(calls) == 1
    assert drop_idle(found, X, y, Clock(limit=0.0)) == found


def test_first_set_survives_a_solver_that_fails(monkeypatch):
    X, y = problem(1)
    minimize, calls = _upper.minimize_zero_norm, []

    def fail_once(*arguments, **more):
        calls.append(arguments)
        if len(calls) == 1:
            raise SolverError("no solution")
        return minimize(*arguments, **more)

    monkeypatch.setattr(_upper, "minimize_zero_norm", fail_once)
    assert find_first_set(X, y, Clock()).holds(X, y)
    assert len(calls) == 3


def test_twins():
    x = np.array([0.0, 1.0, -2.0])
    X = np.asfortranarray(np.column_stack([x, np.ones(3), -x, 2 * x, x, np.zeros(3)]))
    before = X.copy()
    twins = Twins(X)
    assert twins.firsts.tolist() == [0, 3]
    assert twins.copies(0) == 3
    assert twins.leaders([4, 3]) == (0, 3)
    assert list(twins.expand((0, 3))) == [(0, 3), (2, 3), (4, 3)] == list(twins.expand((2, 3)))
    assert list(twins.expand((2, 3), fixed={2})) == [(2, 3)]
    assert (twins.count_equal((2, 3)), twins.count_equal((2, 3), {2})) == (3, 1)
    assert np.array_equal(X, before)


def test_conflicting_samples():
    X = np.array([[0.0, 1.0], [2.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])
    assert conflicting_samples(X, np.array([1.0, 1.0, 1.0, 1.0])) == []
    assert conflicting_samples(X, np.array([-1.0, 1.0, 1.0, 1.0])) == [(2, 0)]
    X = X[[0, 0, 0, 1]]
    assert conflicting_samples(X, np.array([2, 0, 1, 2])) == [(2, 1), (0, 1), (0, 2)]
