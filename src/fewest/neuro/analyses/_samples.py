"""Samples, conditions and groups that the analyses can work on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.splits import check_groups, require_both_classes
from fewest._estimators.validation import check_data
from fewest._types import IndexArray
from fewest._wording import listed


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """The rows of X that are of one of two classes; `name` says in messages what is compared.

    Each group must have both classes.
    """

    X: Any
    y: NDArray[Any]
    groups: NDArray[Any]
    rows: IndexArray
    name: str

    def __post_init__(self) -> None:
        require_both_classes(self.groups[self.rows], self.y[self.rows])


def check_samples(
    X: Any, y: ArrayLike, groups: ArrayLike | None
) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    """Samples whose rows can be taken, their classes (two at least) and their groups."""
    X, y = check_data(BaseEstimator(), X, y)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    labels = np.asarray(y)
    if len(np.unique(labels)) < 2:
        raise ValueError(f"y holds a single condition, {labels.tolist()[0]!r}: nothing to compare")
    found = check_groups(groups, len(labels))
    if found is None:
        raise ValueError(
            "groups must name the participant or run of every sample: one of them is left out at "
            "a time"
        )
    return X, labels, found


def choose_conditions(
    y: NDArray[Any], conditions: Iterable[Any] | None, *, least: int = 2
) -> list[Any]:
    """The conditions asked for, in that order; all of y, sorted, if none are."""
    present: list[Any] = np.unique(y).tolist()
    if conditions is None:
        return present
    asked = list(conditions)
    unknown = [name for name in asked if name not in present]
    if unknown:
        raise ValueError(
            f"conditions name {listed(unknown)}, but y holds {listed(present)}. Check the spelling"
        )
    if len(asked) != len(set(asked)) or len(asked) < least:
        raise ValueError(
            f"conditions must be at least {least} different classes of y; got "
            f"{listed(asked) or 'none'}"
        )
    return asked
