"""Prices of many problems where X lies on a device.

The device computes the products, in single precision as long as they only look for columns that may
join, and in double precision for the last ones, which are the proof. What is large travels back: a
few columns per problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import Columns, weighted_moments
from fewest._solvers.many.crew import Crew
from fewest._solvers.many.device import DeviceMatrix
from fewest._solvers.many.prices import Best, inverse_of
from fewest._types import FloatArray, IndexArray

# To begin with, one column of each group of so many neighbours is enough.
_GROUP = 32
_CANCELLATION = 1e-6
# Columns that are fetched at a time, in bytes.
_FETCHED = 1 << 28


class DevicePrices:
    """Products with an X on a device, whose columns are standardised implicitly.

    `seconds` is how long the device was asked to work, columns that travel included.
    """

    rough_rounds = True
    most_at_once = 1024

    def __init__(self, columns: Columns, matrix: DeviceMatrix, crew: Crew) -> None:
        self._matrix, self._arrays, self._crew = matrix, matrix.arrays, crew
        self.mean, self.inverse_scale = columns.mean, columns.inverse_scale
        self.n_samples, self.n_features = columns.n_samples, columns.n_features
        self._scale = {
            precision: self._arrays.put(self.inverse_scale[None].astype(precision))
            for precision in ("float32", "float64")
        }
        self._mean = self._arrays.put(self.mean[None])
        self.seconds = 0.0
        self.n_products = 0

    def find_start(self, V: FloatArray, count: int, scales: Any = None) -> list[IndexArray]:
        return self._timed(partial(self._find_start, V, count, scales))

    def find_above(
        self,
        V: FloatArray,
        thresholds: FloatArray,
        count: int,
        *,
        scales: Any = None,
        rough: bool = False,
    ) -> list[Best]:
        return self._timed(partial(self._find_above, V, thresholds, count, scales, rough))

    def measure_scales(self, members: FloatArray) -> Any:
        return self._timed(partial(self._measure_scales, members))

    def pick_scales(self, scales: Any, places: IndexArray) -> Any:
        return self._arrays.take(scales, places, 0)

    def gather(self, wanted: Sequence[IndexArray]) -> list[FloatArray]:
        """Every column travels once, whoever wants it."""
        together = np.unique(np.concatenate(wanted)) if wanted else np.empty(0, dtype=np.int64)
        if not len(together):
            return [np.empty((0, self.n_samples)) for _ in wanted]
        rows = self._timed(partial(self._fetch, together))
        places = [(rows, np.searchsorted(together, index)) for index in wanted]
        return self._crew.map(_pick_rows, places)

    def _timed(self, work: Any) -> Any:
        started = perf_counter()
        try:
            return self._matrix.with_less_memory(work)
        finally:
            self.seconds += perf_counter() - started

    def _fetch(self, index: IndexArray) -> NDArray[Any]:
        step = max(1, _FETCHED // (8 * self.n_samples))
        parts = [
            self._matrix.take_as_rows(index[start : start + step])
            for start in range(0, len(index), step)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _prices(self, V: FloatArray, scales: Any, precision: str) -> Iterator[tuple[slice, Any]]:
        """|x_j . v| of all columns, one row per problem, a block of columns at a time."""
        arrays, X = self._arrays, self._matrix.array
        of_device = arrays.put(np.ascontiguousarray(V.astype(precision)))
        scale = self._scale[precision] if scales is None else scales
        width = self._matrix.block_width(max(V.shape))
        if width > _GROUP:
            width -= width % _GROUP
        for start in range(0, self.n_features, width):
            block = slice(start, min(start + width, self.n_features))
            prices = of_device @ arrays.cast(X[:, block], precision)
            yield block, arrays.xp.abs(prices) * arrays.cast(scale[:, block], precision)
        self.n_products += len(V)

    def _find_start(self, V: FloatArray, count: int, scales: Any) -> list[IndexArray]:
        arrays = self._arrays
        sizes, places = [], []
        for block, prices in self._prices(V, scales, "float32"):
            width = block.stop - block.start
            length = _GROUP if width >= _GROUP * count or self.n_features > width else 1
            even = width - width % length
            grouped = arrays.xp.reshape(prices[:, :even], (len(V), even // length, length))
            size, place = arrays.winners(grouped)
            first = np.arange(block.start, block.start + even, length)[None]
            sizes.append(size)
            places.append(place + arrays.put(first))
            if even < width:
                rest = np.tile(np.arange(block.start + even, block.stop)[None], (len(V), 1))
                sizes.append(prices[:, even:])
                places.append(arrays.put(rest))
            joined = arrays.join(sizes), arrays.join(places)
            if joined[0].shape[1] > count:  # the largest so far
                size, place = arrays.largest(joined[0], count)
                joined = size, arrays.take_along(joined[1], place)
            sizes, places = [joined[0]], [joined[1]]
        host_sizes, host_places = arrays.fetch(sizes[0]), arrays.fetch(places[0])
        return [
            place[size > 0.0].astype(np.int64)
            for size, place in zip(host_sizes, host_places, strict=True)
        ]

    def _find_above(
        self, V: FloatArray, thresholds: FloatArray, count: int, scales: Any, rough: bool
    ) -> list[Best]:
        arrays, precision = self._arrays, "float32" if rough else "float64"
        levels = arrays.put(thresholds[:, None].astype(precision))
        found: list[tuple[NDArray[Any], NDArray[Any]]] = []
        crowded = np.zeros(len(V), dtype=bool)
        for block, prices in self._prices(V, scales, precision):
            rows, columns = arrays.places_of(prices > levels)
            if len(rows) > count * len(V):  # too many to look at: the largest of each problem
                wanted = min(count, block.stop - block.start)
                size, place = (arrays.fetch(one) for one in arrays.largest(prices, wanted))
                is_above = size > thresholds[:, None]
                rows, columns = np.nonzero(is_above)[0], place[is_above]
                crowded |= is_above.all(axis=1) & (wanted < block.stop - block.start)
            if len(rows):
                found.append((rows, columns + block.start))
        if not found:
            return [Best(np.empty(0, dtype=np.int64), True) for _ in V]
        rows = np.concatenate([one for one, _ in found])
        index = np.concatenate([one for _, one in found]).astype(np.int64)
        order = np.argsort(rows, kind="stable")
        parts = np.split(index[order], np.cumsum(np.bincount(rows, minlength=len(V)))[:-1])
        return [Best(part, not full) for part, full in zip(parts, crowded.tolist(), strict=True)]

    def _measure_scales(self, members: FloatArray) -> Any:
        arrays, matrix = self._arrays, self._matrix
        share = arrays.put(members / members.sum(axis=1, keepdims=True))
        doubtful: list[list[IndexArray]] = [[] for _ in members]
        parts = []
        width = matrix.block_width(2 * max(members.shape))
        for start in range(0, self.n_features, width):
            block = slice(start, min(start + width, self.n_features))
            # Centred over all samples, so that the mean over some of them is small.
            values = arrays.cast(matrix.array[:, block], "float64") - self._mean[:, block]
            mean, square = share @ values, share @ (values * values)
            variance = square - mean * mean
            unsure = variance <= _CANCELLATION * square
            if bool(arrays.xp.any(unsure)):
                for place, column in zip(*arrays.places_of(unsure), strict=True):
                    doubtful[place].append(column + start)
            safe = arrays.xp.where(unsure, arrays.xp.ones_like(variance), variance)
            inverse = 1.0 / arrays.xp.sqrt(safe)
            inverse = arrays.xp.where(unsure, arrays.xp.zeros_like(inverse), inverse)
            parts.append(arrays.cast(inverse, "float32"))
        scales = arrays.join(parts)
        for place, columns in enumerate(doubtful):
            if columns:
                self._measure_again(scales, members[place], place, np.array(columns))
        return scales

    def _measure_again(
        self, scales: Any, members: FloatArray, place: int, index: IndexArray
    ) -> None:
        """Scales of columns whose sums of squares lost too many digits."""
        rows = np.flatnonzero(members)
        _, variance = weighted_moments(self._matrix.take(index)[rows])
        for column, value in zip(index.tolist(), inverse_of(variance).tolist(), strict=True):
            if value > 0.0:
                scales[place, column] = value


def _pick_rows(rows: NDArray[Any], places: IndexArray) -> FloatArray:
    return rows[places].astype(np.float64)
