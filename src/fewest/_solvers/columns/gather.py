"""Means, variances and class means of columns whose values come block by block."""

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
from fewest._types import FloatArray, IndexArray

# Values of a block that are converted to float64 at a time: they stay in the cache.
_STRIP_VALUES = 1 << 18


class MomentSums:
    """Sums over blocks, in any order, that end as moments.

    Blocks are joined by their means and by squares around these means, so large offsets cost no
    digits: no second pass is needed.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        sample_weight: FloatArray | None = None,
        codes: IndexArray | None = None,
    ) -> None:
        n, d = shape
        self._n = n
        self._weight = share_weights(n, sample_weight)
        self._seen = np.zeros(d)  # weight of the samples so far
        self._mean, self._squares = np.zeros(d), np.zeros(d)
        self._codes = codes if sample_weight is None and are_few(codes) else None
        self._sizes = np.ones(1, np.intp) if self._codes is None else np.bincount(self._codes)
        self._sums = None if self._codes is None else np.zeros((len(self._sizes), d))

    def add(self, block: Matrix, rows: Any, columns: Any, name: str) -> None:
        """Count a block that stands in these rows and columns; raise if it is not finite."""
        weight = self._weight[rows]
        members = None
        if self._codes is not None:
            members = (self._codes[rows] == np.arange(len(self._sizes))[:, None]).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            mean, squares, sums = sum_block(block, weight, members)
            finite = np.isfinite(mean)
            if not finite.all():
                check_finite(block, name)
            self._join(columns, float(weight.sum()), mean, squares)
        if self._sums is not None and sums is not None:
            self._sums[:, columns] += sums

    def _join(self, columns: Any, weight: float, mean: FloatArray, squares: FloatArray) -> None:
        before = self._seen[columns]
        total = before + weight
        share = np.divide(weight, total, out=np.zeros_like(total), where=total > 0.0)
        step = mean - self._mean[columns]
        self._mean[columns] += share * step
        step *= step
        step *= share * before
        step += squares
        self._squares[columns] += step
        self._seen[columns] = total

    def result(self) -> Moments:
        """Mean, variance, and class means where they were asked for."""
        variance = self._squares / np.where(self._seen > 0.0, self._seen, 1.0)
        class_means = None
        if self._codes is not None and self._sums is not None:
            self._sums /= self._sizes[:, None]
            class_means = ClassMeans(self._codes, self._sizes, self._sums)
        return Moments(self._mean, without_rounding(self._mean, variance, self._n), class_means)


def sum_block(
    block: Matrix, weight: FloatArray, members: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Means, weighted squares around them, and sums over classes of every column of a block."""
    n, d = block.shape
    total = float(weight.sum())
    X = block.data
    if not isinstance(X, np.ndarray):
        found = block.moments(weight) if total > 0.0 else Moments(np.zeros(d), np.zeros(d))
        sums = None if members is None else block.products(members.T).T
        return found.mean, found.variance * total, sums
    own = weight / total if total > 0.0 else weight
    mean, squares = np.empty(d), np.empty(d)
    sums = None if members is None else np.empty((len(members), d))
    width = max(16, _STRIP_VALUES // max(1, n))
    for left in range(0, d, width):
        part = slice(left, min(left + width, d))
        values = np.array(X[:, part], dtype=np.float64)
        np.matmul(own, values, out=mean[part])
        if sums is not None and members is not None:
            sums[:, part] = members @ values
        values -= mean[part]
        values *= values
        np.matmul(weight, values, out=squares[part])
    return mean, squares, sums


def check_finite(block: Matrix, name: str) -> None:
    """Raise if a block holds NaN or infinity; its name is in the error."""
    values = block.data.data if not isinstance(block.data, np.ndarray) else block.data
    finite = np.isfinite(values)
    if finite.all():
        return
    kind = "NaN" if np.isnan(values).any() else "infinity"
    raise ValueError(
        f"X contains {kind}: {np.size(finite) - np.count_nonzero(finite):,} value(s) of {name} "
        "are not finite. Remove these samples or features, or fill them in"
    )
