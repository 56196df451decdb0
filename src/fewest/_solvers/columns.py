"""The data as the solvers see it: standardised columns that are never stored.

Column j stands for (x_j - mean_j) / scale_j. Prices X^T v are computed on X as it is (any order,
float or integer type, memory map, CSR or CSC) and corrected afterwards; only the few columns that
enter a linear program are ever made explicit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fewest._types import FloatArray, IndexArray

# A block of converted columns should stay in the second-level cache.
_BLOCK_VALUES = 1 << 17
# A tile of converted values: how many, and how many of them in a row as they lie in memory.
_TILE_VALUES, _TILE_LENGTH = 1 << 16, 4096
# Beyond this mean, in standard deviations, a product with X as it is loses digits that count.
_FAR = 1e3
# Below this ratio of variance to mean square, sum(x^2) - n mean^2 has lost half its digits.
_CANCELLATION = 1e-6
# The means of this many classes are computed together, in hardly more time than one mean.
_MOST_CLASSES = 8
# With this many values the compiled sweep, twice as fast, is worth loading the compiler once.
_WORTH_COMPILING = 1 << 22


class Columns:
    """Implicitly standardised columns of X.

    `mean` and `inverse_scale` hold one value per column. Columns to be ignored (constant ones) have
    an inverse scale of zero: their price is zero, and they are never selected. `class_means` are
    those of X as it is, where they are known.
    """

    def __init__(
        self,
        X: Any,
        mean: FloatArray,
        inverse_scale: FloatArray,
        class_means: ClassMeans | None = None,
    ) -> None:
        self.X = X
        self.mean = mean
        self.inverse_scale = inverse_scale
        self.class_means = class_means
        self.n_samples, self.n_features = X.shape

    @property
    def n_usable(self) -> int:
        """How many columns are not constant."""
        return int(np.count_nonzero(self.inverse_scale))

    def price(self, v: FloatArray) -> FloatArray:
        """Inner product of every standardised column with v: one pass over X, at most."""
        raw = None if self.class_means is None else self.class_means.products(v)
        if raw is None:
            raw = column_products(self.X, v)
        total = v.sum()
        if total != 0.0:
            raw -= self.mean * total
        raw *= self.inverse_scale
        return raw

    def price_all(self, V: FloatArray) -> FloatArray:
        """The same for every column of V, which all have to sum to zero; one row per feature."""
        raw = column_products(self.X, V)
        raw *= self.inverse_scale[:, None]
        return raw

    def combine(self, weights: FloatArray) -> FloatArray:
        """Weighted sum of the standardised columns; reads only those with a weight, if it can."""
        used = np.flatnonzero(weights)
        scaled = weights[used] * self.inverse_scale[used]
        total = np.zeros(self.n_samples)
        if sparse.issparse(self.X):
            near = np.abs(self.mean[used] * self.inverse_scale[used]) <= _FAR
            total += _combine_sparse(self.X, used[near], scaled[near])
            total -= self.mean[used[near]] @ scaled[near]
            far, width = used[~near], _block_width(self.n_samples)
            for start in range(0, len(far), width):
                part = far[start : start + width]
                total += self.take(part) @ weights[part]
            return total
        everything = len(used) == self.n_features
        for rows, block, values in _float_tiles(self.X, None if everything else used):
            values -= self.mean[used[block]]
            total[rows] += values @ scaled[block]
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
        source = self
        if sparse.issparse(self.X):  # columns of a CSR matrix take a pass over all of it
            source = Columns(self.X.tocsc(), self.mean, self.inverse_scale)
        for start in range(0, self.n_features, width):
            index = np.arange(start, min(start + width, self.n_features))
            yield index, source.take(index)

    def subset(self, index: IndexArray) -> Columns:
        """The columns with these indices as a small data set of their own, standardised already."""
        return wrap_columns(self.take(index))


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Means of every column of X over the samples of each class."""

    codes: IndexArray  # the class of each sample: 0, 1, 2, ...
    sizes: IndexArray
    values: FloatArray  # one row per class

    def products(self, v: FloatArray) -> FloatArray | None:
        """X^T v, if v has one value per class."""
        of_class = np.empty(len(self.sizes))
        of_class[self.codes] = v
        return (of_class * self.sizes) @ self.values if np.all(of_class[self.codes] == v) else None


