"""What all files that are read in blocks share: how they are cut, and whether they changed."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from fewest._solvers.columns import BlockError, Source
from fewest._types import IndexArray
from fewest._wording import visible

_USUAL_BLOCK_MB = 64.0
# One block is worked on, one is read, and one is on its way; as much again holds columns.
_PARTS = 4


def settle_memory(max_memory: float | None) -> int:
    """Bytes of one block: a part of `max_memory`, or what FEWEST_BLOCK_MB says."""
    if max_memory is not None:
        if not max_memory >= 1:
            raise ValueError(f"max_memory must be a number of bytes above zero; got {max_memory!r}")
        return max(1, int(max_memory / _PARTS))
    text = os.environ.get("FEWEST_BLOCK_MB", "")
    try:
        size = float(text) if text else _USUAL_BLOCK_MB
    except ValueError:
        size = math.nan
    if not 0.0 < size < math.inf:
        raise ValueError(f"FEWEST_BLOCK_MB must be a number above zero, not {text!r}")
    return max(1, int(size * 2**20))


class FileSource(Source):
    """A source in a file; it is opened where it is read, so it may travel to other processes."""

    def __init__(self, path: Path, what: str, shape: tuple[int, int], dtype: Any) -> None:
        self.path = path
        self.name = f"{visible(path)}{what}"
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._stamp = _stamp(path)

    def cut(self, memory: int, chunk: tuple[int, int], *, may_split: bool = False) -> None:
        """Set the edges of blocks: whole chunks, as tall as possible, then as wide as possible."""
        self.memory = memory
        height, width = find_block(self.shape, chunk, memory // self.dtype.itemsize, may_split)
        self.row_edges = edges_of(self.shape[0], height)
        self.column_edges = edges_of(self.shape[1], width)
        self.column_grain = min(width, chunk[1])

    def check_unchanged(self) -> None:
        if _stamp(self.path) != self._stamp:
            raise BlockError(
                f"{visible(self.path)} was changed while it was read: open it again once nobody "
                "writes to it"
            )


def _stamp(path: Path) -> tuple[int, int] | None:
    """Size and time of the last change; a folder has neither."""
    try:
        found = path.stat()
    except OSError as error:
        raise BlockError(f"{visible(path)} cannot be read: {error.strerror or error}") from error
    return None if path.is_dir() else (found.st_size, found.st_mtime_ns)


def find_block(
    shape: tuple[int, int], chunk: tuple[int, int], n_values: int, may_split: bool = False
) -> tuple[int, int]:
    """Rows and columns of a block of whole chunks with so many values, or of one chunk.

    Without chunks of their own (`may_split`), data may be cut anywhere.
    """
    n, d = shape
    height, width = min(chunk[0], n), min(chunk[1], d)
    if may_split and height * width > n_values:
        if height >= width:
            return max(1, n_values // width), width
        return height, max(1, n_values // height)
    height = min(n, height * max(1, n_values // (height * width)))
    width = min(d, width * max(1, n_values // (height * width))) if height == n else width
    return height, width


def edges_of(length: int, step: int) -> IndexArray:
    """Where blocks of this length begin, and where the last one ends."""
    return np.append(np.arange(0, length, step), length)
