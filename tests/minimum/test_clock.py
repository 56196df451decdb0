"""Compiled parts of the search return after a number of steps, and go on where they ended."""

import signal
import threading
import time

import numpy as np
import pytest

from fewest import minimum_features
from fewest._interrupts import ending_early, no_lost_interrupts
from fewest.minimum import _cover as cover
from fewest.minimum import _search
from fewest.minimum._bits import SignedBits
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins
from fewest.minimum._search import CoverSearch
from tests.platforms import needs


def many_kinds(n=72, d=40, k=24):
    """Many classes with planted codes."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    X = rng.standard_normal((n, d))
    X[:, :8] += 3.0 * rng.integers(0, 2, (k, 8))[y]
    return np.asfortranarray(X), y


def scan(search, most_steps):
    """All pairs of features that pass, in calls of so many steps; how many calls."""
    node = search.node(())
    out = np.empty((5000, 2), dtype=np.int64)
    nothing = np.empty(0, dtype=np.int64)
    given = (
        search.bits.bad, search.bits.good, search.bits.opposite, search._other_rows(node, 2),
        search._rule(), nothing, search._uncovered(node), node.excluded, out, len(out),
    )  # fmt: skip
    count, start, calls, tried = 0, 0, 0, []
    while start >= 0:
        count, n_tried, start = cover.last_two(*given, start, count, most_steps)
        tried.append(n_tried)
        calls += 1
    return out[:count].tolist(), calls, tried


def test_a_call_ends_soon_after_its_steps_and_goes_on_from_there():
    X, y = many_kinds()
    bits = SignedBits(X, y, Twins(X).firsts)
    search = CoverSearch(X, y, bits)
    whole, calls, tried = scan(search, 1 << 60)
    parts, n_parts, tried_in_parts = scan(search, 0)
    assert calls == 1
    assert parts == whole
    # Each call tries one first feature: that is all that happens between two looks at the clock.
    assert max(tried_in_parts) == 1
    assert n_parts >= tried[0] > 10


def test_the_result_does_not_depend_on_how_often_the_clock_is_looked_at(monkeypatch):
    X, y = many_kinds(n=48, d=25, k=6)
    expected = minimum_features(X, y, max_size=4)
    monkeypatch.setattr(_search, "CALL_WORDS", 5)
    found = minimum_features(X, y, max_size=4)
    assert (found.size, found.lower_bound) == (expected.size, expected.lower_bound)
    assert [one.tolist() for one in found.subsets] == [one.tolist() for one in expected.subsets]


class Countdown(Clock):
    """Over after it was asked a few times."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    @property
    def is_over(self):
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("looks", [0, 3, 30])
def test_a_search_ends_when_its_clock_says_so(looks, monkeypatch):
    X, y = many_kinds()
    monkeypatch.setattr(_search, "CALL_WORDS", 100)
    search = CoverSearch(X, y, SignedBits(X, y, Twins(X).firsts))
    clock = Countdown(looks)
    assert not search.run(3, clock, lambda _: True)
    assert clock.looks > -20  # asked a few times more on the way out, but not for every child


def test_words_of_rows_are_listed():
    rows = np.array([[0, 5, 0, 7], [0, 0, 0, 0], [1, 0, 0, 0]], dtype=np.uint64)
    assert cover.list_words(rows).tolist() == [
        [[1, 5], [3, 7], [0, 0]],
        [[0, 0], [0, 0], [0, 0]],
        [[0, 1], [0, 0], [0, 0]],
    ]


def press_in(seconds):
    timer = threading.Timer(seconds, signal.raise_signal, [signal.SIGINT])
    timer.start()
    return timer


@needs("POSIX signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_is_an_error_in_python_and_a_limit_where_it_may_be(n_jobs):
    """A result with what is known, in which nothing is claimed that was not gone through."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 400)), np.arange(60) % 2
    minimum_features(X[:, :30], y, max_seconds=1.0)  # compiles
    press_in(1.0)
    with pytest.raises(KeyboardInterrupt):
        minimum_features(X, y, max_seconds=60, n_jobs=n_jobs)
    with no_lost_interrupts(), ending_early() as asked:
        press_in(1.0)
        found = minimum_features(X, y, max_seconds=np.inf, n_jobs=n_jobs)
        assert asked
        assert found.seconds < asked[0] + 3.0
    assert not found.certified
    assert 3 <= found.lower_bound <= found.size
    assert found.verify(X, y)
    with no_lost_interrupts(), ending_early():
        press_in(0.5)
        time.sleep(1.0)
        press_in(0.5)
        with pytest.raises(KeyboardInterrupt):
            time.sleep(5.0)
