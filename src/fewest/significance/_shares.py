"""How often each sample was judged wrongly, and balanced errors from that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.held_out import Fold
from fewest._estimators.intervals import Interval, average_interval, wilson_interval
from fewest._types import FloatArray, IndexArray


def find_shares(folds: Sequence[Fold], y: NDArray[Any]) -> FloatArray:
    """Share of the times that each sample was wrong; NaN where it was never judged."""
    tested, wrong = np.zeros((2, len(y)))
    for fold in folds:
        np.add.at(tested, fold.test, 1.0)
        np.add.at(wrong, fold.test, (fold.predicted != y[fold.test]).astype(float))
    return np.divide(wrong, tested, out=np.full(len(y), np.nan), where=tested > 0)


def balance(shares: FloatArray, codes: IndexArray, weights: FloatArray | None = None) -> FloatArray:
    """Mean over the classes of the weighted means of their samples, along the last axis.

    Samples without a share are left out, and classes without a sample.
    """
    weight = (~np.isnan(shares)).astype(float) * (1.0 if weights is None else weights)
    known = np.nan_to_num(shares)
    errors = []
    for code in np.unique(codes):
        rows = codes == code
        total = weight[..., rows].sum(axis=-1)
        summed = (known * weight)[..., rows].sum(axis=-1)
        empty = np.full(np.shape(total), np.nan)
        errors.append(np.divide(summed, total, out=empty, where=total > 0))
    found: FloatArray = np.nanmean(errors, axis=0)
    return found


def find_interval(
    shares: FloatArray, codes: IndexArray, groups: NDArray[Any] | None, confidence: float
) -> Interval:
    """Interval of a balanced error: Wilson's of every class, put together.

    Samples of one group count as one: they tend to be right or wrong together.
    """
    errors, intervals = [], []
    for code in np.unique(codes[~np.isnan(shares)]):
        rows = np.flatnonzero((codes == code) & ~np.isnan(shares))
        error = float(shares[rows].mean())
        n_units = len(rows) if groups is None else len(np.unique(groups[rows]))
        errors.append(error)
        intervals.append(wilson_interval(error * n_units, n_units, confidence))
    return average_interval(errors, intervals)
