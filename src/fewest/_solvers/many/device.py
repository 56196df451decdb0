"""A matrix in the memory of a device, such as a graphics processor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from fewest._solvers.columns.matrix import Matrix, Moments, share_weights, without_rounding
from fewest._solvers.many.arrays import arrays_like, is_out_of_memory
from fewest._types import BoolArray, FloatArray, IndexArray

# Bytes that a block of columns in double precision may take, and the fewest columns of a block.
_BLOCK_BYTES, _NARROWEST = 1 << 28, 256

_Found = TypeVar("_Found")


class DeviceMatrix(Matrix):
    """A two-dimensional array of torch, CuPy or another library of the array API.

    It stays where it is. Whoever asks gets numpy arrays in double precision.
    """

    name = "X on the device"

    def __init__(self, data: Any) -> None:
        self.array = data
        self.arrays = arrays_like(data)
        self.shape = (int(data.shape[0]), int(data.shape[1]))
        self.dtype = _numpy_type(str(data.dtype).rpartition(".")[2])
        self.ndim = 2
        self._block_bytes = _BLOCK_BYTES

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Some rows, on the device; or, with columns after a comma, a numpy array of them."""
        rows, columns = key if isinstance(key, tuple) else (key, None)
        part = self if isinstance(rows, slice) and rows == slice(None) else self.rows(rows)
        return part if columns is None else part.take(np.arange(self.shape[1])[columns])

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(
            "X lies on a device, and this needs it in memory: copy it there first, by "
            "X.cpu().numpy() for torch or cupy.asnumpy(X)"
        )

    def products(self, V: FloatArray) -> FloatArray:
        of_device = self.arrays.put(np.ascontiguousarray(V.reshape(len(V), -1), dtype=np.float64))
        parts = [self.arrays.fetch(block.T @ of_device) for _, block in self.float_blocks()]
        return np.concatenate(parts).reshape(self.shape[1], *V.shape[1:])

    def moments(
        self, sample_weight: FloatArray | None = None, codes: IndexArray | None = None
    ) -> Moments:
        n, d = self.shape
        weight = self.arrays.put(share_weights(n, sample_weight)[None])
        mean, variance = np.empty(d), np.empty(d)
        for part, block in self.float_blocks():
            centre = weight @ block
            centred = block - centre
            mean[part] = self.arrays.fetch(centre)[0]
            variance[part] = self.arrays.fetch(weight @ (centred * centred))[0]
            wrong = np.flatnonzero(~np.isfinite(mean[part]))
            if len(wrong):
                raise ValueError(
                    f"column {part.start + wrong[0]} of {self.name} contains NaN or infinity"
                )
        return Moments(mean, without_rounding(mean, variance, n))

    def combine(
        self, index: IndexArray, weights: FloatArray, mean: FloatArray, far: BoolArray
    ) -> FloatArray:
        total, width = np.zeros(self.shape[0]), self.block_width(self.shape[0])
        for start in range(0, len(index), width):
            part = slice(start, start + width)
            total += (self.take(index[part]) - mean[part]) @ weights[part]
        return total

    def take(self, index: IndexArray) -> FloatArray:
        return np.asfortranarray(self.take_as_rows(index).T, dtype=np.float64)

    def take_as_rows(self, index: IndexArray) -> Any:
        """The columns with these indices, in memory, one per row, of their own type."""
        part = self.arrays.take(self.array, index, 1)
        return np.ascontiguousarray(self.arrays.fetch(part).T)

    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        return np.array(self.take(features)[rows])

    def rows(self, rows: Any) -> DeviceMatrix:
        index = np.arange(self.shape[0])[rows]
        return DeviceMatrix(self.arrays.take(self.array, index, 0))

    def keep(self, features: IndexArray) -> DeviceMatrix:
        return DeviceMatrix(self.arrays.take(self.array, features, 1))

    def float_blocks(self, precision: str = "float64") -> Iterator[tuple[slice, Any]]:
        """All columns on the device, a block at a time, with their places."""
        width = self.block_width(self.shape[0])
        for start in range(0, self.shape[1], width):
            part = slice(start, min(start + width, self.shape[1]))
            yield part, self.arrays.cast(self.array[:, part], precision)

    def block_width(self, height: int) -> int:
        """How many columns of so many values in double precision a block has."""
        return min(self.shape[1], max(_NARROWEST, self._block_bytes // (8 * max(1, height))))

    def with_less_memory(self, work: Callable[[], _Found]) -> _Found:
        """What `work` returns; with smaller blocks, again and again, if memory is too small."""
        while True:
            try:
                return work()
            except Exception as error:  # every library has its own
                if not is_out_of_memory(error) or self._block_bytes < 1 << 20:
                    raise
                self._block_bytes //= 4
            self.arrays.free()


def _numpy_type(name: str) -> Any:
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = np.dtype(object)
    if dtype.kind not in "fiub":
        raise ValueError(
            f"X on the device holds values of type {name}: convert them to float32 or float64 first"
        )
    return dtype
