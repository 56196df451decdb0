"""A numpy array of any type and order, or a memory map."""

from __future__ import annotations

from typing import Any

import numpy as np

from fewest._solvers.columns.matrix import (
    ClassMeans,
    Matrix,
    Moments,
    are_few,
    share_weights,
    without_rounding,
)
from fewest._solvers.columns.tiles import float_tiles
from fewest._types import BoolArray, FloatArray, IndexArray

# Below this ratio of variance to mean square, sum(x^2) - n mean^2 has lost more than four digits.
_CANCELLATION = 1e-4
# From here on the compiled sweep, two to three times as fast, makes up for the half second (and
# the memory) that loading the compiler takes.
_WORTH_COMPILING = 1 << 26


class DenseMatrix(Matrix):
    """An array as it is: not copied, and converted to float64 a tile at a time."""

    is_in_memory = True

    def __init__(self, data: Any) -> None:
        self._data = data
        self.shape, self.dtype = data.shape, data.dtype

    @property
    def data(self) -> Any:
        return self._data

    def products(self, V: FloatArray) -> FloatArray:
        X = self._data
        if _blas_ready(X):
            return np.ascontiguousarray((V.T @ X).T)
        out = np.zeros((X.shape[1], *V.shape[1:]))
        for rows, block, values in float_tiles(X):
            out[block] += values.T @ V[rows]
        return out

    def moments(
        self, sample_weight: FloatArray | None = None, codes: IndexArray | None = None
    ) -> Moments:
        X, n = self._data, self.shape[0]
        if sample_weight is None and _blas_ready(X):
            return _fast_moments(X, codes if are_few(codes) else None)
        mean, variance = _centred_moments(X, share_weights(n, sample_weight))
        return Moments(mean, without_rounding(mean, variance, n))

    def combine(
        self, index: IndexArray, weights: FloatArray, mean: FloatArray, far: BoolArray
    ) -> FloatArray:
        total = np.zeros(self.shape[0])
        everything = len(index) == self.shape[1] and _is_ascending(index)
        for rows, block, values in float_tiles(self._data, None if everything else index):
            values -= mean[block]
            total[rows] += values @ weights[block]
        return total

    def take(self, index: IndexArray) -> FloatArray:
        X = self._data
        if len(index) == X.shape[1] and _is_ascending(index):
            return np.array(X, dtype=np.float64, order="F")  # all of them: no need to gather
        return np.asarray(X[:, index], dtype=np.float64, order="F")

    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        part = self._data[rows]
        if len(features) < self.shape[1]:
            part = part[:, features]
        return np.array(part, dtype=np.float64)

    def rows(self, rows: Any) -> DenseMatrix:
        return DenseMatrix(self._data[rows])

    def keep(self, features: IndexArray) -> DenseMatrix:
        return DenseMatrix(self._data[:, features])


def _is_ascending(index: IndexArray) -> bool:
    return bool(np.all(index[1:] > index[:-1]))


def _blas_ready(X: Any) -> bool:
    return bool(X.dtype == np.float64 and (X.flags.c_contiguous or X.flags.f_contiguous))


def _fast_moments(X: Any, codes: IndexArray | None = None) -> Moments:
    """Mean, variance and class means by one sweep; where digits cancel, again with care."""
    n = X.shape[0]
    sizes = np.array([n]) if codes is None else np.bincount(codes)
    everyone = np.zeros(n, dtype=np.intp)
    # Values near the limit of the type overflow here; they are among those computed again.
    with np.errstate(over="ignore", invalid="ignore"):
        values, square = _average_classes(X, everyone if codes is None else codes, sizes)
        mean = (sizes / n) @ values
        square /= n
        variance = np.square(mean)
        np.subtract(square, variance, out=variance)
        square *= _CANCELLATION  # infinite ones are not below it either
        doubtful = np.flatnonzero(~(variance > square))
        class_means = None
        if codes is not None:
            class_means = ClassMeans(codes, sizes, values)
    if len(doubtful):
        mean[doubtful], careful = _centred_moments(X, np.full(n, 1.0 / n), doubtful)
        variance[doubtful] = without_rounding(mean[doubtful], careful, n)
    return Moments(mean, variance, class_means)


def _average_classes(X: Any, codes: IndexArray, sizes: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Means of every column over each class (one row per class), and sums of the squares."""
    if X.size >= _WORTH_COMPILING:
        from fewest._solvers.class_sums import sum_classes

        values, squares = sum_classes(X, codes, len(sizes))
        values /= sizes[:, None]
        return values, squares
    members = (codes == np.arange(len(sizes))[:, None]) / sizes[:, None]
    return members @ X, np.einsum("ij,ij->j", X, X)


def _centred_moments(
    X: Any, weight: FloatArray, index: IndexArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance by two sweeps over X: safe for any offset."""
    n_columns = X.shape[1] if index is None else len(index)
    mean, variance = np.zeros(n_columns), np.zeros(n_columns)
    for rows, block, values in float_tiles(X, index):
        mean[block] += weight[rows] @ values
    for rows, block, values in float_tiles(X, index):
        values -= mean[block]
        values *= values
        variance[block] += weight[rows] @ values
    return mean, variance
