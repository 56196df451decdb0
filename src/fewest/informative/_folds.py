"""Outer folds, and the inner ones in which a probe chooses its cost."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)

from fewest._estimators.splits import require_both_classes
from fewest._types import IndexArray

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of X to train on and to test on, and the inner fold of each row to train on."""

    training: IndexArray
    test: IndexArray
    inner: IndexArray


def make_folds(y: NDArray[Any], groups: NDArray[Any] | None, cv: Any) -> list[Fold]:
    """Leave one group out, or stratified folds where there are no groups; the same inside.

    A number stands for that many stratified folds (of whole groups), and a splitter for itself.
    """
    splitter = _splitter(y, groups, cv)
    folds = []
    for number, parts in enumerate(splitter.split(np.zeros(len(y)), y, groups)):
        training, test = (np.arange(len(y))[part] for part in parts)
        for name, rows in (("training", training), ("test", test)):
            if len(np.unique(y[rows])) < 2:
                raise ValueError(
                    f"the {name} part of fold {number + 1} does not hold both classes. Use fewer "
                    "folds, or another splitter"
                )
        own_groups = None if groups is None else groups[training]
        folds.append(Fold(training, test, _inner_folds(y[training], own_groups)))
    if not folds:
        raise ValueError("cv yields no fold")
    return folds


def _splitter(y: NDArray[Any], groups: NDArray[Any] | None, cv: Any) -> Any:
    if cv is None and groups is not None:
        try:
            require_both_classes(groups, y)
        except ValueError as error:
            raise ValueError(f"{error}. Or leave out several groups at a time: cv=5") from error
        return LeaveOneGroupOut()
    n_folds = _FOLDS if cv is None else cv
    if not isinstance(n_folds, Integral) or isinstance(n_folds, bool):
        return check_cv(n_folds, y, classifier=True)
    smallest = _smallest_class(y, groups)
    if not 2 <= n_folds <= smallest:
        unit = "samples" if groups is None else "groups"
        raise ValueError(
            f"cv={n_folds} folds need at least two folds and as many {unit} of either class; the "
            f"smaller class has {smallest}"
        )
    return (StratifiedKFold if groups is None else StratifiedGroupKFold)(int(n_folds))


def _inner_folds(y: NDArray[Any], groups: NDArray[Any] | None) -> IndexArray:
    """The inner fold of each training sample; each leaves samples of both classes to train on."""
    if groups is not None:
        inner = np.unique(groups, return_inverse=True)[1]
        if _all_leave_both_classes(y, inner):
            return inner
    n_folds = min(_FOLDS, _smallest_class(y, None))
    if n_folds < 2:
        raise ValueError(
            "a training part has a single sample of a class, so that no inner folds can choose a "
            "cost. Use other folds, or add samples"
        )
    inner = np.empty(len(y), dtype=np.intp)
    for number, (_, rows) in enumerate(StratifiedKFold(n_folds).split(np.zeros(len(y)), y)):
        inner[rows] = number
    return inner


def _all_leave_both_classes(y: NDArray[Any], inner: IndexArray) -> bool:
    return all(len(np.unique(y[inner != fold])) == 2 for fold in range(inner.max() + 1))


def _smallest_class(y: NDArray[Any], groups: NDArray[Any] | None) -> int:
    members = [y == label for label in np.unique(y)]
    if groups is None:
        return min(int(rows.sum()) for rows in members)
    return min(len(np.unique(groups[rows])) for rows in members)
