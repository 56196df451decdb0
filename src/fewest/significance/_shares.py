"""How often each sample was judged wrongly, and balanced errors from that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.held_out import Fold
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
