"""Parts of an array in float64 that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fewest._types import FloatArray, IndexArray

# A block of converted columns should stay in the second-level cache.
BLOCK_VALUES = 1 << 17
# A tile of converted values: how many, and how many of them in a row as they lie in memory.
_TILE_VALUES, _TILE_LENGTH = 1 << 16, 4096


def block_width(n_samples: int) -> int:
    """How many converted columns of so many samples make a block."""
    return max(16, BLOCK_VALUES // max(1, n_samples))


def split_columns(n_samples: int, n_features: int) -> Iterator[IndexArray]:
    """All columns, one block that fits into the cache at a time."""
    width = block_width(n_samples)
    for start in range(0, n_features, width):
        yield np.arange(start, min(start + width, n_features))


def float_tiles(
    X: Any, index: IndexArray | None = None
) -> Iterator[tuple[slice, slice, FloatArray]]:
    """X (or its columns with these indices) tile by tile in float64, along its order in memory.

    Slices of rows and of columns (places in `index`) come with each tile, whose array is used again
    for the next one. This is about as fast as a pass over data that are float64 already.
    """
    n_rows, n_columns = X.shape[0], X.shape[1] if index is None else len(index)
    by_columns = abs(X.strides[0]) < abs(X.strides[1])
    length = min(_TILE_LENGTH, n_rows if by_columns else n_columns)
    other = max(1, _TILE_VALUES // max(1, length))
    height, width = (length, other) if by_columns else (other, length)
    height, width = min(height, n_rows), min(width, n_columns)
    buffer = np.empty(height * width)
    for top in range(0, n_rows, max(1, height)):
        rows = slice(top, min(top + height, n_rows))
        for left in range(0, n_columns, max(1, width)):
            block = slice(left, min(left + width, n_columns))
            part = X[rows, block] if index is None else X[rows, index[block]]
            values = buffer[: part.size].reshape(part.shape, order="F" if by_columns else "C")
            values[...] = part
            yield rows, block, values
