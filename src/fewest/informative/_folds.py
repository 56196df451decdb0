"""Data of two classes, outer folds, and the inner ones in which a probe chooses its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.utils import check_X_y

from fewest._estimators.splits import find_smallest_class, require_both_classes, split_folds
from fewest._estimators.validation import encode_two_classes
from fewest._types import FloatArray, IndexArray

_FOLDS = 5


def check_two_classes(name: str, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], FloatArray]:
    """X as an array or sparse matrix, the labels, and their signs (+1: the second class)."""
    X, labels = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype="numeric")
    _, codes = encode_two_classes(name, labels)
    return X, labels, np.where(codes == 1, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of X to train on and to test on, and the inner fold of each row to train on."""

    training: IndexArray
    test: IndexArray
    inner: IndexArray


def make_folds(
    y: NDArray[Any], groups: NDArray[Any] | None, cv: Any, random_state: Any = None
) -> list[Fold]:
    """Leave one group out, or stratified folds where there are no groups; the same inside.

    A number stands for that many stratified folds (of whole groups), and a splitter for itself.
    """
    if cv is None and groups is not None:
        try:
            require_both_classes(groups, y)
        except ValueError as error:
            raise ValueError(f"{error}. Or leave out several groups at a time: cv=5") from error
        cv = LeaveOneGroupOut()
    splits = split_folds(_FOLDS if cv is None else cv, y, groups, random_state=random_state)
    folds = []
    for number, (training, test) in enumerate(splits):
        if len(np.unique(y[test])) < 2:
            raise ValueError(
                f"the test part of split {number} does not hold both classes. Use fewer folds, or "
                "another splitter"
            )
        own_groups = None if groups is None else groups[training]
        folds.append(Fold(training, test, _inner_folds(y[training], own_groups)))
    return folds


def _inner_folds(y: NDArray[Any], groups: NDArray[Any] | None) -> IndexArray:
    """The inner fold of each training sample; each leaves samples of both classes to train on."""
    if groups is not None:
        inner = np.unique(groups, return_inverse=True)[1]
        if all(len(np.unique(y[inner != fold])) == 2 for fold in range(inner.max() + 1)):
            return inner
    inner = np.empty(len(y), dtype=np.intp)
    n_folds = min(_FOLDS, find_smallest_class(y, None)[1])
    for number, (_, rows) in enumerate(split_folds(max(2, n_folds), y)):
        inner[rows] = number
    return inner
