"""Samples that are fit to be resampled, and resamples of them, or of groups, with all classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.splits import check_groups
from fewest._estimators.validation import check_data
from fewest._types import IndexArray

_MOST_DRAWS = 100


def check_samples(
    X: Any, y: ArrayLike, groups: ArrayLike | None
) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
    """All three in a form of which rows can be taken."""
    X, labels = check_data(BaseEstimator(), X, y)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    return X, labels, check_groups(groups, len(labels))


def find_units(n_samples: int, groups: NDArray[Any] | None) -> list[IndexArray]:
    """The rows of each unit that is drawn: of every group, or single samples."""
    if groups is None:
        return [np.array([row]) for row in range(n_samples)]
    return [np.flatnonzero(groups == group) for group in np.unique(groups)]


def draw_rows(
    strata: list[list[IndexArray]],
    y: NDArray[Any],
    rng: np.random.RandomState,
    *,
    half: bool = False,
    classes_outside: bool = False,
) -> tuple[IndexArray, IndexArray]:
    """Rows inside (some several times) and outside; there are all classes inside.

    From each stratum as many units are drawn as it has, with replacement; or `half` of them
    without. Where the rows outside need all classes too, it is drawn until they have them.
    """
    n_classes = len(np.unique(y))
    for _ in range(_MOST_DRAWS):
        drawn = []
        for units in strata:
            size = max(1, len(units) // 2) if half else len(units)
            drawn += [units[place] for place in rng.choice(len(units), size, replace=not half)]
        inside = np.concatenate(drawn)
        outside = np.setdiff1d(np.arange(len(y)), inside)
        parts = (inside, outside) if classes_outside else (inside,)
        if all(len(np.unique(y[rows])) == n_classes for rows in parts):
            return inside, outside
    raise ValueError(
        f"{_MOST_DRAWS} resamples all lacked a class: a class has too few samples (or groups)"
    )
