"""Parts of the search that allows errors, each against another way to compute it."""

from fractions import Fraction
from itertools import combinations
from time import process_time

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from fewest.minimum import _hitting
from fewest.minimum._bits import pack
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins
from fewest.minimum._dominance import DominanceBits, count_single_errors
from fewest.minimum._errors_search import ErrorSearch, _decreasing
from fewest.minimum._hitting import (
    MET,
    UNKNOWN,
    UNMET,
    find_hitting_set,
    meet_all,
    meet_in_time,
    pack_samples,
)
from fewest.minimum._matched_sets import scan_pairs_below
from fewest.minimum._matching import match_best, match_greedily
from fewest.minimum._plane import cross_sign, find_right_samples, scale_for_signs
from fewest.minimum._threads import share_out
from fuzzing.oracles.errors import fewest_errors, random_labelled


def exact_cross_sign(a, b, c):
    (ax, ay), (bx, by), (cx, cy) = ([Fraction(v) for v in point] for point in (a, b, c))
    cross = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (cross > 0) - (cross < 0)


def test_sides_of_lines_are_exact():
    """Three points in tenths, nearly on one line, and the same ones moved by the last digit."""
    rng = np.random.default_rng(0)
    signs = set()
    for _ in range(2000):
        a, step = rng.integers(-9, 10, 2) / 10, rng.integers(-9, 10, 2) / 10
        b, c = a + step, a + rng.integers(-5, 6) * step
        if rng.random() < 0.5 and np.all(c != 0):  # there are very small numbers beside zero
            c[0] = np.nextafter(c[0], rng.choice([-9, 9]))
        wanted = exact_cross_sign(a, b, c)
        assert cross_sign(*a, *b, *c) == wanted
        signs.add(wanted)
    assert signs == {-1, 0, 1}
    for scale in (1e-60, 1e60):
        a, b, c = scale * np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
        assert cross_sign(*a, *b, *c) == exact_cross_sign(a, b, c)


def test_columns_are_scaled_without_rounding():
    X = np.array([[3.0, 1e-300, 0.0], [-7.0, 1e10, 0.0]])
    scaled, is_sound = scale_for_signs(X)
    assert is_sound.tolist() == [True, False, True]
    assert np.abs(scaled).max() <= 1.0
    assert (scaled[:, 0] / X[:, 0]).tolist() == [1 / 8, 1 / 8]


@pytest.mark.parametrize("seed", range(20))
def test_lines_and_thresholds_leave_the_fewest_errors(seed):
    X, y = random_labelled(seed, d=2)
    scaled, _ = scale_for_signs(X)
    for few in (0, 1):  # which class is called the smaller one does not matter
        errors, right = find_right_samples(scaled, y, (0, 1), few)
        if few == np.argmin(np.bincount(y)):
            assert errors == fewest_errors(X, y)
            assert len(right) == len(y) - errors
            assert fewest_errors(X[right], y[right]) == 0
    counts = np.empty((2, 2), dtype=np.int64)
    given = np.asfortranarray(X), np.arange(len(y)), y, np.arange(2)
    share_out(count_single_errors, 2, *given, counts)
    singles = [fewest_errors(X[:, [j]], y) for j in (0, 1)]
    assert counts.min(axis=1).tolist() == singles
    for signs in (None, np.array([1, -1], dtype=np.int8)):
        search = ErrorSearch(np.asfortranarray(X), y, Clock())
        search.signs = signs
        for j in (0, 1):
            found = search.separate_single(j)
            assert found.holds(X, y, signs)
            assert len(found.wrong) >= singles[j]
            assert signs is not None or len(found.wrong) == singles[j]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_beginnings_are_those_of_all_sets_without_rivals(length):
    """Each set of that many and two more places has its larger ones among the beginnings."""
    rng = np.random.default_rng(length)
    for _ in range(30):
        rivals = rng.integers(0, 5, int(rng.integers(0, 9))).tolist()
        taken = frozenset(rng.integers(0, 5, 1).tolist())
        sets = [
            places
            for places in combinations(range(len(rivals))[::-1], length + 2)
            if len({rivals[k] for k in places} - taken) == length + 2
        ]
        found = list(_decreasing(rivals, len(rivals), length, taken))
        assert len(set(found)) == len(found)
        assert set(found) == {places[:length] for places in sets}


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_bounded_by_largest_matchings(seed):
    rng = np.random.default_rng(seed)
    n = 90 if seed == 0 else 24  # the larger class of 90 takes two words
    X = np.asfortranarray(rng.integers(-6, 7, (n, 6)).astype(float))
    y = (np.arange(n) % 4 == 0).astype(int)
    X[:, :3] += 4 * y[:, None]
    bits = DominanceBits(X, y, Twins(X).firsts)
    most = 3 * n // 20
    pairs, bounds = scan_pairs_below(bits, 0, bits.n_signed, most)
    found = {tuple(pair): bound for pair, bound in zip(pairs.tolist(), bounds, strict=True)}
    first, second = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    for a in range(bits.n_signed):
        for b in range(a):
            if bits.columns[a] == bits.columns[b]:
                continue
            x = X[:, bits.columns[[a, b]]] * bits.signs[[a, b]]
            conflicts = np.all(x[second, None] <= x[None, first], axis=2)
            matched = maximum_bipartite_matching(csr_matrix(conflicts), perm_type="column")
            size = int(np.sum(matched >= 0))
            assert found.get((a, b), most + 1) == min(size, most + 1)
    assert found


