"""Bit sets: on which comparisons of two samples does a signed feature fail?

A signed feature f is a column times +1 or -1. It is *bad* on a pair of samples (p of the second
class of a pair of classes, q of the first) if it does not put p above q. Weights of a separating
set can be taken as positive on signed features, so a set whose members are all bad on one pair of
samples separates nothing. The same holds for any two convex combinations of samples, one of each
class: such rows are added during the search (`add_row`).

Every row belongs to one pair of classes. The signs of a separating set may differ from one pair of
classes to the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import ClassPair, pair_classes
from fewest.minimum._threads import share_out

Words = NDArray[np.uint64]

# Any part of the pairs is a valid test, only a weaker one: the tables stay below a gigabyte.
_MOST_BYTES = 1 << 30
_FEWEST_PAIRS, _MOST_PAIRS = 1 << 10, 1 << 16
_CUT_ROWS = 64  # how many rows the tables grow by
_BEST = 10  # signed features that show how hard two classes are to separate


class SignedBits:
    """Signed features, best first, and their bad sets over an ordered list of pairs of samples.

    `columns` and `signs` say what signed feature f is, `opposite` where the same column with the
    other sign is (-1: nowhere). `bad[f]` has a bit for every row, `good[r]` one for every signed
    feature that is not bad on row r. `pairs` are the pairs of classes, the hardest first: features
    are sorted by how often they are bad on its rows (`bad_counts`), which come first (`n_lead`).
    Columns that must have one sign (`signs`, one per column of X, 0: either) are here with it only.
    """

    def __init__(
        self,
        X: FloatArray,
        y: NDArray[Any],
        candidates: IndexArray,
        signs: NDArray[np.int8] | None = None,
    ) -> None:
        d = len(candidates)
        pairs = pair_classes(y)
        most = min(_MOST_PAIRS, max(_FEWEST_PAIRS, _MOST_BYTES * 8 // max(1, 2 * d)))
        most = -(-most // len(pairs))
        rows = [_ordered_pairs(pair.positive, pair.negative, most) for pair in pairs]
        counts = np.array([_bad_counts(X, *one, candidates).ravel() for one in rows])
        lengths = np.array([len(above) for above, _ in rows])
        shares = np.sort(counts / lengths[:, None], axis=1)[:, :_BEST].sum(axis=1)
        ranked = np.argsort(-shares, kind="stable")
        self.pairs: tuple[ClassPair, ...] = tuple(pairs[place] for place in ranked)
        above, below = (np.concatenate([rows[place][side] for place in ranked]) for side in (0, 1))
        order = np.argsort(counts[ranked[0]], kind="stable")
        if len(above) == sum(len(pair.positive) * len(pair.negative) for pair in pairs):
            # Signed features that are bad on all pairs are of no use; on some of the pairs, they
            # may still be good on others.
            order = order[counts.sum(axis=0)[order] < len(above)]
        if signs is not None:
            order = order[signs[candidates[order // 2]] * (1 - 2 * (order % 2)) >= 0]
        self.n_rows = len(above)
        self.n_lead = int(lengths[ranked[0]])
        self.n_signed = len(order)
        self.above, self.below = above, below
        self.columns: IndexArray = candidates[order // 2]
        self.signs = np.where(order % 2 == 0, 1, -1).astype(np.int8)
        self.bad_counts = counts[ranked[0]][order]
        place = np.full(2 * d, -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        self.opposite = place[order ^ 1]
        self.bad: Words = _bad_sets(X, above, below, self.columns, self.signs)
        self.good: Words = np.empty((0, 0), dtype=np.uint64)
        owners = np.repeat(np.arange(len(pairs)), lengths[ranked])
        self._members = [_fit(pack(owners == k), self.bad) for k in range(len(pairs))]

    def rows_of(self, pair: int) -> Words:
        """The set of all rows of a pair of classes, which is given by its place in `pairs`."""
        return self._members[pair]

    def transpose(self) -> None:
        """Fill `good`, which only the search from three features on needs."""
        width = (self.n_signed + 63) // 64
        self.good = np.zeros((self.n_rows + _CUT_ROWS, width), dtype=np.uint64)
        share_out(_fill_good, width, self.bad, self.n_rows, self.good)

    def add_row(self, is_bad: NDArray[np.bool_], pair: int = 0) -> None:
        """One more row of a pair of classes: for every signed feature, whether it is bad on it."""
        row = self.n_rows
        if row >= len(self.good):
            more = np.zeros_like(self.good[: max(_CUT_ROWS, row // 8)])
            self.good = np.vstack([self.good, more])
        if row >= 64 * self.bad.shape[1]:
            more = np.zeros((self.n_signed, 1 + self.bad.shape[1] // 8), dtype=np.uint64)
            self.bad = np.hstack([self.bad, more])
            self._members = [_fit(members, self.bad) for members in self._members]
        bit = np.uint64(1) << np.uint64(row % 64)
        self.bad[is_bad, row // 64] |= bit
        self._members[pair][row // 64] |= bit
        self.good[row] = pack(~is_bad)
        self.n_rows += 1


def pack(members: NDArray[np.bool_]) -> Words:
    """A set of numbers as 64-bit words, lowest number in the lowest bit."""
    padded = np.zeros(-(-len(members) // 64) * 64, dtype=bool)
    padded[: len(members)] = members
    return np.packbits(padded, bitorder="little").view(np.uint64)


def _fit(members: Words, bad: Words) -> Words:
    """The same set in as many words as the bad sets have."""
    return np.concatenate([members, np.zeros(bad.shape[1] - len(members), dtype=np.uint64)])


def _ordered_pairs(
    positive: IndexArray, negative: IndexArray, most: int
) -> tuple[IndexArray, IndexArray]:
    """Pairs such that neighbours share no sample: the first words then rule out the most."""
    a, b = len(positive), len(negative)
    place = np.arange(min(most, a * b))
    first = place % max(a, b)
    second = (first + place // max(a, b)) % min(a, b)
    if a < b:
        first, second = second, first
    return positive[first], negative[second]


def _bad_counts(X: Any, above: Any, below: Any, columns: Any) -> Any:
    counts = np.zeros((len(columns), 2), dtype=np.int64)
    share_out(_count_bad, len(columns), X, above, below, columns, counts)
    return counts


@njit(cache=True, nogil=True)
def _count_bad(
    start: int, stop: int, alarm: Any, X: Any, above: Any, below: Any, columns: Any, counts: Any
) -> None:
    for j in range(start, stop):
        if alarm[0]:
            return
        x = X[:, columns[j]].copy()
        worse, tied = 0, 0
        for r in range(len(above)):
            worse += x[above[r]] < x[below[r]]
            tied += x[above[r]] == x[below[r]]
        counts[j, 0] = worse + tied
        counts[j, 1] = len(above) - worse


def _bad_sets(X: Any, above: Any, below: Any, columns: Any, signs: Any) -> Any:
    bad = np.zeros((len(columns), (len(above) + 63) // 64), dtype=np.uint64)
    share_out(_fill_bad, len(columns), X, above, below, columns, signs, bad)
    return bad


@njit(cache=True, nogil=True)
def _fill_bad(
    start: int, stop: int, alarm: Any, X: Any, above: Any, below: Any, columns: Any, signs: Any,
    bad: Any,
) -> None:  # fmt: skip
    n_rows, words = len(above), bad.shape[1]
    for f in range(start, stop):
        if alarm[0]:
            return
        x = X[:, columns[f]] * signs[f]
        for w in range(words):
            word = np.uint64(0)
            for bit in range(min(64, n_rows - 64 * w)):
                r = 64 * w + bit
                if x[above[r]] <= x[below[r]]:
                    word |= np.uint64(1) << np.uint64(bit)
            bad[f, w] = word


@njit(cache=True, nogil=True)
def _fill_good(start: int, stop: int, alarm: Any, bad: Any, n_rows: int, good: Any) -> None:
    n_signed = len(bad)
    for block in range(start, stop):
        if alarm[0]:
            return
        for f in range(64 * block, min(64 * block + 64, n_signed)):
            bit = np.uint64(1) << np.uint64(f & 63)
            for r in range(n_rows):
                if not (bad[f, r >> 6] >> np.uint64(r & 63)) & np.uint64(1):
                    good[r, block] |= bit
