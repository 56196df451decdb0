"""What else is known about the samples, such as age and batch: categories and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed

# Numbers with more different values are measurements, unless they are whole and so many samples
# (the median over the values) share one: then they may name plates, and samples are alike in them
# only where they are equal.
_MOST_CATEGORIES, _SHARING = 10, 4
_FEWEST_PER_STRATUM = 8  # on average, where numbers are divided into ranges
_MOST_RANGES = 20


@dataclass(frozen=True, eq=False)
class Covariate:
    """One value per sample; `codes` are categories, None for a measurement."""

    name: str
    values: NDArray[Any]
    codes: IndexArray | None

    @property
    def is_number(self) -> bool:
        return self.codes is None

    @property
    def halves(self) -> IndexArray:
        """Categories to predict: a measurement is above its median or not."""
        if self.codes is not None:
            return self.codes
        return (self.values > np.median(self.values)).astype(np.intp)

    def encode(self) -> FloatArray:
        """Columns of numbers: standardised, or one per category but the first."""
        if self.codes is None:
            spread = float(self.values.std()) or 1.0
            return ((self.values - self.values.mean()) / spread)[:, None]
        return (self.codes[:, None] == np.arange(1, self.codes.max() + 1)).astype(np.float64)

    def cut(self, n_ranges: int) -> IndexArray:
        """Strata: the categories, or ranges with about as many samples each."""
        if self.codes is not None:
            return self.codes
        ends = np.quantile(self.values, np.arange(1, n_ranges) / n_ranges)
        return np.searchsorted(np.unique(ends), self.values).astype(np.intp)


def read_covariates(covariates: Any, n_samples: int) -> list[Covariate]:
    """Covariates from a mapping of names, a data frame, or an array with a column for each."""
    if isinstance(covariates, Mapping) or hasattr(covariates, "columns"):
        names = list(covariates)
        columns = [np.asarray(covariates[name]) for name in names]
    else:
        table = np.asarray(covariates)
        table = table[:, None] if table.ndim == 1 else table
        names = [f"covariate {place + 1}" for place in range(table.shape[1])]
        columns = list(table.T)
    if not names:
        raise ValueError("covariates must hold at least one covariate")
    return [_read(str(name), one, n_samples) for name, one in zip(names, columns, strict=True)]


def _read(name: str, values: NDArray[Any], n_samples: int) -> Covariate:
    if values.shape != (n_samples,):
        raise ValueError(
            f"the covariate {name} must have one value for each of the {n_samples} samples; got "
            f"the shape {values.shape}"
        )
    is_number = values.dtype.kind in "iuf"
    empty = [
        row
        for row, value in enumerate(values.tolist(), 1)
        if value is None or value != value or value == ""  # NaN differs from itself
    ]
    if empty:
        raise ValueError(
            f"the covariate {name} has no value for {counted(len(empty), 'sample')} "
            f"({listed(empty)}): fill it in, or leave these samples out"
        )
    if is_number and not np.all(np.isfinite(values)):
        raise ValueError(f"the covariate {name} has infinite values")
    different, codes = np.unique(values if is_number else values.astype(str), return_inverse=True)
    if len(different) < 2:
        raise ValueError(f"the covariate {name} is the same for all samples: leave it out")
    if is_number and len(different) > _MOST_CATEGORIES and not _may_be_names(different, codes):
        return Covariate(name, values.astype(np.float64), None)
    if not is_number and len(different) > n_samples / 2:
        raise ValueError(
            f"the covariate {name} has {len(different)} categories for {n_samples} samples, so "
            "hardly two samples are alike: it looks like an id. Leave it out"
        )
    return Covariate(name, values, codes.ravel().astype(np.intp))


def _may_be_names(different: NDArray[Any], codes: IndexArray) -> bool:
    """Whether numbers may be those of plates or batches."""
    is_whole = bool(np.all(different == np.rint(different)))
    return is_whole and float(np.median(np.bincount(codes.ravel()))) >= _SHARING


def make_strata(covariates: list[Covariate]) -> IndexArray:
    """Samples alike in all covariates: the same categories, and the same ranges of numbers."""
    return np.unique(cut_together(covariates), axis=0, return_inverse=True)[1].ravel()


def cut_together(covariates: list[Covariate]) -> IndexArray:
    """Categories, and as many ranges of numbers as the samples allow: a column per covariate."""
    n_samples = len(covariates[0].values)
    categories = [one.cut(1) for one in covariates if not one.is_number]
    n_numbers = sum(one.is_number for one in covariates)
    n_cells = len(np.unique(np.column_stack(categories), axis=0)) if categories else 1
    room = n_samples / (_FEWEST_PER_STRATUM * n_cells)
    n_ranges = int(np.clip(room ** (1 / max(1, n_numbers)), 2, _MOST_RANGES))
    return np.column_stack([one.cut(n_ranges) for one in covariates])