def test_matchings():
    rng = np.random.default_rng(1)
    for _ in range(50):
        graph = rng.random((9, 70)) < rng.choice([0.02, 0.05, 0.2])
        words = np.array([pack(row) for row in graph])
        owners, partners = np.empty(128, dtype=np.int64), np.empty(9, dtype=np.int64)
        size = match_best(words, 9, owners, partners)
        matched = maximum_bipartite_matching(csr_matrix(graph), perm_type="column")
        assert size == np.sum(matched >= 0) == np.sum(partners >= 0)
        assert all(graph[r, c] for r, c in enumerate(partners) if c >= 0)
        assert len(set(partners[partners >= 0])) == size
        used = np.empty(2, dtype=np.uint64)
        greedy = match_greedily(words, words, 9, used, partners)
        assert greedy <= size <= 2 * greedy
        assert all(graph[r, c] for r, c in enumerate(partners) if c >= 0)


@pytest.mark.parametrize("words", [_hitting._CALL_WORDS, 1])  # at once, or node by node
def test_hitting_sets(monkeypatch, words):
    monkeypatch.setattr(_hitting, "_CALL_WORDS", words)
    rng = np.random.default_rng(2)
    verdicts = set()
    for _ in range(60):
        groups = [
            rng.choice(10, rng.integers(1, 5), replace=False) for _ in range(rng.integers(1, 9))
        ]
        table = np.array([pack_samples(group, 70) for group in groups])
        for most in range(4):
            possible = any(
                all(set(hit) & set(group.tolist()) for group in groups)
                for size in range(most + 1)
                for hit in combinations(range(10), size)
            )
            hit = find_hitting_set(table, most)
            assert (hit is not None) == possible
            if hit is not None:
                assert len(hit) <= most
                assert all(set(hit) & set(group.tolist()) for group in groups)
            verdicts.add(possible)
    assert verdicts == {True, False}


def test_a_search_for_samples_that_meet_all_groups_ends_with_its_clock():
    """Six hundred groups of three of 150 samples: all that meets them takes hours to rule out."""
    rng = np.random.default_rng(0)
    table = np.array([pack_samples(rng.choice(150, 3, replace=False), 150) for _ in range(600)])
    clock, began = Clock(0.3), process_time()
    assert meet_in_time(table, 80, clock) == (UNKNOWN, [])
    assert process_time() - began < 1.5
    assert meet_in_time(table, 80, Clock(most_looks=100)) == (UNKNOWN, [])  # by its work as well


def test_pairs_of_samples_are_hit_too():
    """Samples 0 to 3 against 4 to 7: a matching of three, and a group that shares no sample."""
    few, many = np.arange(4), np.arange(4, 8)
    graph = np.array([[1], [2], [4], [0]], dtype=np.uint64)
    table = np.array([pack_samples([3, 7], 8)])
    removed = np.empty(1, dtype=np.uint64)
    listed = np.arange(1)
    for most, verdict in ((2, UNMET), (3, UNMET), (4, MET)):
        assert meet_all(table, listed, 1, graph, few, many, most, removed, 1000) == verdict
    assert meet_all(table, listed, 0, graph, few, many, 3, removed, 1000) == MET
    crossing = np.array([[3], [3], [0], [0]], dtype=np.uint64)
    assert meet_all(table, listed, 1, crossing, few, many, 3, removed, 1) == UNKNOWN
