"""Prices of many problems where X is an array in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest._solvers.columns import Columns, weighted_moments
from fewest._solvers.linear.vertex import ctrl_c
from fewest._solvers.many.crew import Crew
from fewest._solvers.many.largest import keep_largest, trim_to_largest
from fewest._solvers.many.prices import Best, inverse_of
from fewest._types import FloatArray, IndexArray

# Values of X per block, and products per block: both should stay in the cache.
_BLOCK_VALUES, _BLOCK_PRODUCTS = 1 << 16, 1 << 17
# How many problems advance together: by multiplications per product, and by threads.
_CHUNK_WORK, _FEWEST, _MOST = 1 << 33, 8, 64
# Below this ratio of variance to mean square, the difference of sums has lost half its digits.
_CANCELLATION = 1e-6


class HostPrices:
    """Products with a dense X in memory, which is not copied; blocks of columns at a time."""

    rough_rounds = False  # of two passes, the first is rough, and the second decides

    def __init__(self, columns: Columns, crew: Crew) -> None:
        self._X: Any = columns.X
        self.mean, self.inverse_scale = columns.mean, columns.inverse_scale
        self.n_samples, self.n_features = columns.n_samples, columns.n_features
        self._crew = crew
        size = max(1, self.n_samples * self.n_features)
        self.most_at_once = max(_FEWEST, min(_CHUNK_WORK // size, _MOST * crew.size))

    def find_start(
        self, V: FloatArray, count: int, scales: FloatArray | None = None
    ) -> list[IndexArray]:
        found = self.find_above(V, np.zeros(len(V)), count, scales=scales, rough=True)
        return [best.index for best in found]

    def find_above(
        self,
        V: FloatArray,
        thresholds: FloatArray,
        count: int,
        *,
        scales: FloatArray | None = None,
        rough: bool = False,
    ) -> list[Best]:
        parts = [
            (
                V[part],
                thresholds[part].copy(),
                count,
                None if scales is None else scales[part],
                rough,
            )
            for part in self._crew.shares(len(V))
        ]
        return [one for found in self._crew.map(self._find_best, parts) for one in found]

    def _find_best(
        self,
        V: FloatArray,
        thresholds: FloatArray,
        count: int,
        scales: FloatArray | None,
        rough: bool,
    ) -> list[Best]:
        dtype = np.float32 if rough else np.float64
        V = V.astype(dtype)
        room = min(2 * count, count + self.n_features)
        index = np.empty((len(V), room), dtype=np.int64)
        price = np.empty((len(V), room))
        filled = np.zeros(len(V), dtype=np.int64)
        is_complete = np.ones(len(V), dtype=np.bool_)
        width = self._width(len(V))
        products = np.empty((len(V), width), dtype=dtype)
        for start in range(0, self.n_features, width):
            block = slice(start, min(start + width, self.n_features))
            out = products[:, : block.stop - start]
            if out.shape[1] < width:
                out = np.empty(out.shape, dtype=dtype)
            np.matmul(V, np.asarray(self._X[:, block], dtype=dtype), out=out)
            scale = self.inverse_scale[None, block] if scales is None else scales[:, block]
            with ctrl_c():
                keep_largest(
                    out, scale, start, thresholds, index, price, filled, count, is_complete
                )
        trim_to_largest(thresholds, index, price, filled, count, is_complete)
        return [
            Best(index[place, : filled[place]].copy(), bool(is_complete[place]))
            for place in range(len(V))
        ]

    def measure_scales(self, members: FloatArray) -> Any:
        scales = np.empty((len(members), self.n_features), dtype=np.float32)
        parts = [(members[part], scales[part]) for part in self._crew.shares(len(members))]
        self._crew.map(self._measure_scales, parts)
        return scales

    def _measure_scales(self, members: FloatArray, scales: Any) -> None:
        share = members / members.sum(axis=1, keepdims=True)
        width = self._width(len(members))
        doubtful: list[list[IndexArray]] = [[] for _ in members]
        for start in range(0, self.n_features, width):
            block = slice(start, min(start + width, self.n_features))
            # Centred over all samples, so that the mean over some of them is small.
            values = self._X[:, block] - self.mean[block]
            mean = share @ values
            values *= values
            square = share @ values
            mean *= mean
            variance = square - mean
            square *= _CANCELLATION
            unsure = variance <= square
            scales[:, block] = inverse_of(np.where(unsure, 0.0, variance))
            if unsure.any():
                for place in np.flatnonzero(unsure.any(axis=1)).tolist():
                    doubtful[place].append(start + np.flatnonzero(unsure[place]))
        for place, found in enumerate(doubtful):
            if found:
                index = np.concatenate(found)
                rows = np.flatnonzero(members[place])
                _, variance = weighted_moments(self._X[np.ix_(rows, index)])
                scales[place, index] = inverse_of(variance)

    def pick_scales(self, scales: Any, places: IndexArray) -> Any:
        return scales[places]

    def gather(self, wanted: Sequence[IndexArray]) -> list[FloatArray]:
        return self._crew.map(self._gather, [(index,) for index in wanted])

    def _gather(self, index: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self._X[:, index].T, dtype=np.float64)

    def _width(self, n_problems: int) -> int:
        width = min(_BLOCK_VALUES // self.n_samples, _BLOCK_PRODUCTS // max(1, n_problems))
        return max(64, width // 16 * 16)
