"""A matrix that is read block by block, and never held as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from scipy import sparse

from fewest._solvers.columns.compressed import SparseMatrix
from fewest._solvers.columns.dense import DenseMatrix
from fewest._solvers.columns.gather import MomentSums, check_finite
from fewest._solvers.columns.matrix import Matrix, Moments
from fewest._solvers.columns.tiles import block_width
from fewest._types import BoolArray, FloatArray, IndexArray


class BlockError(ValueError):
    """A block of data could not be read, or holds what no data should."""


class Source(ABC):
    """Data outside memory that can be read a block of rows and columns at a time.

    `row_edges` and `column_edges` say where blocks begin and end: 0, ..., all. Blocks are read in
    order, by at most one thread at a time per pass. `column_grain` is the number of columns that
    are hardly faster to read than one of them (the width of a chunk). `memory` is the number of
    bytes that a block may take, and a store of columns read before.
    """

    name: str  # for messages
    shape: tuple[int, int]
    dtype: Any
    row_edges: IndexArray
    column_edges: IndexArray
    column_grain: int = 1
    memory: int = 1 << 26
    n_values_read: int = 0

    @property
    def n_passes(self) -> float:
        """How often all of the data were read so far, counted by values."""
        return self.n_values_read / max(1, self.shape[0] * self.shape[1])

    @abstractmethod
    def read(self, rows: slice, columns: slice) -> Any:
        """These rows of these columns, as an array or as a CSR or CSC matrix."""

    def pick(self, index: IndexArray) -> Any:
        """All rows of some ascending columns as an array; None where whole blocks are as good."""
        return None

    def check_unchanged(self) -> None:  # noqa: B027
        """Raise if the data are no longer those that were opened."""


@dataclass(frozen=True, eq=False)
class Span:
    """A run of rows or columns to read: `chosen` among it (None: all), with places in the result.

    `number` is that of the block, from one on.
    """

    number: int
    start: int
    stop: int
    chosen: IndexArray | None
    places: Any

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)

    @property
    def length(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, eq=False)
class _Tile:
    """A block that was read, narrowed to what is wanted of it."""

    rows: Any  # places among the wanted ones
    columns: Any
    block: Matrix
    name: str


class Blocked(Matrix):
    """All of a source, or some of its rows and columns, one block at a time.

    The next block is read while the last one is worked on. Few columns read before are kept.
    """

    def __init__(
        self, source: Source, rows: IndexArray | None = None, features: IndexArray | None = None
    ) -> None:
        self.source = source
        self._rows, self._features = rows, features
        n_rows = source.shape[0] if rows is None else len(rows)
        n_columns = source.shape[1] if features is None else len(features)
        self.shape, self.dtype = (n_rows, n_columns), source.dtype
        self._row_spans = cut(source.row_edges, rows)
        self._column_spans = cut(source.column_edges, features)
        self._known = _KnownColumns(source.memory)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Some rows, which are not read yet; or, with columns after a comma, an array of them."""
        rows, columns = key if isinstance(key, tuple) else (key, None)
        part = self if _is_everything(rows) else self.rows(rows)
        if columns is None or columns is ... or _is_everything(columns):
            return part
        return part.take(np.arange(self.shape[1])[columns])

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(
            f"{self.source.name} is read in blocks, and this needs all of it in memory. Use "
            "SupportFeatureMachine, SupportFeatureMachineCV, ZeroNormSVM or Liknon, or read the "
            "columns that matter first: X[:, columns]"
        )

    @property
    def ndim(self) -> int:
        return 2

    def products(self, V: FloatArray) -> FloatArray:
        out = np.zeros((self.shape[1], *V.shape[1:]))
        for tile in self._tiles(self._column_spans):
            out[tile.columns] += tile.block.products(V[tile.rows])
        return out

    def moments(
        self, sample_weight: FloatArray | None = None, codes: IndexArray | None = None
    ) -> Moments:
        sums = MomentSums(self.shape, sample_weight, codes)
        for tile in self._tiles(self._column_spans):
            sums.add(tile.block, tile.rows, tile.columns, tile.name)
        return sums.result()

    def combine(
        self, index: IndexArray, weights: FloatArray, mean: FloatArray, far: BoolArray
    ) -> FloatArray:
        total = np.zeros(self.shape[0])
        spans = cut(self.source.column_edges, self._feature_numbers(index))
        for tile in self._tiles(spans):
            part = tile.columns
            every = np.arange(tile.block.shape[1])
            total[tile.rows] += tile.block.combine(every, weights[part], mean[part], far[part])
        return total

    def take(self, index: IndexArray) -> FloatArray:
        index = np.asarray(index, dtype=np.intp)
        out = np.empty((self.shape[0], len(index)), order="F")
        missing = self._known.fill(out, index)
        if len(missing):
            wanted = np.unique(index[missing])
            found = self._read_columns(wanted)
            out[:, missing] = found[:, np.searchsorted(wanted, index[missing])]
            self._known.keep(wanted, found)
        return out

    def _read_columns(self, index: IndexArray) -> FloatArray:
        """Ascending columns; a run of neighbours is read at once."""
        numbers = self._feature_numbers(index)
        order = np.argsort(numbers, kind="stable")
        picked = self._pick(numbers[order])
        found = np.empty((self.shape[0], len(index)), order="F")
        if picked is not None:
            found[:, order] = picked if self._rows is None else picked[self._rows]
            return found
        for tile in self._tiles(self._runs(numbers)):
            check_finite(tile.block, tile.name)
            block = tile.block.take(np.arange(tile.block.shape[1]))
            rows, columns = np.arange(self.shape[0])[tile.rows], np.arange(len(index))[tile.columns]
            found[np.ix_(rows, columns)] = block
        return found

    def _pick(self, numbers: IndexArray) -> Any:
        self.source.check_unchanged()
        try:
            picked = self.source.pick(numbers)
        except (OSError, BlockError) as error:
            raise BlockError(f"columns of {self.source.name} could not be read: {error}") from error
        if picked is not None:
            self.source.n_values_read += picked.size
            if not np.isfinite(picked).all():
                raise BlockError(f"{self.source.name} holds values that are not finite")
        return picked

    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        numbers = np.arange(self.shape[0])[rows]
        missing = self._known.missing(features)
        if not len(missing):
            return np.ascontiguousarray(self.take(features)[numbers])
        own = numbers if self._rows is None else self._rows[numbers]
        return Blocked(self.source, own, self._features).take(features)

    def rows(self, rows: Any) -> Blocked:
        every = np.arange(self.source.shape[0]) if self._rows is None else self._rows
        return self._narrow(every[rows], self._features)

    def keep(self, features: IndexArray) -> Blocked:
        every = np.arange(self.source.shape[1]) if self._features is None else self._features
        return self._narrow(self._rows, every[features])

    def _narrow(self, rows: IndexArray | None, features: IndexArray | None) -> Blocked:
        """The same data, of which other rows and columns are wanted."""
        return Blocked(self.source, rows, features)

    def blocks(self) -> Iterator[tuple[IndexArray, FloatArray]]:
        n, d = self.shape
        wide = max(1, self.source.memory // (8 * max(1, n)))  # as many as memory allows per read
        width = block_width(n)
        for left in range(0, d, wide):
            block = self._read_columns(np.arange(left, min(left + wide, d)))
            for start in range(0, block.shape[1], width):
                part = block[:, start : start + width]
                yield np.arange(left + start, left + start + part.shape[1]), part

    def _feature_numbers(self, index: IndexArray) -> IndexArray:
        return index if self._features is None else self._features[index]

    def _runs(self, numbers: IndexArray) -> list[Span]:
        """Columns of the source in runs of neighbouring chunks, none longer than a block."""
        grain, edges = self.source.column_grain, self.source.column_edges
        chunks = np.unique(numbers // grain)
        cuts = {0, self.source.shape[1]}
        gaps = np.flatnonzero(np.diff(chunks) > 1)
        cuts.update((chunks[gaps + 1] * grain).tolist())
        wanted = np.unique(np.concatenate([np.array(sorted(cuts)), edges]))
        spans = cut(wanted, numbers)
        # The number that users know is that of the block.
        return [_renumber(span, edges) for span in spans]

    def _tiles(self, column_spans: list[Span]) -> Iterator[_Tile]:
        """Blocks in order, each narrowed; the next one is read in the meantime."""
        self.source.check_unchanged()
        jobs = [(rows, columns) for columns in column_spans for rows in self._row_spans]
        if len(jobs) < 2:
            yield from (self._read(*job) for job in jobs)
            return
        with ThreadPoolExecutor(max_workers=1) as pool:
            ahead = pool.submit(self._read, *jobs[0])
            try:
                for job in jobs[1:]:
                    tile = ahead.result()
                    ahead = pool.submit(self._read, *job)
                    yield tile
                    del tile  # or it would stay until the next one is there
                yield ahead.result()
            finally:
                ahead.cancel()

    def _read(self, rows: Span, columns: Span) -> _Tile:
        name = self._block_name(rows, columns)
        try:
            block = self.source.read(rows.slice, columns.slice)
        except BlockError as error:
            raise BlockError(f"{name}: {error}") from error
        except MemoryError:
            raise
        except Exception as error:  # every library for files has its own errors
            raise BlockError(
                f"{name} could not be read ({error}): the file may be damaged, or was changed "
                "while it was read. Write it again"
            ) from error
        if block.shape != (rows.length, columns.length):
            raise BlockError(
                f"{name} is {block.shape[0]:,} x {block.shape[1]:,} instead of {rows.length:,} x "
                f"{columns.length:,}: the file became shorter while it was read, or is damaged"
            )
        self.source.n_values_read += rows.length * columns.length
        is_sparse = sparse.issparse(block)
        matrix: Matrix = SparseMatrix(_check(block, name)) if is_sparse else DenseMatrix(block)
        if columns.chosen is not None:
            matrix = matrix.keep(columns.chosen)
        if rows.chosen is not None:
            matrix = matrix.rows(rows.chosen)
        return _Tile(rows.places, columns.places, matrix, name)

    def _block_name(self, rows: Span, columns: Span) -> str:
        """The block for people: its number in the order of reading, and what it holds."""
        down, across = len(self.source.row_edges) - 1, len(self.source.column_edges) - 1
        number = (columns.number - 1) * down + rows.number
        held = f"columns {columns.start + 1:,} to {columns.stop:,}"
        if down > 1:
            held = f"rows {rows.start + 1:,} to {rows.stop:,}, {held}"
        return f"block {number:,} of {down * across:,} of {self.source.name} ({held})"


class _KnownColumns:
    """Columns that were read before; the oldest go when they take too much memory."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._columns: OrderedDict[int, FloatArray] = OrderedDict()
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _KnownColumns, (self._most,)  # other processes begin with none

    def missing(self, index: IndexArray) -> IndexArray:
        """Places of those that are not known."""
        return np.array([k for k, j in enumerate(index) if int(j) not in self._columns], np.intp)

    def fill(self, out: FloatArray, index: IndexArray) -> IndexArray:
        """Write known columns to their places; the places of the others come back."""
        missing = []
        with self._lock:
            for place, number in enumerate(index.tolist()):
                column = self._columns.get(number)
                if column is None:
                    missing.append(place)
                else:
                    out[:, place] = column
                    self._columns.move_to_end(number)
        return np.array(missing, dtype=np.intp)

    def keep(self, index: IndexArray, block: FloatArray) -> None:
        """Copies of new columns, as many as there may be."""
        most = self._most // max(1, 8 * len(block))
        with self._lock:
            for place, number in enumerate(index[:most].tolist()):
                self._columns[number] = block[:, place].copy()
            while len(self._columns) > most:
                self._columns.popitem(last=False)


def _is_everything(key: Any) -> bool:
    return isinstance(key, slice) and key == slice(None)


def cut(edges: IndexArray, wanted: IndexArray | None) -> list[Span]:
    """The blocks between edges that hold something wanted, in order, narrowed to it."""
    if wanted is None:
        pairs = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        return [Span(k, a, b, None, slice(a, b)) for k, (a, b) in enumerate(pairs, 1) if a < b]
    if not len(wanted):
        return []
    numbers = np.searchsorted(edges, wanted, side="right") - 1
    order = np.argsort(numbers, kind="stable")
    spans = []
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    for start, stop in zip(starts, np.append(starts[1:], len(order)), strict=True):
        places = order[start:stop]
        inside = wanted[places]
        first, last = int(inside.min()), int(inside.max())
        chosen: IndexArray | None = inside - first
        if len(inside) == last - first + 1 and np.all(np.diff(inside) == 1):
            chosen = None
        spans.append(Span(int(numbers[places[0]]) + 1, first, last + 1, chosen, places))
    return spans


def _renumber(span: Span, edges: IndexArray) -> Span:
    number = int(np.searchsorted(edges, span.start, side="right"))
    return Span(number, span.start, span.stop, span.chosen, span.places)


def _check(block: Any, name: str) -> Any:
    """A sparse block whose indices are right, each place stored once."""
    from fewest._sparse import check_sparse

    check_sparse(block, name)
    if not block.has_canonical_format:
        block.sum_duplicates()
    return block
