"""Farkas vectors that rule out sets of features even if some samples are wrong, and their store.

A Farkas vector of a set of columns averages both classes to one point, so one of its samples is
wrong on these columns. It says the same of every signed set whose members are all bad on it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import ClassPair, sign_labels
from fewest.minimum._clock import Clock
from fewest.minimum._cover import members
from fewest.minimum._dominance import DominanceBits
from fewest.minimum._hitting import UNMET, find_hitting_set, meet_all, pack_samples
from fewest.minimum._leaves import RuledOut, Separation, settle_pair

_MOST_NODES = 1_000_000


class VectorPool:
    """Farkas vectors, the signed features that are bad on them, and their samples, as bits."""

    def __init__(self, X: FloatArray, y: IndexArray, bits: DominanceBits) -> None:
        self._X, self._y, self._bits = X, y, bits
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
            with_plus, with_minus = vector.bad_on(self._X, self._y)
            columns = self._bits.columns
            is_bad = np.where(self._bits.signs > 0, with_plus[columns], with_minus[columns])
            self.bad[is_bad, place // 64] |= np.uint64(1) << np.uint64(place % 64)
            self.supports[place] = pack_samples(vector.samples, len(self._y))
            self.vectors.append(vector)
            self._of_columns.setdefault(vector.columns, []).append(vector)

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
        verdict = meet_all(
            self.supports, listed, n_listed, graph, bits.few, bits.many, most, removed,
            _MOST_NODES,
        )  # fmt: skip
        return bool(verdict == UNMET)


def settle_with_errors(
    X: FloatArray,
    y: IndexArray,
    columns: tuple[int, ...],
    most: int,
    known: Iterable[RuledOut],
    clock: Clock,
) -> Separation | list[RuledOut] | None:
    """Decide whether columns leave at most `most` samples wrong, and prove it.

    Samples that meet all known vectors are left out. If the others cannot be separated, there are
    further vectors, and so on, until the others are separated or no `most` samples meet all
    vectors. None: time was up.
    """
    vectors = list(known)
    n = len(y)
    supports = [pack_samples(vector.samples, n) for vector in vectors]
    while True:
        table = np.array(supports, dtype=np.uint64).reshape(len(supports), -(-n // 64))
        hit = find_hitting_set(table, most)
        if hit is None:
            return vectors
        left = np.setdiff1d(np.arange(n), hit)
        fresh = []
        while len(np.unique(y[left])) == 2:
            if clock.is_over:
                return None
            answer = settle_pair(X, ClassPair(0, (0, 1), left, sign_labels(y[left])), columns)
            if not isinstance(answer, RuledOut):
                break
            fresh.append(answer)
            left = np.setdiff1d(left, answer.samples)
        if not fresh:
            return separate_others(X, y, columns, np.array(hit, dtype=np.intp))
        vectors += fresh
        supports += [pack_samples(vector.samples, n) for vector in fresh]


def separate_others(
    X: FloatArray, y: IndexArray, columns: tuple[int, ...], wrong: IndexArray
) -> Separation:
    """Columns with weights that separate all samples but those given, which must be possible."""
    left = np.setdiff1d(np.arange(len(y)), wrong)
    omitted = tuple(sorted(int(sample) for sample in wrong))
    if len(np.unique(y[left])) < 2:
        return Separation(columns, ((0,) * len(columns),), omitted)
    weights = settle_pair(X, ClassPair(0, (0, 1), left, sign_labels(y[left])), columns)
    if isinstance(weights, RuledOut):
        raise RuntimeError("samples that lie on both sides of a line cannot be separated by it")
    return Separation(columns, (weights,), omitted)
