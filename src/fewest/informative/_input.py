"""Input that the functions of this package share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from fewest._types import FloatArray


def two_classes(X: Any, y: ArrayLike) -> tuple[Any, FloatArray]:
    """X as an array or sparse matrix, and the signs of two classes (+1: the second label)."""
    X, y = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype="numeric")
    check_classification_targets(y)
    labels = np.unique(y)
    if len(labels) != 2:
        raise ValueError(
            f"y must hold two classes, between which chance is one half; got {len(labels)}. "
            "Compare two classes at a time"
        )
    return X, np.where(y == labels[1], 1.0, -1.0)
