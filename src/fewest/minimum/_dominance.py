"""Bit sets for searches that allow errors: which samples contradict each other on signed features?

A signed feature is bad on a pair of samples of both classes as in `_bits`. Samples that are wrong
may be left out, so some pairs may be bad for a whole set of features: those of a graph between the
two classes that a few samples cover. Here a signed feature is such a graph, one row of bits per
sample of the smaller class, and the graph of a set is the intersection of those of its members.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray
from fewest.minimum._bits import Words
from fewest.minimum._threads import share_out

_MOST_BYTES = 1 << 29  # of each of the two tables
_MOST_WORDS = 16
_BEST = 500  # signed features that show which samples are in many conflicts


class DominanceBits:
    """Signed features, those that leave the fewest errors first, and their graphs.

    `bad[f, r]` holds the samples of the larger class with which sample r of the smaller class is in
    conflict on signed feature f. `good[r, c]` holds the signed features on which r and c are not in
    conflict. Plus means that the second class has the higher values. Where the tables would be too
    large they hold some of the samples only: every bound from them is valid, but weaker.

    `y` is 0 and 1 for the samples of the two classes; others are left out. Columns that must have
    one sign (`signs`, one per column of X, 0: either) are here with it only. No two signed features
    of a set may have the same of `rivals`, and `price` is what each costs. `places` has where a
    column is, with a plus and with a minus (-1: nowhere). Several such tables `share` the memory.
    """

    def __init__(
        self,
        X: FloatArray,
        y: IndexArray,
        candidates: IndexArray,
        signs: NDArray[np.int8] | None = None,
        share: float = 1.0,
    ) -> None:
        groups = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
        rows = np.sort(np.concatenate(groups))
        counts = np.empty((len(candidates), 2), dtype=np.int64)
        share_out(count_single_errors, len(candidates), X, rows, y[rows], candidates, counts)
        order = np.argsort(counts.ravel(), kind="stable")
        if signs is not None:
            order = order[signs[candidates[order // 2]] * (1 - 2 * (order % 2)) >= 0]
        self.columns: IndexArray = candidates[order // 2]
        self.rivals: IndexArray = self.columns
        self.price: FloatArray = np.zeros(len(order))
        self.places = np.full((X.shape[1], 2), -1, dtype=np.int64)
        self.places[self.columns, order % 2] = np.arange(len(order))
        self.signs = np.where(order % 2 == 0, 1, -1).astype(np.int8)
        self.errors = counts.ravel()[order]
        self.n_signed = len(order)
        few, many = sorted(groups, key=len)
        direction = 1 if few is groups[1] else -1
        many = _spread(many, 64 * _MOST_WORDS)
        words = -(-len(many) // 64)
        per_row = max(words * 8, -(-len(many) // 8)) * max(1, self.n_signed)
        few = _spread(few, max(1, int(share * _MOST_BYTES) // per_row))
        self.bad: NDArray[np.uint64] = np.zeros((self.n_signed, len(few), words), dtype=np.uint64)
        # Samples in many conflicts first: greedy matchings then grow fast, and few features are
        # good on their edges.
        directed = self.signs * direction
        n_best = min(self.n_signed, _BEST)
        share_out(_fill_bad, n_best, X, few, many, self.columns, directed, self.bad)
        of_few, of_many = np.zeros(len(few), np.int64), np.zeros(len(many), np.int64)
        share_out(_count_conflicts, 1, self.bad[:n_best], of_few, of_many)
        self.few = few[np.argsort(-of_few, kind="stable")]
        self.many = many[np.argsort(-of_many, kind="stable")]
        few, many = self.few, self.many
        share_out(_fill_bad, self.n_signed, X, few, many, self.columns, directed, self.bad)
        self._good: NDArray[np.uint64] | None = None

    @property
    def good(self) -> Words:
        """The same table by pairs of samples, which only sets of three and more need."""
        if self._good is None:
            shape = (len(self.few), len(self.many), -(-self.n_signed // 64))
            good = np.zeros(shape, dtype=np.uint64)
            share_out(_transpose, good.shape[2], self.bad, good)
            self._good = good
        return self._good


def _spread(samples: IndexArray, most: int) -> IndexArray:
    """At most that many of the samples, from the whole list."""
    if len(samples) <= most:
        return samples
    return samples[np.linspace(0, len(samples) - 1, most).astype(np.intp)]


@njit(cache=True, nogil=True)
def count_single_errors(
    start: int, stop: int, alarm: Any, X: Any, rows: Any, y: Any, columns: Any, counts: Any
) -> None:
    """For each column, and a plus or a minus, the fewest errors of any threshold.

    With a plus, the second class lies above the threshold. No sample lies on a threshold.
    """
    n = len(y)
    n_second = 0
    for i in range(n):
        n_second += y[i]
    for j in range(start, stop):
        if alarm[0]:
            return
        x = X[:, columns[j]][rows]
        order = np.argsort(x)
        # All lie above the threshold at first: the first class is wrong with a plus.
        wrong = n - n_second
        fewest, most = min(wrong, n_second), max(wrong, n_second)
        for place in range(n):
            wrong += 1 if y[order[place]] == 1 else -1
            if place + 1 < n and x[order[place]] == x[order[place + 1]]:
                continue
            fewest, most = min(fewest, wrong), max(most, wrong)
        counts[j, 0], counts[j, 1] = fewest, n - most


@njit(cache=True, nogil=True)
def _fill_bad(
    start: int, stop: int, alarm: Any, X: Any, few: Any, many: Any, columns: Any, signs: Any,
    bad: Any,
) -> None:  # fmt: skip
    for f in range(start, stop):
        if alarm[0]:
            return
        x = X[:, columns[f]] * signs[f]
        others = x[many]
        for r in range(len(few)):
            own = x[few[r]]
            for w in range(bad.shape[2]):
                word = np.uint64(0)
                for c in range(64 * w, min(64 * w + 64, len(many))):
                    word |= np.uint64(own <= others[c]) << np.uint64(c & 63)
                bad[f, r, w] = word


@njit(cache=True, nogil=True)
def _count_conflicts(
    start: int, stop: int, alarm: Any, bad: Any, of_few: Any, of_many: Any
) -> None:
    """For each sample of either class, its conflicts on the best features."""
    for f in range(len(bad)):
        if alarm[0]:
            return
        for r in range(len(of_few)):
            for c in range(len(of_many)):
                if (bad[f, r, c >> 6] >> np.uint64(c & 63)) & np.uint64(1):
                    of_few[r] += 1
                    of_many[c] += 1


@njit(cache=True, nogil=True)
def _transpose(start: int, stop: int, alarm: Any, bad: Any, good: Any) -> None:
    for block in range(start, stop):
        for f in range(64 * block, min(64 * block + 64, len(bad))):
            if alarm[0]:
                return
            bit = np.uint64(1) << np.uint64(f & 63)
            for r in range(good.shape[0]):
                for c in range(good.shape[1]):
                    if not (bad[f, r, c >> 6] >> np.uint64(c & 63)) & np.uint64(1):
                        good[r, c, block] |= bit