def scale_columns(
    X: Any,
    *,
    per_column: bool = True,
    sample_weight: FloatArray | None = None,
    codes: IndexArray | None = None,
) -> Columns:
    """Columns of X with weighted mean zero and weighted variance one.

    With `per_column=False` all columns share one scale, chosen so that their mean variance is one.
    With the `codes` of the classes (0, 1, 2, ...), their means are kept where they cost no time.
    Columns with values that are not finite, or whose squares overflow, have NaN as their scale.
    """
    class_means = None
    if sample_weight is None and not sparse.issparse(X) and _blas_ready(X):
        mean, variance, class_means = _fast_moments(X, codes if _are_few(codes) else None)
    else:
        mean, variance = weighted_moments(X, sample_weight)
    usable = (variance > 0.0) & (variance < np.inf)
    others = np.flatnonzero(~usable)
    inverse_of_others = np.where(variance[others] == 0.0, 0.0, np.nan)
    if not per_column and usable.any():
        variance[usable] = variance[usable].mean()
    # In place: with this many columns, a temporary array takes longer than what is done to it.
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse_scale = np.sqrt(variance, out=variance)
        np.divide(1.0, inverse_scale, out=inverse_scale)
    inverse_scale[others] = inverse_of_others
    return Columns(X, mean, inverse_scale, class_means)


