"""Arrays and sparse matrices in HDF5 files and zarr folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from fewest._solvers.columns import Source
from fewest._sparse import check_sparse
from fewest._types import IndexArray
from fewest._wording import visible
from fewest.stores._files import FileSource
from fewest.stores._raw import RawSource, check_matrix
from fewest.tables._errors import InputError
from fewest.tables._hdf5_chunks import ChunkCheck

Opener = Callable[[Path], Any]  # the file or folder as a group with arrays and attributes
_KINDS = {"csr_matrix": True, "csc_matrix": False}  # whether compressed by rows


class _Kept(FileSource):
    """Opens its file once per process."""

    def __init__(
        self, path: Path, key: str, opener: Opener, shape: tuple[int, int], dtype: Any
    ) -> None:
        super().__init__(path, f", {key}" if key else "", shape, dtype)
        self._key, self._opener = key, opener
        self._node: Any = None
        self._checks: dict[str, ChunkCheck] = {}  # of what was read of an HDF5 file

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_node": None, "_checks": {}}

    @property
    def node(self) -> Any:
        if self._node is None:
            file = self._opener(self.path)
            self._node = file[self._key] if self._key else file
        return self._node

    def check_chunks(self, array: Any, *parts: slice) -> None:
        """Raise if a chunk of HDF5 does not hold what it should: zarr looks itself."""
        if not hasattr(array, "id") or array.chunks is None:
            return
        if array.name not in self._checks:
            self._checks[array.name] = ChunkCheck(array)
        self._checks[array.name].check_part(array, *parts)


class ArraySource(_Kept):
    """A dense array in chunks."""

    def __init__(self, path: Path, key: str, opener: Opener, array: Any, memory: int) -> None:
        super().__init__(path, key, opener, tuple(array.shape), array.dtype)
        chunks = getattr(array, "chunks", None)
        self._chunk = chunks or (1, self.shape[1])
        # zarr decodes all chunks of a block in threads of its own, each of which keeps its memory.
        self._one_by_one = not hasattr(array, "id")
        self.cut(memory, self._chunk, may_split=chunks is None)

    def read(self, rows: slice, columns: slice) -> Any:
        if not self._one_by_one:
            self.check_chunks(self.node, rows, columns)
            return np.asarray(self.node[rows, columns])
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        block = np.empty(shape, dtype=self.dtype)
        for down in _pieces(rows, self._chunk[0]):
            for across in _pieces(columns, self._chunk[1]):
                place = (_shift(down, rows.start), _shift(across, columns.start))
                block[place] = self.node[down, across]
        return block


def _pieces(part: slice, step: int) -> Iterator[slice]:
    """The parts of a run that lie in one chunk each."""
    start = part.start
    while start < part.stop:
        stop = min(part.stop, (start // step + 1) * step)
        yield slice(start, stop)
        start = stop


def _shift(part: slice, start: int) -> slice:
    return slice(part.start - start, part.stop - start)


class CompressedSource(_Kept):
    """A sparse matrix as AnnData writes it: data, indices and indptr."""

    def __init__(self, path: Path, key: str, opener: Opener, group: Any, memory: int) -> None:
        shape = tuple(int(size) for size in group.attrs["shape"])
        super().__init__(path, key, opener, (shape[0], shape[1]), group["data"].dtype)
        self._by_rows = _KINDS[group.attrs["encoding-type"]]
        self._pointers = np.asarray(group["indptr"][:], dtype=np.int64)
        self._check_pointers(group["data"].shape[0], group["indices"].shape[0])
        self.memory = memory
        stored = memory // (self.dtype.itemsize + group["indices"].dtype.itemsize)
        edges = _cut_stored(self._pointers, max(1, stored))
        whole = np.array([0, self.shape[1] if self._by_rows else self.shape[0]])
        self.row_edges, self.column_edges = (edges, whole) if self._by_rows else (whole, edges)
        self.column_grain = self.shape[1] if self._by_rows else 1

    def _check_pointers(self, n_values: int, n_indices: int) -> None:
        pointers, line = self._pointers, "row" if self._by_rows else "column"
        length = self.shape[0 if self._by_rows else 1]
        problem = ""
        falls = np.flatnonzero(np.diff(pointers) < 0)
        if len(pointers) != length + 1:
            problem = f"it has {len(pointers):,} index pointers for {length:,} {line}s"
        elif pointers[0] != 0:
            problem = "its index pointers do not begin with zero"
        elif len(falls):
            problem = f"its index pointers decrease at {line} {falls[0] + 1:,}"
        elif not pointers[-1] == n_values == n_indices:
            problem = (
                f"its index pointers count {pointers[-1]:,} values, but {n_values:,} values and "
                f"{n_indices:,} indices are stored"
            )
        if problem:
            raise InputError(f"{self.name} is no valid sparse matrix: {problem}. Write it again.")

    def read(self, rows: slice, columns: slice) -> Any:
        lines, across = (rows, columns) if self._by_rows else (columns, rows)
        pointers = self._pointers[lines.start : lines.stop + 1]
        stored = slice(int(pointers[0]), int(pointers[-1]))
        for part in ("data", "indices"):
            self.check_chunks(self.node[part], stored)
        width = self.shape[1 if self._by_rows else 0]
        shape = (lines.stop - lines.start, width)
        kind = sparse.csr_matrix if self._by_rows else sparse.csc_matrix
        block = kind(
            (self.node["data"][stored], self.node["indices"][stored], pointers - pointers[0]),
            shape=shape if self._by_rows else shape[::-1],
        )
        if across.stop - across.start == width:
            return block
        check_sparse(block, "it")  # before its indices are used
        return block[:, across] if self._by_rows else block[across]


def _cut_stored(pointers: IndexArray, most: int) -> IndexArray:
    """Edges of runs of rows (or columns) with so many stored values, one of them at least."""
    edges, last = [0], len(pointers) - 1
    while edges[-1] < last:
        reached = int(np.searchsorted(pointers, pointers[edges[-1]] + most, side="right")) - 1
        edges.append(min(last, max(edges[-1] + 1, reached)))
    return np.array(edges)


def find_source(path: Path, key: str, opener: Opener, node: Any, memory: int) -> Source:
    """The source of an array or of a sparse group."""
    name = f"{visible(path)}, {key}" if key else visible(path)
    kind = str(node.attrs.get("encoding-type", ""))
    if kind in _KINDS:
        check_matrix(name, tuple(node.attrs["shape"]), node["data"].dtype)
        return CompressedSource(path, key, opener, node, memory)
    if not hasattr(node, "shape"):
        raise InputError(f"{name} is a group, not a matrix: name one that it holds (key).")
    check_matrix(name, node.shape, node.dtype)
    raw = _find_raw(path, key, node, memory)
    return ArraySource(path, key, opener, node, memory) if raw is None else raw


def _find_raw(path: Path, key: str, node: Any, memory: int) -> RawSource | None:
    """The bytes of an HDF5 dataset that lies in its file as it is; None if it does not."""
    if getattr(node, "chunks", True) is not None or getattr(node, "external", None):
        return None
    offset = node.id.get_offset()
    if offset is None:
        return None
    what = f", {key}"
    raw = RawSource(
        path, what, node.shape, node.dtype, offset=offset, by_columns=False, memory=memory
    )
    first = raw.read(slice(0, 1), slice(0, node.shape[1]))
    return raw if np.array_equal(first, node[:1], equal_nan=first.dtype.kind == "f") else None
