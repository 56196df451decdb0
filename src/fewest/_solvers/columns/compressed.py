"""A sparse matrix, compressed by rows (CSR) or by columns (CSC)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from fewest._solvers.columns import tiles
from fewest._solvers.columns.matrix import Matrix, Moments, share_weights, without_rounding
from fewest._types import BoolArray, FloatArray, IndexArray

# Below this ratio of variance to mean square, sum(x^2) - n mean^2 has lost more than four digits.
_CANCELLATION = 1e-4


class SparseMatrix(Matrix):
    """A CSR or CSC matrix as it is; what is not float64 is converted slab by slab."""

    is_in_memory = True

    def __init__(self, data: Any) -> None:
        self._data = data
        self.shape, self.dtype = data.shape, data.dtype

    @property
    def data(self) -> Any:
        return self._data

    def products(self, V: FloatArray) -> FloatArray:
        return _products(self._data, V)

    def moments(
        self, sample_weight: FloatArray | None = None, codes: IndexArray | None = None
    ) -> Moments:
        weight = share_weights(self.shape[0], sample_weight)
        mean, variance = _moments(self._data, weight)
        return Moments(mean, without_rounding(mean, variance, self.shape[0]))

    def combine(
        self, index: IndexArray, weights: FloatArray, mean: FloatArray, far: BoolArray
    ) -> FloatArray:
        near = ~far
        total = _combine(self._data, index[near], weights[near])
        total -= mean[near] @ weights[near]
        far_away, width = np.flatnonzero(far), tiles.block_width(self.shape[0])
        for start in range(0, len(far_away), width):
            part = far_away[start : start + width]
            total += (self.take(index[part]) - mean[part]) @ weights[part]
        return total

    def take(self, index: IndexArray) -> FloatArray:
        return np.asarray(self._data[:, index].toarray(order="F"), dtype=np.float64, order="F")

    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        part = self._data[rows]
        if len(features) < self.shape[1]:
            part = part[:, features]
        return np.array(part.toarray(), dtype=np.float64)

    def rows(self, rows: Any) -> SparseMatrix:
        return SparseMatrix(self._data[rows])

    def keep(self, features: IndexArray) -> SparseMatrix:
        return SparseMatrix(self._data[:, features])

    def blocks(self) -> Iterator[tuple[IndexArray, FloatArray]]:
        by_columns = SparseMatrix(self._data.tocsc())  # of a CSR matrix, each takes a pass
        for index in tiles.split_columns(*self.shape):
            yield index, by_columns.take(index)


def _slabs(X: Any, *, square: bool = False) -> Iterator[tuple[slice, Any]]:
    """Rows of a CSR or columns of a CSC matrix, some at a time, in float64; or squared values.

    Places of the values are shared with X.
    """
    by_rows = X.format == "csr"
    length = X.shape[0] if by_rows else X.shape[1]
    wanted = max(tiles.BLOCK_VALUES, X.shape[1])  # a slab of rows adds to every column
    step = max(1, int(wanted * length // max(1, X.nnz)))
    kind = sparse.csr_matrix if by_rows else sparse.csc_matrix
    for start in range(0, length, step):
        part = slice(start, min(start + step, length))
        stored = slice(int(X.indptr[part.start]), int(X.indptr[part.stop]))
        size = part.stop - part.start
        pointers = X.indptr[part.start : part.stop + 1] - X.indptr[part.start]
        shape = (size, X.shape[1]) if by_rows else (X.shape[0], size)
        values = X.data[stored].astype(np.float64, copy=square)
        if square:
            values *= values
        yield part, kind((values, X.indices[stored], pointers), shape=shape)


def _replace_values(slab: Any, values: FloatArray) -> Any:
    """A matrix with other values at the same places."""
    return type(slab)((values, slab.indices, slab.indptr), shape=slab.shape)


def _products(X: Any, v: FloatArray, *, square: bool = False) -> FloatArray:
    """X^T v, or that of squared values; what has to be converted is slab by slab."""
    if X.dtype == np.float64 and not square:
        return np.asarray(X.T @ v, dtype=np.float64)
    by_rows, out = X.format == "csr", np.zeros((X.shape[1], *v.shape[1:]))
    for part, slab in _slabs(X, square=square):
        out[slice(None) if by_rows else part] += slab.T @ (v[part] if by_rows else v)
    return out


def _combine(X: Any, index: IndexArray, weights: FloatArray) -> FloatArray:
    """Weighted sum of some columns: of these alone in a CSC matrix, in a CSR one by one pass."""
    by_rows, total = X.format == "csr", np.zeros(X.shape[0])
    if by_rows:
        scattered = np.zeros(X.shape[1])
        scattered[index] = weights
        weights = scattered
    elif len(index) < X.shape[1]:
        X = X[:, index]
    if X.dtype == np.float64:
        return np.asarray(X @ weights).ravel()
    for part, slab in _slabs(X):
        if by_rows:
            total[part] = slab @ weights
        else:
            total += slab @ weights[part]
    return total


def _moments(X: Any, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of a CSR or CSC matrix; where digits cancel, computed again with care."""
    mean = _products(X, weight)
    # Values near the limit of the type overflow here; they are among those computed again.
    with np.errstate(over="ignore", invalid="ignore"):
        square = _products(X, weight, square=True)
        variance = square - mean * mean
        doubtful = np.flatnonzero(
            ((square > 0.0) & ~(variance > _CANCELLATION * square)) | ~np.isfinite(square)
        )
    if len(doubtful):
        everything = len(doubtful) == X.shape[1]
        part = X if everything else X[:, doubtful]
        variance[doubtful] = _centred_variance(part, weight, mean[doubtful])
    return mean, variance


def _centred_variance(X: Any, weight: FloatArray, mean: FloatArray) -> FloatArray:
    by_rows, even = X.format == "csr", bool(np.all(weight == weight[0]))
    variance, stored_weight = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    n_stored = np.zeros(X.shape[1], dtype=np.intp)
    for part, slab in _slabs(X):
        of_rows, columns = (weight[part], slice(None)) if by_rows else (weight, part)
        sizes = np.diff(slab.indptr)
        places = slab.indices if by_rows else np.repeat(np.arange(part.start, part.stop), sizes)
        centred = slab.data - mean[places]
        centred *= centred
        variance[columns] += _replace_values(slab, centred).T @ of_rows
        counts = np.bincount(slab.indices, minlength=X.shape[1]) if by_rows else sizes
        n_stored[columns] += counts
        if even:
            stored_weight[columns] += weight[0] * counts
        else:
            stored_weight[columns] += _replace_values(slab, np.ones(slab.nnz)).T @ of_rows
    # The entries that are not stored are zeros, at distance mean from the mean.
    absent = np.where(n_stored < X.shape[0], np.maximum(0.0, 1.0 - stored_weight), 0.0)
    return variance + absent * mean * mean
