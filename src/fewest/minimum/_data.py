"""Data as the search needs them: doubles, two classes, values whose products stay finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_X_y

from fewest._types import FloatArray

_LARGEST = 1e100


def check_data(X: Any, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """X in doubles, column by column, and +1 (the second class in sorted order) or -1.

    X is copied unless it is like that already: the search reads single columns all the time.
    """
    X, y = check_X_y(X, y, accept_sparse=True, dtype=np.float64, order="F", ensure_min_samples=2)
    if sparse.issparse(X):
        X = X.toarray(order="F")
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        raise ValueError(
            f"minimum_features needs exactly two classes; y has {len(classes)}. Call it once "
            "per class, with that class against the rest"
        )
    if np.abs(X).max() > _LARGEST:
        raise ValueError(f"X holds values above {_LARGEST:g}: rescale them")
    return X, np.where(codes == 1, 1.0, -1.0)
