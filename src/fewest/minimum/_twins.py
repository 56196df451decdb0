"""Columns that are equal up to their sign, and samples that are equal in both classes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from fewest._types import FloatArray, IndexArray

_BLOCK_WIDTH = 1024


class Twins:
    """The first of every group of equal columns, and the others of the group.

    Only the first ones are searched: a smallest set never holds two columns of one group, and each
    can replace the other. Constant columns belong to no group.
    """

    def __init__(self, X: FloatArray) -> None:
        groups: dict[bytes, list[int]] = {}
        for start in range(0, X.shape[1], _BLOCK_WIDTH):
            block = X[:, start : start + _BLOCK_WIDTH].T.copy(order="C")
            varies = np.any(block != block[:, :1], axis=1)
            first = np.argmax(block != 0.0, axis=1)
            block *= np.sign(block[np.arange(len(block)), first])[:, None]
            block += 0.0  # makes one of the two zeros
            for place in np.flatnonzero(varies):
                groups.setdefault(block[place].tobytes(), []).append(start + int(place))
        self._members = {group[0]: group for group in groups.values()}
        self._first = {member: group[0] for group in groups.values() for member in group}
        self.firsts: IndexArray = np.array(sorted(self._members), dtype=np.intp)

    def copies(self, column: int) -> int:
        """How many columns equal this one, itself included."""
        return len(self._members[column])

    def leaders(self, columns: Iterable[int]) -> tuple[int, ...]:
        """The first column of each group that these columns belong to."""
        return tuple(sorted({self._first[int(column)] for column in columns}))

    def expand(self, columns: tuple[int, ...]) -> list[tuple[int, ...]]:
        """All sets that arise when columns are replaced by their equals."""
        return list(product(*(self._members[column] for column in columns)))


def conflicting_samples(X: FloatArray, y: FloatArray) -> tuple[int, int] | None:
    """A positive and a negative sample that are equal in every column, if there are any."""
    seen: dict[bytes, int] = {}
    for i in range(len(y)):
        row = (X[i] + 0.0).tobytes()
        other = seen.setdefault(row, i)
        if y[other] != y[i]:
            return (i, other) if y[i] > 0 else (other, i)
    return None
