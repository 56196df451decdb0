"""Bit sets against their definition, and the pair scan against a linear program for every pair."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from fewest.minimum import _pairs
from fewest.minimum._bits import SignedBits, _ordered_pairs, pack
from fewest.minimum._data import separating_columns
from fewest.minimum._pairs import scan_pairs
from fuzzing.oracles.subsets import separable_by_lp


def members(words, count):
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), bitorder="little")
    return bits[:count].astype(bool)


def problem(seed, n=14, d=10, whole=True):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, d)).astype(float) if whole else rng.standard_normal((n, d))
    y = np.where(np.arange(n) % 3 > 0, 1.0, -1.0)
    X[:, :4] += 1.2 * y[:, None]
    return np.asfortranarray(X), y


@pytest.mark.parametrize("whole", [True, False])
def test_bits_say_what_is_bad(whole):
    X, y = problem(0, whole=whole)
    bits = SignedBits(X, y, np.arange(X.shape[1]))
    bits.transpose()
    assert bits.n_rows == np.sum(y > 0) * np.sum(y < 0)
    assert len({*zip(bits.above.tolist(), bits.below.tolist(), strict=True)}) == bits.n_rows
    for f in range(bits.n_signed):
        x = bits.signs[f] * X[:, bits.columns[f]]
        is_bad = x[bits.above] <= x[bits.below]
        assert np.array_equal(members(bits.bad[f], bits.n_rows), is_bad)
        assert bits.bad_counts[f] == is_bad.sum()
        good = [members(row, bits.n_signed)[f] for row in bits.good[: bits.n_rows]]
        assert np.array_equal(good, ~is_bad)
        other = bits.opposite[f]
        if other < 0:
            assert np.all(x[bits.above] >= x[bits.below])  # bad everywhere, and left out
        else:
            assert (bits.columns[other], bits.signs[other]) == (bits.columns[f], -bits.signs[f])
    assert np.all(np.diff(bits.bad_counts) >= 0)


def test_rows_can_be_added_without_end():
    X, y = problem(1)
    bits = SignedBits(X, y, np.arange(X.shape[1]))
    bits.transpose()
    before, rng, added = bits.n_rows, np.random.default_rng(0), []
    for _ in range(300):
        added.append(rng.random(bits.n_signed) < 0.5)
        bits.add_row(added[-1])
    assert bits.n_rows == before + 300
    assert members(bits.rows_of(0), bits.n_rows).all()
    for place, is_bad in enumerate(added):
        row = before + place
        assert np.array_equal(members(bits.good[row], bits.n_signed), ~is_bad)
        assert np.array_equal([members(bad, bits.n_rows)[row] for bad in bits.bad], is_bad)


def test_pack():
    wanted = np.random.default_rng(0).random(130) < 0.3
    assert np.array_equal(members(pack(wanted), 130), wanted)


@pytest.mark.parametrize("whole", [True, False])
def test_all_pairs_equal_a_linear_program_each(whole):
    n_found = 0
    for seed in range(4):
        X, y = problem(seed, whole=whole)
        bits = SignedBits(X, y, np.arange(X.shape[1]))
        single = {one.columns[0] for one in separating_columns(X, y, np.arange(X.shape[1]))}
        found, tested = [], 0
        for batch in scan_pairs(X, bits, np.ones(bits.n_signed, dtype=np.int64), room=100):
            assert not len(batch.uncertain)
            assert batch.n_separating == len(batch.separating) <= batch.n_survivors
            found += [tuple(sorted(pair)) for pair in bits.columns[batch.separating].tolist()]
            tested += batch.n_tested
        assert batch.share == 1.0
        assert tested <= 4 * X.shape[1] ** 2 / 2
        wanted = [
            pair
            for pair in combinations(range(X.shape[1]), 2)
            if separable_by_lp(X[:, pair], y) and not single & set(pair)
        ]
        assert sorted(pair for pair in found if not single & set(pair)) == wanted
        n_found += len(wanted)
    assert n_found > 0


def test_pairs_that_rounding_cannot_decide_are_handed_on():
    """A negative sample exactly on the line between two positive ones, in tenths."""
    X = np.array([[0.1, 0.3], [0.3, 0.1], [0.2, 0.2], [0.0, -0.5]], order="F")
    y = np.array([1.0, 1.0, -1.0, -1.0])
    bits = SignedBits(X, y, np.arange(2))
    (batch,) = scan_pairs(X, bits, np.ones(bits.n_signed, dtype=np.int64), room=10)
    assert batch.n_separating == 0
    assert bits.columns[batch.uncertain].tolist() in ([[0, 1]], [[1, 0]])


def test_no_pair_in_doubt_is_lost(monkeypatch):
    """Copies of two columns in tenths: every pair is in doubt, and there is room for one."""
    rising, falling = [0.1, 0.3, 0.2, 0.0], [0.3, 0.1, 0.2, -0.5]
    X = np.array([rising, falling] * 5, order="C").T
    y = np.array([1.0, 1.0, -1.0, -1.0])
    bits = SignedBits(np.asfortranarray(X), y, np.arange(10))
    ones = np.ones(bits.n_signed, dtype=np.int64)
    (wanted,) = scan_pairs(X, bits, ones, room=10)
    assert len(wanted.uncertain) > 10
    monkeypatch.setattr(_pairs, "_DOUBTFUL_PAIRS", 1)
    monkeypatch.setattr(_pairs, "_CALL_PAIRS", 1000)
    (batch,) = scan_pairs(X, bits, ones, room=10)
    assert batch.uncertain.tolist() == wanted.uncertain.tolist()


def test_copies_are_counted_and_room_is_respected():
    X, y = problem(0)
    bits = SignedBits(X, y, np.arange(X.shape[1]))
    (one,) = scan_pairs(X, bits, np.ones(bits.n_signed, dtype=np.int64), room=100)
    (three,) = scan_pairs(X, bits, np.full(bits.n_signed, 3), room=1)
    assert one.n_separating > 1
    assert three.n_separating == 9 * one.n_separating
    assert len(three.separating) == 1


@pytest.mark.parametrize(("a", "b"), [(7, 5), (5, 7), (6, 6), (1, 4), (90, 80)])
def test_no_more_pairs_of_samples_are_listed_than_are_used(a, b):
    """Neighbours share no sample, and all pairs are there, each once, if there is room."""
    above, below = _ordered_pairs(np.arange(a), np.arange(100, 100 + b), 10_000)
    pairs = list(zip(above.tolist(), below.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs) == a * b
    first = _ordered_pairs(np.arange(a), np.arange(100, 100 + b), 3)
    assert [one.tolist() for one in first] == [above[:3].tolist(), below[:3].tolist()]
    assert all(p[0] != q[0] and p[1] != q[1] for p, q in pairwise(pairs[: min(a, b)]))


def test_pairs_of_many_samples_take_no_memory():
    many = np.arange(10**6)
    assert len(_ordered_pairs(many, many, 1000)[0]) == 1000  # all would take terabytes
