"""The data as the solvers see it: standardised columns that are never stored.

Column j stands for (x_j - mean_j) / scale_j. Prices X^T v are computed on X as it is (any order,
float or integer type, memory map, CSR or CSC) and corrected afterwards; only the few columns that
enter a linear program are ever made explicit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from fewest._types import FloatArray, IndexArray

# A block of converted columns should stay in the second-level cache.
_BLOCK_VALUES = 1 << 17
# Below this ratio of variance to mean square, sum(x^2) - n mean^2 has lost half its digits.
_CANCELLATION = 1e-6


class Columns:
    """Implicitly standardised columns of X.

    `mean` and `inverse_scale` hold one value per column. Columns to be ignored (constant ones) have
    an inverse scale of zero: their price is zero, and they are never selected.
    """

    def __init__(self, X: Any, mean: FloatArray, inverse_scale: FloatArray) -> None:
        self.X = X
        self.mean = mean
        self.inverse_scale = inverse_scale
        self.n_samples, self.n_features = X.shape

    @property
    def n_usable(self) -> int:
        """How many columns are not constant."""
        return int(np.count_nonzero(self.inverse_scale))

    def price(self, v: FloatArray) -> FloatArray:
        """Inner product of every standardised column with v: one pass over X."""
        raw = column_products(self.X, v)
        total = v.sum()
        if total != 0.0:
            raw -= self.mean * total
        raw *= self.inverse_scale
        return raw

    def combine(self, weights: FloatArray) -> FloatArray:
        """Weighted sum of the standardised columns; reads only those with a weight."""
        used = np.flatnonzero(weights)
        width = _block_width(self.n_samples)
        total = np.zeros(self.n_samples)
        for start in range(0, len(used), width):
            part = used[start : start + width]
            total += self.take(part) @ weights[part]
        return total

    def take(self, index: IndexArray) -> FloatArray:
        """The columns with these indices, standardised, as a dense float64 array."""
        block = _dense_columns(self.X, index)
        block -= self.mean[index]
        block *= self.inverse_scale[index]
        return block

    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        """These samples on these columns, standardised, as a dense float64 array."""
        part = self.X[rows]
        if len(features) < self.n_features:
            part = part[:, features]
        block = np.array(part.toarray() if sparse.issparse(part) else part, dtype=np.float64)
        block -= self.mean[features]
        block *= self.inverse_scale[features]
        return block

    def blocks(self) -> Iterator[tuple[IndexArray, FloatArray]]:
        """All columns, standardised, one block that fits into the cache at a time, numbered."""
        width = _block_width(self.n_samples)
        for start in range(0, self.n_features, width):
            index = np.arange(start, min(start + width, self.n_features))
            yield index, self.take(index)

    def subset(self, index: IndexArray) -> Columns:
        """The columns with these indices as a small data set of their own, standardised already."""
        return wrap_columns(self.take(index))


def scale_columns(
    X: Any, *, per_column: bool = True, sample_weight: FloatArray | None = None
) -> Columns:
    """Columns of X with weighted mean zero and weighted variance one.

    With `per_column=False` all columns share one scale, chosen so that their mean variance is one.
    Columns with values that are not finite, or whose squares overflow, have NaN as their scale.
    """
    mean, variance = weighted_moments(X, sample_weight)
    scale = np.sqrt(variance)
    usable = scale > 0.0
    if not per_column and usable.any():
        scale[usable] = np.sqrt(variance[usable].mean())
    inverse_scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=usable)
    inverse_scale[~np.isfinite(scale)] = np.nan
    return Columns(X, mean, inverse_scale)


def wrap_columns(X: Any) -> Columns:
    """Columns of X as they are."""
    return Columns(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


def column_products(X: Any, v: FloatArray) -> FloatArray:
    """X^T v in float64, without a converted copy of X."""
    if sparse.issparse(X):
        return np.asarray(X.T @ v, dtype=np.float64).ravel()
    if _blas_ready(X):
        return np.asarray(v @ X)
    out = np.empty(X.shape[1])
    for block, values in _float_blocks(X):
        out[block] = v @ values
    return out


def weighted_moments(
    X: Any, sample_weight: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of every column; the variance of a constant column is exactly zero."""
    n = X.shape[0]
    weight = np.full(n, 1.0 / n)
    if sample_weight is not None:
        weight = sample_weight / sample_weight.max()  # first, because the sum may overflow
        weight /= weight.sum()
    if not sparse.issparse(X) and _blas_ready(X) and sample_weight is None:
        return _fast_moments(X, weight)
    mean, variance = (_sparse_moments if sparse.issparse(X) else _centred_moments)(X, weight)
    return mean, _without_rounding(mean, variance, n)


