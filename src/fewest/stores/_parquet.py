"""Parquet tables, some columns of some groups of rows at a time."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import listed, visible
from fewest.stores._files import FileSource, edges_of
from fewest.tables._errors import DamagedFileError, InputError, MissingPackageError


def open_parquet_file(path: Path) -> Any:
    """The file as pyarrow sees it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingPackageError(path, "pyarrow") from error
    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        advice = "Write it again, for example with pandas.DataFrame.to_parquet."
        raise DamagedFileError(path, "a Parquet file", error, advice) from error


class ParquetSource(FileSource):
    """The columns of numbers, without those named as labels."""

    def __init__(self, path: Path, labels: Collection[str], memory: int) -> None:
        import pyarrow.types as kinds

        file = open_parquet_file(path)
        schema = file.schema_arrow
        unknown = [name for name in labels if name not in schema.names]
        if unknown:
            raise InputError(f"{visible(path)} has no column {listed(unknown)}.")
        numbers = [
            field
            for field in schema
            if field.name not in labels
            and (
                kinds.is_floating(field.type)
                or kinds.is_integer(field.type)
                or kinds.is_boolean(field.type)
            )
        ]
        self.names = [field.name for field in numbers]
        # What pandas keeps as its index is no feature.
        self.names = [name for name in self.names if not name.startswith("__index_level_")]
        if not self.names:
            raise InputError(f"{visible(path)} has no columns of numbers beside its labels.")
        small = all(str(field.type) in ("float", "halffloat") for field in numbers)
        dtype = np.float32 if small else np.float64
        n_rows = file.metadata.num_rows
        super().__init__(path, "", (n_rows, len(self.names)), dtype)
        if not n_rows:
            raise InputError(f"{visible(path)} has no rows.")
        self._file, self._lock = file, Lock()
        sizes = [file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)]
        self._groups = np.append(0, np.cumsum([size for size in sizes if size]))
        self._numbers = [k for k, size in enumerate(sizes) if size]
        self.memory = memory
        n_values = max(1, memory // self.dtype.itemsize)
        # Groups of rows are read whole; as many together as leave room for a few columns.
        self.row_edges = _join(self._groups, max(int(np.diff(self._groups).max()), n_values // 64))
        tallest = int(np.diff(self.row_edges).max())
        self.column_edges = edges_of(len(self.names), max(1, n_values // tallest))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_file": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _file=open_parquet_file(state["path"]), _lock=Lock())

    def read(self, rows: slice, columns: slice) -> NDArray[Any]:
        first = int(np.searchsorted(self._groups, rows.start, side="right")) - 1
        last = int(np.searchsorted(self._groups, rows.stop, side="left"))
        names = self.names[columns]
        with self._lock:  # classes may be fitted at the same time
            table = self._file.read_row_groups(self._numbers[first:last], columns=names)
        values = np.empty((table.num_rows, len(names)), dtype=self.dtype, order="F")
        for place, name in enumerate(names):
            values[:, place] = table.column(name).to_numpy()  # a missing value is NaN
        start = int(self._groups[first])
        return values[rows.start - start : rows.stop - start]


def _join(edges: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Edges without those between groups that are small together."""
    kept = [0]
    for left, right in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if right - kept[-1] > most and left > kept[-1]:
            kept.append(left)
    kept.append(int(edges[-1]))
    return np.array(kept)