def wrap_columns(X: Any) -> Columns:
    """Columns of X as they are."""
    return Columns(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


def column_products(X: Any, v: FloatArray) -> FloatArray:
    """X^T v in float64 (v may have several columns), without a converted copy of X."""
    if sparse.issparse(X):
        return _sparse_products(X, v)
    if _blas_ready(X):
        return np.ascontiguousarray((v.T @ X).T)
    out = np.zeros((X.shape[1], *v.shape[1:]))
    for rows, block, values in _float_tiles(X):
        out[block] += values.T @ v[rows]
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
        return _fast_moments(X)[:2]
    mean, variance = (_sparse_moments if sparse.issparse(X) else _centred_moments)(X, weight)
    return mean, _without_rounding(mean, variance, n)


def _fast_moments(
    X: Any, codes: IndexArray | None = None
) -> tuple[FloatArray, FloatArray, ClassMeans | None]:
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
        variance[doubtful] = _without_rounding(mean[doubtful], careful, n)
    return mean, variance, class_means


def _average_classes(X: Any, codes: IndexArray, sizes: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Means of every column over each class (one row per class), and sums of the squares."""
    if X.size >= _WORTH_COMPILING:
        from fewest._solvers.class_sums import sum_classes

        values, squares = sum_classes(X, codes, len(sizes))
        values /= sizes[:, None]
        return values, squares
    members = (codes == np.arange(len(sizes))[:, None]) / sizes[:, None]
    return members @ X, np.einsum("ij,ij->j", X, X)


def _are_few(codes: IndexArray | None) -> bool:
    """Whether the means of all classes cost hardly more time than one mean."""
    if codes is None:
        return False
    sizes = np.bincount(codes)
    return len(sizes) <= _MOST_CLASSES and bool(sizes.all())


def _without_rounding(mean: FloatArray, variance: FloatArray, n: int) -> FloatArray:
    """Zero where the variance is no more than rounding makes of a constant column."""
    noise = n * np.finfo(np.float64).eps * np.abs(mean)
    return np.where(np.sqrt(variance) <= noise, 0.0, variance)


def _blas_ready(X: Any) -> bool:
    return bool(X.dtype == np.float64 and (X.flags.c_contiguous or X.flags.f_contiguous))


def _block_width(n_samples: int) -> int:
    return max(16, _BLOCK_VALUES // max(1, n_samples))


def _float_tiles(
    X: Any, index: IndexArray | None = None
) -> Iterator[tuple[slice, slice, FloatArray]]:
    """X (or its columns with these indices) tile by tile in float64, along its order in memory.

    Slices of rows and of columns (places in `index`) come with each tile, whose array is used again
    for the next one. This is about as fast as a pass over data that are float64 already.
    """
    n_rows, n_columns = X.shape[0], X.shape[1] if index is None else len(index)
    by_columns = abs(X.strides[0]) < abs(X.strides[1])
    length = min(_TILE_LENGTH, n_rows if by_columns else n_columns)
    other = max(1, _TILE_VALUES // max(1, length))
    height, width = (length, other) if by_columns else (other, length)
    height, width = min(height, n_rows), min(width, n_columns)
    buffer = np.empty(height * width)
    for top in range(0, n_rows, max(1, height)):
        rows = slice(top, min(top + height, n_rows))
        for left in range(0, n_columns, max(1, width)):
            block = slice(left, min(left + width, n_columns))
            part = X[rows, block] if index is None else X[rows, index[block]]
            values = buffer[: part.size].reshape(part.shape, order="F" if by_columns else "C")
            values[...] = part
            yield rows, block, values


def _centred_moments(
    X: Any, weight: FloatArray, index: IndexArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance by two sweeps over X: safe for any offset."""
    n_columns = X.shape[1] if index is None else len(index)
    mean, variance = np.zeros(n_columns), np.zeros(n_columns)
    for rows, block, values in _float_tiles(X, index):
        mean[block] += weight[rows] @ values
    for rows, block, values in _float_tiles(X, index):
        values -= mean[block]
        values *= values
        variance[block] += weight[rows] @ values
    return mean, variance


def _sparse_slabs(X: Any, *, square: bool = False) -> Iterator[tuple[slice, Any]]:
    """Rows of a CSR or columns of a CSC matrix, some at a time, in float64; or squared values.

    Places of the values are shared with X.
    """
    by_rows = X.format == "csr"
    length = X.shape[0] if by_rows else X.shape[1]
    wanted = max(_BLOCK_VALUES, X.shape[1])  # a slab of rows adds to every column
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


def _sparse_products(X: Any, v: FloatArray, *, square: bool = False) -> FloatArray:
    """X^T v, or that of squared values; what has to be converted is slab by slab."""
    if X.dtype == np.float64 and not square:
        return np.asarray(X.T @ v, dtype=np.float64)
    by_rows, out = X.format == "csr", np.zeros((X.shape[1], *v.shape[1:]))
    for part, slab in _sparse_slabs(X, square=square):
        out[slice(None) if by_rows else part] += slab.T @ (v[part] if by_rows else v)
    return out


def _combine_sparse(X: Any, index: IndexArray, weights: FloatArray) -> FloatArray:
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
    for part, slab in _sparse_slabs(X):
        if by_rows:
            total[part] = slab @ weights
        else:
            total += slab @ weights[part]
    return total


def _sparse_moments(X: Any, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of a CSR or CSC matrix; where digits cancel, computed again with care."""
    mean = _sparse_products(X, weight)
    # Values near the limit of the type overflow here; they are among those computed again.
    with np.errstate(over="ignore", invalid="ignore"):
        square = _sparse_products(X, weight, square=True)
        variance = square - mean * mean
        doubtful = np.flatnonzero(
            ((square > 0.0) & ~(variance > _CANCELLATION * square)) | ~np.isfinite(square)
        )
    if len(doubtful):
        everything = len(doubtful) == X.shape[1]
        part = X if everything else X[:, doubtful]
        variance[doubtful] = _centred_sparse_variance(part, weight, mean[doubtful])
    return mean, variance


def _centred_sparse_variance(X: Any, weight: FloatArray, mean: FloatArray) -> FloatArray:
    by_rows, even = X.format == "csr", bool(np.all(weight == weight[0]))
    variance, stored_weight = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    n_stored = np.zeros(X.shape[1], dtype=np.intp)
    for part, slab in _sparse_slabs(X):
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


def _dense_columns(X: Any, index: IndexArray) -> FloatArray:
    if sparse.issparse(X):
        return np.asarray(X[:, index].toarray(order="F"), dtype=np.float64, order="F")
    if len(index) == X.shape[1] and np.all(index[1:] > index[:-1]):
        return np.array(X, dtype=np.float64, order="F")  # all of them: no need to gather
    return np.asarray(X[:, index], dtype=np.float64, order="F")