def _fast_moments(X: Any, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two sweeps without a temporary; columns whose digits cancel are computed again with care."""
    n = X.shape[0]
    mean = np.asarray(weight @ X)
    # Values near the limit of the type overflow here; they are among those computed again.
    with np.errstate(over="ignore", invalid="ignore"):
        square = np.einsum("ij,ij->j", X, X)  # needs no temporary
        square /= n
        variance = square - mean * mean
        doubtful = np.flatnonzero(~(variance > _CANCELLATION * square) | np.isinf(square))
    if len(doubtful):
        mean[doubtful], careful = _centred_moments(X, weight, doubtful)
        variance[doubtful] = _without_rounding(mean[doubtful], careful, n)
    return mean, variance


def _without_rounding(mean: FloatArray, variance: FloatArray, n: int) -> FloatArray:
    """Zero where the variance is no more than rounding makes of a constant column."""
    noise = n * np.finfo(np.float64).eps * np.abs(mean)
    return np.where(np.sqrt(variance) <= noise, 0.0, variance)


def _blas_ready(X: Any) -> bool:
    return bool(X.dtype == np.float64 and (X.flags.c_contiguous or X.flags.f_contiguous))


def _block_width(n_samples: int) -> int:
    return max(16, _BLOCK_VALUES // max(1, n_samples))


def _float_blocks(X: Any, index: IndexArray | None = None) -> Iterator[tuple[slice, FloatArray]]:
    """X (or its columns with these indices) block by block in float64."""
    n_columns = X.shape[1] if index is None else len(index)
    width = _block_width(X.shape[0])
    for start in range(0, n_columns, width):
        block = slice(start, min(start + width, n_columns))
        part = X[:, block] if index is None else X[:, index[block]]
        yield block, part.astype(np.float64, copy=False)


def _centred_moments(
    X: Any, weight: FloatArray, index: IndexArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance by two sweeps over each cached block: safe for any offset."""
    n_columns = X.shape[1] if index is None else len(index)
    mean, variance = np.empty(n_columns), np.empty(n_columns)
    for block, values in _float_blocks(X, index):
        mean[block] = weight @ values
        centred = values - mean[block]
        centred *= centred
        variance[block] = weight @ centred
    return mean, variance


def _sparse_moments(X: Any, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of a CSR or CSC matrix, slab by slab."""
    mean = column_products(X, weight)
    by_rows = X.format == "csr"
    length = X.shape[0] if by_rows else X.shape[1]
    per_slice = max(1, int(_BLOCK_VALUES * length // max(1, X.nnz)))
    variance = np.zeros(X.shape[1])
    stored_weight = np.zeros(X.shape[1])
    n_stored = np.zeros(X.shape[1], dtype=np.intp)
    for start in range(0, length, per_slice):
        part = slice(start, min(start + per_slice, length))
        slab = (X[part] if by_rows else X[:, part]).tocoo()
        rows = slab.row + (start if by_rows else 0)
        columns = slab.col + (0 if by_rows else start)
        centred = slab.data - mean[columns]
        np.add.at(variance, columns, weight[rows] * centred * centred)
        np.add.at(stored_weight, columns, weight[rows])
        n_stored += np.bincount(columns, minlength=X.shape[1])
    # The entries that are not stored are zeros, at distance mean from the mean.
    absent = np.where(n_stored < X.shape[0], np.maximum(0.0, 1.0 - stored_weight), 0.0)
    variance += absent * mean * mean
    return mean, variance


def _dense_columns(X: Any, index: IndexArray) -> FloatArray:
    if sparse.issparse(X):
        return np.asarray(X[:, index].toarray(), dtype=np.float64, order="F")
    if len(index) == X.shape[1] and np.all(index[1:] > index[:-1]):
        return np.array(X, dtype=np.float64, order="F")  # all of them: no need to gather
    return np.asarray(X[:, index], dtype=np.float64, order="F")
