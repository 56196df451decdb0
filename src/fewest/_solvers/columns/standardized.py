"""Standardised columns that are never stored.

Column j stands for (x_j - mean_j) / scale_j. Prices X^T v are computed on X as it is, and corrected
afterwards; only the few columns that enter a linear program are ever made explicit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from fewest._solvers.columns.at_hand import Part, SparsePart
from fewest._solvers.columns.compressed import SparseMatrix
from fewest._solvers.columns.dense import DenseMatrix
from fewest._solvers.columns.matrix import ClassMeans, Matrix
from fewest._solvers.columns.tiles import block_width
from fewest._types import FloatArray, IndexArray

# Beyond this mean, in standard deviations, a product with X as it is loses digits that count.
_FAR = 1e3
# With more values than this part of all, dense columns are faster.
_SPARSE = 0.04
_MOST_LOOKED_AT = 4_000_000  # values at once


class Columns:
    """Implicitly standardised columns of X.

    `mean` and `inverse_scale` hold one value per column. Columns to be ignored (constant ones) have
    an inverse scale of zero: their price is zero, and they are never selected. `class_means` are
    those of X as it is, where they are known. `deviation` are the standard deviations, where the
    scale is another one.
    """

    def __init__(
        self,
        X: Any,
        mean: FloatArray,
        inverse_scale: FloatArray,
        class_means: ClassMeans | None = None,
        deviation: FloatArray | None = None,
    ) -> None:
        self.matrix = as_matrix(X)
        self.X = self.matrix.data  # as they were given: for what needs data in memory
        self.mean = mean
        self.inverse_scale = inverse_scale
        self.class_means = class_means
        self.deviation = deviation
        self.n_samples, self.n_features = self.matrix.shape

    @property
    def n_usable(self) -> int:
        """How many columns are not constant."""
        return int(np.count_nonzero(self.inverse_scale))

    def deviations(self, features: IndexArray) -> FloatArray:
        """Standard deviations of these columns of X as it is; zero for columns to be ignored."""
        if self.deviation is not None:
            return self.deviation[features]
        inverse = self.inverse_scale[features]
        return np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0.0)

    def price(self, v: FloatArray) -> FloatArray:
        """Inner product of every standardised column with v: one pass over X, at most."""
        raw = None if self.class_means is None else self.class_means.products(v)
        if raw is None:
            raw = self.matrix.products(v)
        total = v.sum()
        if total != 0.0:
            raw -= self.mean * total
        raw *= self.inverse_scale
        return raw

    def price_all(self, V: FloatArray) -> FloatArray:
        """The same for every column of V, which all have to sum to zero; one row per feature."""
        raw = self.matrix.products(V)
        raw *= self.inverse_scale[:, None]
        return raw

    def combine(self, weights: FloatArray) -> FloatArray:
        """Weighted sum of the standardised columns; reads only those with a weight, if it can."""
        used = np.flatnonzero(weights)
        mean, inverse = self.mean[used], self.inverse_scale[used]
        far = np.abs(mean * inverse) > _FAR
        return self.matrix.combine(used, weights[used] * inverse, mean, far)

    def project(self, features: IndexArray, w: FloatArray) -> FloatArray:
        """The weighted sum of these columns, none of which is copied if they are in memory."""
        if not self.matrix.is_in_memory:  # it may remember them
            return self.take(features) @ w
        weights = np.zeros(self.n_features)
        weights[features] = w
        return self.combine(weights)

    def take(self, index: IndexArray) -> FloatArray:
        """The columns with these indices, standardised, as a dense float64 array."""
        return self._standardize(self.matrix.take(index), index)

    def share(self, index: IndexArray) -> Part:
        """The same, not to be written to, nor copied where that can be avoided.

        Sparse columns stay sparse; what is standardised already is shared.
        """
        if self._stays_sparse:
            values = self.X[:, index]
            return SparsePart(values, self.mean[index], self.inverse_scale[index])
        if (
            isinstance(self.X, np.ndarray)
            and self.X.dtype == np.float64
            and np.array_equal(index, np.arange(self.n_features))
            and not self.mean.any()
            and bool(np.all(self.inverse_scale == 1.0))
        ):
            return self.X
        return self.take(index)

    @cached_property
    def _stays_sparse(self) -> bool:
        """Whether sparse columns take less time as they are, and no mean costs digits."""
        if not sparse.issparse(self.X) or self.X.nnz > _SPARSE * self.n_samples * self.n_features:
            return False
        return float(np.abs(self.mean * self.inverse_scale).max(initial=0.0)) <= _FAR

    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        """These samples on these columns, standardised, as a dense float64 array."""
        return self._standardize(self.matrix.take_rows(rows, features), features)

    def blocks(self) -> Iterator[tuple[IndexArray, FloatArray]]:
        """All columns, standardised, one block that fits into the cache at a time, numbered."""
        for index, block in self.matrix.blocks():
            yield index, self._standardize(block, index)

    def _standardize(self, block: FloatArray, index: IndexArray) -> FloatArray:
        # Some columns at a time, which stay in the cache between the two steps.
        width = block_width(len(block))
        for start in range(0, len(index), width):
            strip, part = block[:, start : start + width], index[start : start + width]
            strip -= self.mean[part]
            strip *= self.inverse_scale[part]
        return block

    def subset(self, index: IndexArray) -> Columns:
        """The columns with these indices as a small data set of their own, standardised already."""
        return wrap_columns(self.take(index) if self._stays_sparse else self.share(index))

    def hides_any(self) -> bool:
        """Whether a column that varies counts as constant: then nothing is proven for all of them.

        It varies in its last digits only, or so little that the squares are zero. Columns that are
        ignored for other reasons are not meant.
        """
        ignored = np.flatnonzero(self.inverse_scale == 0.0)
        step = max(1, _MOST_LOOKED_AT // self.n_samples)
        for start in range(0, len(ignored), step):
            block = self.matrix.take(ignored[start : start + step])
            varying = block[:, np.ptp(block, axis=0) > 0.0]
            if varying.shape[1] and not scale_columns(varying).inverse_scale.all():
                return True
        return False

    def narrow(self, index: IndexArray) -> Columns:
        """The same for linear programs: what is sparse stays so."""
        return self.keep(index) if self._stays_sparse else self.subset(index)

    def rows(self, rows: Any) -> Columns:
        """Some of the samples (indices or a mask), on the scale of all of them."""
        return Columns(
            self.matrix.rows(rows), self.mean, self.inverse_scale, deviation=self.deviation
        )

    def keep(self, features: IndexArray) -> Columns:
        """Some of the columns."""
        return Columns(
            self.matrix.keep(features),
            self.mean[features],
            self.inverse_scale[features],
            deviation=None if self.deviation is None else self.deviation[features],
        )

    def with_scale(self, inverse_scale: FloatArray, deviation: FloatArray | None = None) -> Columns:
        """The same columns on another scale; zero for those that can no longer be selected."""
        deviation = self.deviation if deviation is None else deviation
        return Columns(self.matrix, self.mean, inverse_scale, self.class_means, deviation)


def as_matrix(X: Any) -> Matrix:
    """X as the solvers see it: a matrix of our own as it is, an array or sparse matrix wrapped."""
    if isinstance(X, Matrix):
        return X
    return SparseMatrix(X) if sparse.issparse(X) else DenseMatrix(X)


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
    matrix = as_matrix(X)
    found = matrix.moments(sample_weight, codes)
    variance = found.variance
    usable = (variance > 0.0) & (variance < np.inf)
    others = np.flatnonzero(~usable)
    inverse_of_others = np.where(variance[others] == 0.0, 0.0, np.nan)
    deviation = None
    if not per_column and usable.any():
        deviation = np.sqrt(np.where(usable, variance, 0.0))
        variance[usable] = variance[usable].mean()
    # In place: with this many columns, a temporary array takes longer than what is done to it.
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse_scale = np.sqrt(variance, out=variance)
        np.divide(1.0, inverse_scale, out=inverse_scale)
    inverse_scale[others] = inverse_of_others
    return Columns(matrix, found.mean, inverse_scale, found.class_means, deviation)


def wrap_columns(X: Any) -> Columns:
    """Columns of X as they are."""
    return Columns(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


def column_products(X: Any, v: FloatArray) -> FloatArray:
    """X^T v in float64 (v may have several columns), without a converted copy of X."""
    return as_matrix(X).products(v)


def weighted_moments(
    X: Any, sample_weight: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of every column; the variance of a constant column is exactly zero."""
    found = as_matrix(X).moments(sample_weight)
    return found.mean, found.variance
