"""Numbers that lie in a file as they are: .npy files, and HDF5 datasets without chunks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import BlockError
from fewest._types import IndexArray
from fewest._wording import visible
from fewest.stores._files import FileSource
from fewest.tables._errors import DamagedFileError, InputError
from fewest.tables._npy import parse_header

# A read of its own costs as much as so many bytes of a long one.
_BYTES_PER_READ = 1 << 14
_ADVICE = "Write it again with numpy.save(path, X)."


class RawSource(FileSource):
    """A dense matrix from a given byte of a file on, by rows (C order) or by columns (F order)."""

    def __init__(
        self,
        path: Path,
        what: str,
        shape: tuple[int, int],
        dtype: Any,
        *,
        offset: int,
        by_columns: bool,
        memory: int,
    ) -> None:
        super().__init__(path, what, shape, dtype)
        self._offset, self._by_columns = offset, by_columns
        missing = offset + self.dtype.itemsize * shape[0] * shape[1] - path.stat().st_size
        if missing > 0:
            raise InputError(
                f"{self.name} is {missing:,} bytes shorter than its header says: it was cut off. "
                "Write or copy it again."
            )
        self.cut(memory, (shape[0], 1) if by_columns else (1, shape[1]), may_split=True)

    def read(self, rows: slice, columns: slice) -> NDArray[Any]:
        if self._by_columns:
            return self._read_lines(columns, rows, self.shape[0]).T
        return self._read_lines(rows, columns, self.shape[1])

    def _read_lines(self, lines: slice, part: slice, length: int) -> NDArray[Any]:
        """Some values of consecutive rows (or columns) as they lie in the file."""
        values = np.empty((lines.stop - lines.start, part.stop - part.start), dtype=self.dtype)
        size = self.dtype.itemsize
        with self.path.open("rb", buffering=0) as file:
            if values.shape[1] == length:
                file.seek(self._offset + size * lines.start * length)
                _fill(file, values)
                return values
            for place, line in enumerate(range(lines.start, lines.stop)):
                file.seek(self._offset + size * (line * length + part.start))
                _fill(file, values[place])
        return values

    def pick(self, index: IndexArray) -> NDArray[Any] | None:
        """Columns of data by rows, value by value; None where that takes longer than a pass."""
        (n, d), size = self.shape, self.dtype.itemsize
        is_slow = len(index) * _BYTES_PER_READ > d * size or not hasattr(os, "pread")
        if self._by_columns or is_slow:
            return None
        found = np.empty((n, len(index)), dtype=self.dtype)
        places = (size * index).tolist()
        with self.path.open("rb", buffering=0) as file:
            number = file.fileno()
            for row in range(n):
                start = self._offset + size * row * d
                values = b"".join([os.pread(number, size, start + place) for place in places])
                if len(values) < size * len(places):
                    raise _TooShortError()
                found[row] = np.frombuffer(values, dtype=self.dtype)
        return found


class _TooShortError(BlockError):
    def __init__(self) -> None:
        super().__init__("the file ends early: it became shorter while it was read")


def _fill(file: Any, values: NDArray[Any]) -> None:
    """Read as many bytes as the array holds."""
    view: Any = memoryview(values.view(np.uint8).reshape(-1).data)
    done = 0
    while done < len(view):
        count = file.readinto(view[done:])
        if not count:
            raise _TooShortError()
        done += count


def open_npy(path: Path, memory: int) -> RawSource:
    """The matrix of an .npy file."""
    try:
        with path.open("rb") as file:
            shape, by_columns, dtype = parse_header(file, "its array")
            offset = file.tell()
    except ValueError as error:
        raise DamagedFileError(path, "an .npy file", error, _ADVICE) from error
    check_matrix(visible(path), shape, dtype)
    n, d = shape
    return RawSource(path, "", (n, d), dtype, offset=offset, by_columns=by_columns, memory=memory)


def check_matrix(name: str, shape: tuple[int, ...], dtype: Any) -> None:
    """Raise unless it is a table of numbers."""
    if len(shape) != 2 or min(shape) < 1 or np.dtype(dtype).kind not in "biuf":
        raise InputError(
            f"{name} has shape {tuple(shape)} and type {dtype}.\n"
            "It must be a table of numbers with one row per sample and one column per feature."
        )
