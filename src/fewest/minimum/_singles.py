"""Single features: one pass over the columns."""

from __future__ import annotations

import numpy as np

from fewest._types import FloatArray, IndexArray
from fewest.minimum._leaves import Separation

_BLOCK_WIDTH = 1024


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
