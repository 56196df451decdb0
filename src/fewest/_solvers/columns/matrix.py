"""What the solvers ask of a data matrix, wherever it lives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewest._solvers.columns.tiles import split_columns
from fewest._types import BoolArray, FloatArray, IndexArray

# The means of this many classes are computed together, in hardly more time than one mean.
_MOST_CLASSES = 8


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


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and variance of every column; the variance of a constant column is exactly zero."""

    mean: FloatArray
    variance: FloatArray
    class_means: ClassMeans | None = None


class Matrix(ABC):
    """Samples in rows and features in columns, values as they are.

    Implementations hold data in memory, read them block by block, or ask other computers. All that
    grows with the data is done here; whoever asks gets results of the size of a row or of a column,
    or few columns, in float64.
    """

    shape: tuple[int, int]
    dtype: Any
    is_in_memory: bool = False  # `data` is a numpy array or a sparse matrix

    @property
    def data(self) -> Any:
        """The data as they were given, or this matrix where they are not in memory."""
        return self

    @abstractmethod
    def products(self, V: FloatArray) -> FloatArray:
        """X^T V: one value per feature, or one row if V has several columns. One pass over X."""

    @abstractmethod
    def moments(
        self, sample_weight: FloatArray | None = None, codes: IndexArray | None = None
    ) -> Moments:
        """Weighted mean and variance of every column.

        With the `codes` of the classes (0, 1, 2, ...), their means are kept where they cost no
        time. What is not in memory is searched for values that are not finite in the same pass,
        and raises an error that names their place; otherwise such columns have no finite variance.
        """

    @abstractmethod
    def combine(
        self, index: IndexArray, weights: FloatArray, mean: FloatArray, far: BoolArray
    ) -> FloatArray:
        """Weighted sum of these columns, each minus its mean.

        `far` are those so far from zero that a product with X as it is loses digits that count.
        """

    @abstractmethod
    def take(self, index: IndexArray) -> FloatArray:
        """The columns with these indices, dense, in Fortran order; the caller may write into it."""

    @abstractmethod
    def take_rows(self, rows: IndexArray, features: IndexArray) -> FloatArray:
        """These samples on these columns, dense; the caller may write into it."""

    @abstractmethod
    def rows(self, rows: Any) -> Matrix:
        """Some of the samples (indices or a mask); what is not in memory is not read for it."""

    @abstractmethod
    def keep(self, features: IndexArray) -> Matrix:
        """Some of the columns; what is not in memory is not read for it."""

    def blocks(self) -> Iterator[tuple[IndexArray, FloatArray]]:
        """All columns, one block that fits into the cache at a time, numbered."""
        for index in split_columns(*self.shape):
            yield index, self.take(index)


def are_few(codes: IndexArray | None) -> bool:
    """Whether the means of all classes cost hardly more time than one mean."""
    if codes is None:
        return False
    sizes = np.bincount(codes)
    return len(sizes) <= _MOST_CLASSES and bool(sizes.all())


def share_weights(n: int, sample_weight: FloatArray | None) -> FloatArray:
    """Weights of sum one."""
    if sample_weight is None:
        return np.full(n, 1.0 / n)
    weight = sample_weight / sample_weight.max()  # first, because the sum may overflow
    weight /= weight.sum()
    return np.asarray(weight)


def without_rounding(mean: FloatArray, variance: FloatArray, n: int) -> FloatArray:
    """Zero where the variance is no more than rounding makes of a constant column."""
    noise = n * np.finfo(np.float64).eps * np.abs(mean)
    return np.where(np.sqrt(variance) <= noise, 0.0, variance)
