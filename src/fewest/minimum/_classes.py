"""Pairs of classes: a set of features separates all classes if it separates each pair of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class ClassPair:
    """Two classes and their samples; `y` is +1 for the samples of the second class, else -1.

    `place` counts the pairs in the order (first, second), (first, third), ..., (second, third), ...
    """

    place: int
    labels: tuple[Any, Any]
    rows: IndexArray
    y: FloatArray

    @property
    def positive(self) -> IndexArray:
        """The samples of the second class."""
        return self.rows[self.y > 0]

    @property
    def negative(self) -> IndexArray:
        """The samples of the first class."""
        return self.rows[self.y < 0]


def pair_classes(y: NDArray[Any]) -> tuple[ClassPair, ...]:
    """All pairs of the classes in y, in the order of their labels: one pair for two classes."""
    pairs = []
    for place, (first, second) in enumerate(combinations(np.unique(y).tolist(), 2)):
        rows = np.flatnonzero((y == first) | (y == second))
        pairs.append(ClassPair(place, (first, second), rows, sign_labels(y[rows])))
    return tuple(pairs)


def sign_labels(y: NDArray[Any]) -> FloatArray:
    """+1 for the largest label, -1 for the others."""
    return np.where(y == y.max(), 1.0, -1.0)
