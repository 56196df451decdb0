"""Data as the search needs them, and what single columns and samples show."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_X_y

from fewest._estimators.validation import encode_two_classes
from fewest._types import FloatArray, IndexArray
from fewest.minimum._leaves import Separation

_LARGEST = 1e100  # products of larger values may overflow
_BLOCK_WIDTH = 1024


def check_data(
    X: Any, y: ArrayLike, name: str = "minimum_features"
) -> tuple[FloatArray, FloatArray]:
    """X in doubles, column by column, and +1 (the second class in sorted order) or -1.

    X is copied unless it is like that already: the search reads single columns all the time.
    """
    X, y = check_X_y(X, y, accept_sparse=True, dtype=np.float64, order="F", ensure_min_samples=2)
    if sparse.issparse(X):
        X = X.toarray(order="F")
    _, codes = encode_two_classes(name, y)
    if np.abs(X).max() > _LARGEST:
        raise ValueError(f"X holds values above {_LARGEST:g}: rescale them")
    return X, np.where(codes == 1, 1.0, -1.0)


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


def separating_columns(X: FloatArray, y: FloatArray, columns: IndexArray) -> list[Separation]:
    """Columns on which all of one class lie above all of the other."""
    found = []
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    for start in range(0, len(columns), _BLOCK_WIDTH):
        block = columns[start : start + _BLOCK_WIDTH]
        plus, minus = X[np.ix_(positive, block)], X[np.ix_(negative, block)]
        rising = plus.min(axis=0) > minus.max(axis=0)
        falling = plus.max(axis=0) < minus.min(axis=0)
        for sign, separating in ((1, rising), (-1, falling)):
            found += [Separation((int(j),), (sign,)) for j in block[separating]]
    return sorted(found, key=lambda one: one.columns)
