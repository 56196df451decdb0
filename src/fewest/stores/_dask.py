"""Dask arrays: prices are computed where the chunks lie, and only the columns that are used travel.

One pass sends v to the workers, and one number per feature comes back. Chunks may be numpy arrays
or SciPy's sparse matrices, by rows, by columns or both; they are read, or kept in the memory of the
cluster, as the array says. A chunk whose worker is lost is made again by another one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from scipy import sparse

from fewest._run.sharing import StaysHereError, explain_losses
from fewest._solvers.columns import Blocked, ClassMeans, Moments, Source
from fewest._solvers.columns.blocked import Span, cut
from fewest._solvers.columns.matrix import are_few, share_weights, without_rounding
from fewest._types import BoolArray, FloatArray, IndexArray
from fewest.stores import _chunks
from fewest.stores._chunks import Place

# Arrays up to this many bytes are part of each piece of work; larger ones are sent by themselves.
_SMALL = 1 << 16
# So many results of chunks are added up at a time, on the workers.
_FAN_IN = 8


def wrap_dask_array(array: Any) -> DaskMatrix:
    """The array as the solvers see it; an error says what is wrong with it."""
    return DaskMatrix(DaskSource(array))


class DaskSource(Source):
    """The chunks of a Dask array as blocks."""

    def __init__(self, array: Any) -> None:
        _check(array)
        self.name = "the Dask array"
        self.shape = (int(array.shape[0]), int(array.shape[1]))
        self.dtype = array.dtype
        self.row_edges, self.column_edges = (np.append(0, np.cumsum(c)) for c in array.chunks)
        self.chunks = array.to_delayed()
        self._client = _find_client()

    def compute(self, work: list[Any]) -> tuple[Any, ...]:
        """The results, by the cluster of the beginning; by threads where there was none."""
        import dask

        with explain_losses():
            if self._client is None:
                return dask.compute(*work)
            if self._client.status != "running":  # Dask would go on without it
                raise CancelledError("the client is no longer connected")
            return dask.compute(*work, scheduler=self._client)

    def read(self, rows: slice, columns: slice) -> Any:
        """A part of the array, in the memory of this computer."""
        matrix = DaskMatrix(self, np.arange(self.shape[0])[rows])
        return matrix.take(np.arange(self.shape[1])[columns])


class DaskMatrix(Blocked):
    """All of a Dask array, or some of its rows and columns; workers do what grows with them."""

    source: DaskSource

    def __reduce__(self) -> Any:
        raise StaysHereError(
            "X is a Dask array, and its cluster already works on all parts of it, so fits run "
            "one after another. Leave n_jobs as it is (None), or use threads"
        )

    def products(self, V: FloatArray) -> FloatArray:
        given = [_hand_over(V[rows.places]) for rows in self._row_spans]
        work = [
            _reduce(
                [
                    self._ask(_chunks.multiply, rows, columns, part)
                    for rows, part in zip(self._row_spans, given, strict=True)
                ],
                _chunks.add,
            )
            for columns in self._column_spans
        ]
        out = np.zeros((self.shape[1], *V.shape[1:]))
        for columns, part in zip(self._column_spans, self.source.compute(work), strict=True):
            out[columns.places] = part
        return out

    def moments(
        self, sample_weight: FloatArray | None = None, codes: IndexArray | None = None
    ) -> Moments:
        n, d = self.shape
        weight = share_weights(n, sample_weight)
        codes = codes if sample_weight is None and are_few(codes) else None
        sizes = np.empty(0, dtype=np.intp) if codes is None else np.bincount(codes)
        given: list[tuple[Any, Any]] = []
        for rows in self._row_spans:
            members = None
            if codes is not None:
                of_each = codes[rows.places] == np.arange(len(sizes))[:, None]
                members = _hand_over(of_each.astype(np.float64))
            given.append((_hand_over(weight[rows.places]), members))
        work = [
            _reduce(
                [
                    self._ask(_chunks.summarize, rows, columns, *parts)
                    for rows, parts in zip(self._row_spans, given, strict=True)
                ],
                _chunks.join_moments,
            )
            for columns in self._column_spans
        ]
        mean, variance, values = np.zeros(d), np.zeros(d), np.zeros((len(sizes), d))
        for columns, found in zip(self._column_spans, self.source.compute(work), strict=True):
            mean[columns.places] = found.mean
            variance[columns.places] = found.squares / (found.weight or 1.0)
            if codes is not None:
                values[:, columns.places] = found.class_sums / sizes[:, None]
        class_means = None if codes is None else ClassMeans(codes, sizes, values)
        return Moments(mean, without_rounding(mean, variance, n), class_means)

    def combine(
        self, index: IndexArray, weights: FloatArray, mean: FloatArray, far: BoolArray
    ) -> FloatArray:
        total = np.zeros(self.shape[0])
        other = self._known.missing(index)  # the others were fetched before
        known = np.delete(np.arange(len(index)), other)
        if len(known):
            total += (self.take(index[known]) - mean[known]) @ weights[known]
        if not len(other):
            return total
        weights, mean, far = weights[other], mean[other], far[other]
        spans = cut(self.source.column_edges, self._feature_numbers(index[other]))
        given = [[_hand_over(part[span.places]) for part in (weights, mean, far)] for span in spans]
        work = [
            _reduce(
                [
                    self._ask(_chunks.combine, rows, columns, *parts)
                    for columns, parts in zip(spans, given, strict=True)
                ],
                _chunks.add,
            )
            for rows in self._row_spans
        ]
        for rows, part in zip(self._row_spans, self.source.compute(work), strict=True):
            total[rows.places] += part
        return total

    def _read_columns(self, index: IndexArray) -> FloatArray:
        spans = cut(self.source.column_edges, self._feature_numbers(index))
        pairs = [(rows, columns) for rows in self._row_spans for columns in spans]
        found = np.empty((self.shape[0], len(index)), order="F")
        every_row, every_column = np.arange(self.shape[0]), np.arange(len(index))
        parts = self.source.compute([self._ask(_chunks.fetch, *pair) for pair in pairs])
        for (rows, columns), part in zip(pairs, parts, strict=True):
            where = np.ix_(every_row[rows.places], every_column[columns.places])
            found[where] = part.toarray() if sparse.issparse(part) else part
        return found

    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        if not len(self._known.missing(features)):
            return np.ascontiguousarray(self.take(features)[rows])
        return self.rows(rows).take(features)

    def rows(self, rows: Any) -> DaskMatrix:
        every = np.arange(self.source.shape[0]) if self._rows is None else self._rows
        return DaskMatrix(self.source, every[rows], self._features)

    def keep(self, features: IndexArray) -> DaskMatrix:
        every = np.arange(self.source.shape[1]) if self._features is None else self._features
        return DaskMatrix(self.source, self._rows, every[features])

    def _ask(self, work: Callable[..., Any], rows: Span, columns: Span, *given: Any) -> Any:
        """A piece of work on one chunk, which is not begun yet."""
        from dask import delayed

        row_edges, column_edges = self.source.row_edges, self.source.column_edges
        shape = (_length(row_edges, rows.number), _length(column_edges, columns.number))
        place = Place(
            self._block_name(rows, columns),
            shape,
            _inside(rows, row_edges),
            _inside(columns, column_edges),
        )
        chunk = self.source.chunks[rows.number - 1, columns.number - 1]
        return delayed(work, pure=False)(chunk, place, *given)


def _check(array: Any) -> None:
    """Raise unless it is a table of numbers whose chunks are known."""
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"X is a Dask array of shape {array.shape}: it must have one row per sample and one "
            "column per feature"
        )
    if any(np.isnan(size) for sizes in array.chunks for size in sizes):
        raise ValueError(
            "X is a Dask array whose chunk sizes are not known, so its samples cannot be told "
            "apart. Find them first: X = X.compute_chunk_sizes()"
        )
    if array.dtype.kind not in "biuf":
        raise ValueError(
            f"X is a Dask array of type {array.dtype}: its values must be numbers. Convert it "
            "first: X = X.astype('float64')"
        )


def _length(edges: IndexArray, number: int) -> int:
    return int(edges[number] - edges[number - 1])


def _inside(span: Span, edges: IndexArray) -> Any:
    """What is wanted of a chunk, counted from its beginning."""
    start = span.start - int(edges[span.number - 1])
    if span.chosen is None:
        return slice(start, start + span.length)
    return span.chosen + start


def _hand_over(values: Any) -> Any:
    """An array for several pieces of work: a large one goes to the cluster only once."""
    if values.nbytes <= _SMALL:
        return values
    from dask import delayed

    return delayed(values, pure=False)


def _reduce(work: Sequence[Any], join: Callable[[list[Any]], Any]) -> Any:
    """The joined results, in a fixed order; they are joined on the workers."""
    from dask import delayed

    while len(work) > 1:
        work = [
            group[0] if len(group) == 1 else delayed(join, pure=False)(group)
            for group in _groups(work)
        ]
    return work[0]


def _groups(work: Sequence[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(work), _FAN_IN):
        yield list(work[start : start + _FAN_IN])


def _find_client() -> Any:
    """The client of the cluster that is connected, if there is one."""
    if "distributed" not in sys.modules:
        return None
    from distributed import get_client

    try:
        return get_client()
    except ValueError:  # there is none
        return None
