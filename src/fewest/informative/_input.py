"""Input that the functions of this package share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_X_y

from fewest._estimators.validation import encode_two_classes
from fewest._types import FloatArray


def check_two_classes(name: str, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], FloatArray]:
    """X as an array or sparse matrix, the labels, and their signs (+1: the second class)."""
    X, labels = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype="numeric")
    _, codes = encode_two_classes(name, labels)
    return X, labels, np.where(codes == 1, 1.0, -1.0)
