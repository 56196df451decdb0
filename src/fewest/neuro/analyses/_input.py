"""Samples, conditions and groups that the analyses can work on."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.splits import check_groups, require_both_classes
from fewest._estimators.validation import check_data
from fewest._wording import listed
from fewest.neuro.analyses._performance import Problem


def checked(X: Any, y: ArrayLike, groups: ArrayLike) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    """Samples whose rows can be taken, their classes (two at least) and their groups."""
    X, y = check_data(BaseEstimator(), X, y)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    if len(np.unique(y)) < 2:
        raise ValueError(f"y holds a single condition, {y.tolist()[0]!r}: nothing to compare")
    found = check_groups(groups, len(y))
    if found is None:
        raise ValueError(
            "groups must name the participant or run of every sample: one of them is left out at "
            "a time"
        )
    return X, y, found


def chosen_conditions(
    y: NDArray[Any], conditions: Iterable[Any] | None, *, least: int = 2
) -> list[Any]:
    """The conditions asked for, in that order; all of y, sorted, if none are."""
    present = np.unique(y).tolist()
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


def pair_problem(
    X: Any, y: NDArray[Any], groups: NDArray[Any], pair: tuple[Any, Any], where: str = ""
) -> Problem:
    """The samples of two conditions; each group must have both."""
    rows = np.flatnonzero((y == pair[0]) | (y == pair[1]))
    require_both_classes(groups[rows], y[rows])
    return Problem(X, rows, y[rows], groups[rows], f"{pair[0]} and {pair[1]}{where}")


def pairs_of(conditions: list[Any]) -> list[tuple[Any, Any]]:
    """Each condition with each later one."""
    return list(combinations(conditions, 2))
