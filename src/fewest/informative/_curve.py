"""Curves of several folds on one grid (Klement et al. 2013, sec. 4.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._types import FloatArray

AVERAGES: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median}


def resample(
    removed: ArrayLike, values: ArrayLike, fraction: FloatArray, n_features: int
) -> FloatArray:
    """Piecewise constant values at shares of removed features.

    Feature x = 1, ..., d gets the value of the last run that began when fewer than x features had
    been removed; `removed` are these numbers, in increasing order from zero. Values with more
    dimensions are resampled along the first one.
    """
    x = np.maximum(1, np.ceil(fraction * n_features - 1e-9))
    place = np.searchsorted(np.asarray(removed), x, side="left") - 1
    return np.asarray(values)[place]


def count_removed(sizes: ArrayLike) -> NDArray[np.intp]:
    """How many features are gone before each run."""
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
