"""What the weights of one decision for many classes say: which classes each feature speaks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray

_SPEAKS = 0.5  # of the largest weight of the feature: from here on it speaks for a class


def centre_weights(weights: FloatArray) -> FloatArray:
    """Weights of shape (n_classes, n_features), each feature's largest and smallest made opposite.

    The class with the largest score stays the same: a feature's weights may all be shifted alike.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.panel import centre_weights
    >>> centre_weights(np.array([[0.0], [1.0], [4.0]])).ravel().tolist()
    [-2.0, -1.0, 2.0]
    """
    return weights - (weights.max(axis=0) + weights.min(axis=0)) / 2.0


def find_sides(weights: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For which classes each feature speaks, and against which: both in the shape of `weights`.

    These are centred. A feature speaks for the classes with at least half its largest weight.
    """
    least = _SPEAKS * np.abs(weights).max(axis=0)
    return (weights >= least) & (least > 0), (weights <= -least) & (least > 0)


def sort_by_class(weights: FloatArray) -> NDArray[np.intp]:
    """Order of the features: by the class they speak for most, the largest weights first."""
    return np.lexsort((-np.abs(weights).max(axis=0), weights.argmax(axis=0)))
