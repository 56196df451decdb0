"""Resamples of samples, or of whole groups, that have all classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import IndexArray

_MOST_DRAWS = 100


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
        inside = np.concatenate(
            [
                units[place]
                for units in strata
                for place in rng.choice(
                    len(units), max(1, len(units) // 2) if half else len(units), replace=not half
                )
            ]
        )
        outside = np.setdiff1d(np.arange(len(y)), inside)
        parts = (inside, outside) if classes_outside else (inside,)
        if all(len(np.unique(y[rows])) == n_classes for rows in parts):
            return inside, outside
    raise ValueError(
        f"{_MOST_DRAWS} resamples all lacked a class: a class has too few samples (or groups)"
    )
