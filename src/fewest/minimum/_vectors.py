"""Farkas vectors that rule out sets of features even if some samples are wrong, and their store.

A Farkas vector of a set of columns averages both classes to one point, so one of its samples is
wrong on these columns. It says the same of every signed set whose members are all bad on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import ClassPair, pair_classes, sign_labels
from fewest.minimum._clock import Clock
from fewest.minimum._cover import members
from fewest.minimum._dominance import DominanceBits
from fewest.minimum._hitting import (
    UNKNOWN,
    UNMET,
    count_nodes,
    meet_all,
    meet_in_time,
    pack_samples,
)
from fewest.minimum._leaves import SMALLEST, RuledOut, Separation, Signs, as_integers
from fewest.minimum._simplex import settle_quickly


class VectorPool:
    """Farkas vectors, the signed features that are bad on them, and their samples, as bits.

    `bits` are about two classes, those with the `labels` where there are others: features are
    marked as bad on their vectors only.
    """

    def __init__(
        self,
        X: FloatArray,
        y: IndexArray,
        bits: DominanceBits,
        labels: tuple[int, int] | None = None,
    ) -> None:
        self._labels = labels
        self._X, self._y, self._bits = X, y, bits
        self._rows = np.ascontiguousarray(X[:, bits.columns] * bits.signs)
        self.vectors: list[RuledOut] = []
        self._of_columns: dict[tuple[int, ...], list[RuledOut]] = {}
        self.bad: NDArray[np.uint64] = np.zeros((bits.n_signed, 1), dtype=np.uint64)
        self.supports: NDArray[np.uint64] = np.zeros((64, -(-len(y) // 64)), dtype=np.uint64)

    def add(self, vectors: Iterable[RuledOut]) -> None:
        """One more bit per signed feature and vector."""
        for vector in vectors:
            place = len(self.vectors)
            if place >= 64 * self.bad.shape[1]:
                more = max(1, self.bad.shape[1] // 2)
                empty = np.zeros((len(self.bad), more), dtype=np.uint64)
                self.bad = np.hstack([self.bad, empty])
                self.supports = np.vstack(
                    [self.supports, np.zeros((64 * more, self.supports.shape[1]), np.uint64)]
                )
            if self._labels is None or vector.classes(self._y) == self._labels:
                self._mark(vector, place)
            self.supports[place] = pack_samples(vector.samples, len(self._y))
            self.vectors.append(vector)
            self._of_columns.setdefault(vector.columns, []).append(vector)

    def _mark(self, vector: RuledOut, place: int) -> None:
        """Set the bits of signed features that are bad; rounding is settled in whole numbers."""
        samples, bits = list(vector.samples), self._bits
        labels = self._y[samples]
        shares = np.array(vector.shares, dtype=object) * np.where(labels == labels.max(), 1, -1)
        scaled = (shares / max(vector.shares)).astype(np.float64)
        doubtful = np.empty(bits.n_signed, dtype=np.int64)
        count = _mark_bad(self._rows, np.array(samples), scaled, place, self.bad, doubtful)
        for f in doubtful[:count].tolist():
            exact = shares @ as_integers(self._X[samples, bits.columns[f]])
            if int(bits.signs[f]) * exact <= 0:  # more digits than 64 bits hold
                self.bad[f, place // 64] |= np.uint64(1) << np.uint64(place % 64)

    def of_columns(self, columns: tuple[int, ...]) -> list[RuledOut]:
        """The vectors that were found for just these columns."""
        return list(self._of_columns.get(columns, ()))

    def rules_out(self, places: NDArray[np.int64], most: int, first: int = 0) -> bool:
        """Whether signed features leave more errors by the pool's vectors and pairs of samples.

        Nothing is tested if no vector has been added since there were `first` of them.
        """
        if len(self.vectors) == first:
            return False
        bits = self._bits
        graph = np.bitwise_and.reduce(bits.bad[places], axis=0)
        vectors = np.bitwise_and.reduce(self.bad[places], axis=0)
        listed = np.empty(64 * len(vectors), dtype=np.int64)
        n_listed = members(vectors, listed)
        removed = np.empty(self.supports.shape[1], dtype=np.uint64)
        n_nodes = count_nodes(n_listed * len(removed) + graph.size)
        verdict = meet_all(
            self.supports, listed, n_listed, graph, bits.few, bits.many, most, removed, n_nodes
        )
        return bool(verdict == UNMET)


@njit(cache=True)
def _mark_bad(rows: Any, samples: Any, v: Any, place: int, bad: Any, doubtful: Any) -> int:
    """Set the bits of signed features that are bad on a vector; lists those too close to say."""
    n_signed = rows.shape[1]
    totals, sizes, largest = np.zeros(n_signed), np.zeros(n_signed), np.zeros(n_signed)
    for k in range(len(samples)):
        row, share = rows[samples[k]], v[k]
        for f in range(n_signed):
            part = share * row[f]
            totals[f] += part
            sizes[f] += abs(part)
            largest[f] = max(largest[f], abs(row[f]))
    relative, absolute = (len(v) + 4) * 2.220446049250313e-16, len(v) * SMALLEST
    word, bit = place >> 6, np.uint64(1) << np.uint64(place & 63)
    count = 0
    for f in range(n_signed):
        doubt = relative * sizes[f] + absolute * (1.0 + largest[f])
        if totals[f] < -doubt:
            bad[f, word] |= bit
        elif totals[f] <= doubt:
            doubtful[count] = f
            count += 1
    return count


def settle_with_errors(
    X: FloatArray,
    y: IndexArray,
    columns: tuple[int, ...],
    most: int,
    known: Iterable[RuledOut],
    clock: Clock,
    signs: Signs | None = None,
) -> Separation | list[RuledOut] | None:
    """Decide whether columns leave at most `most` samples wrong, and prove it.

    Samples that meet all known vectors are left out. If the others of some two classes cannot be
    separated, there are further vectors, and so on, until the others are separated or no `most`
    samples meet all vectors. None: time was up.
    """
    vectors = list(known)
    n = len(y)
    supports = [pack_samples(vector.samples, n) for vector in vectors]
    while True:
        table = np.array(supports, dtype=np.uint64).reshape(len(supports), -(-n // 64))
        verdict, hit = meet_in_time(table, most, clock)
        if verdict == UNMET:
            return vectors
        if verdict == UNKNOWN:
            return None
        fresh: list[RuledOut] = []
        weights = []
        for pair in pair_classes(np.delete(y, hit)):
            answer = _separate_pair(X, y, pair.labels, columns, hit, fresh, clock, signs)
            if answer is None:
                return None
            weights.append(answer)
        if not fresh:
            omitted = tuple(sorted(hit))
            return Separation(columns, tuple(weights) or ((0,) * len(columns),), omitted)
        vectors += fresh
        supports += [pack_samples(vector.samples, n) for vector in fresh]


def _separate_pair(
    X: FloatArray,
    y: IndexArray,
    labels: tuple[int, int],
    columns: tuple[int, ...],
    hit: list[int],
    fresh: list[RuledOut],
    clock: Clock,
    signs: Signs | None,
) -> tuple[int, ...] | None:
    """Weights for two classes without those that are hit, and without those of new vectors.

    The vectors, which have no sample in common, join `fresh`. None: time was up.
    """
    left = np.setdiff1d(np.flatnonzero((y == labels[0]) | (y == labels[1])), hit)
    while len(np.unique(y[left])) == 2:
        if clock.is_over:
            return None
        pair = ClassPair(0, labels, left, sign_labels(y[left]))
        answer = settle_quickly(X, pair, columns, signs)
        if not isinstance(answer, RuledOut):
            return answer
        fresh.append(answer)
        left = np.setdiff1d(left, answer.samples)
    return (0,) * len(columns)


def separate_others(
    X: FloatArray,
    y: IndexArray,
    columns: tuple[int, ...],
    wrong: IndexArray,
) -> Separation:
    """Columns with weights that separate all samples but those given, which must be possible."""
    omitted = tuple(sorted(int(sample) for sample in wrong))
    weights = []
    for pair in pair_classes(np.delete(y, wrong)):
        chosen = np.flatnonzero((y == pair.labels[0]) | (y == pair.labels[1]))
        left = np.setdiff1d(chosen, wrong)
        answer = settle_quickly(X, ClassPair(0, pair.labels, left, sign_labels(y[left])), columns)
        if isinstance(answer, RuledOut):
            raise RuntimeError("samples that lie on both sides of a line cannot be separated by it")
        weights.append(answer)
    return Separation(columns, tuple(weights) or ((0,) * len(columns),), omitted)
