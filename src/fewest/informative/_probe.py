"""Folds, and what is left in the features that remain: errors of a support vector machine on them.

Klement, Anders & Martinetz (2013) subtract what is removed from the kernel matrix. Adding what
remains, from the last features to the first, reads every column once as well, but nothing cancels:
with 50 of 50,000 features left, the difference of two large sums would have lost three digits, and
drifts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.utils import check_X_y

from fewest._estimators.splits import (
    balanced_error,
    find_smallest_class,
    require_both_classes,
    split_folds,
)
from fewest._estimators.validation import encode_two_classes, standardize_columns
from fewest._solvers.columns import Columns
from fewest._solvers.svm import class_weights, decisions_along_costs
from fewest._types import FloatArray, IndexArray

_FOLDS = 5
_WIDTH = 4096  # columns that are made explicit at a time
COSTS: FloatArray = 10.0 ** np.arange(-8.0, 9.0)


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


def standardize_fold(X: Any, fold: Fold) -> Columns:
    """All samples, standardised on the training ones."""
    trained = standardize_columns(X[fold.training])
    return Columns(X, trained.mean, trained.inverse_scale)


def kernels_of_rest(columns: Columns, blocks: Sequence[IndexArray]) -> Iterator[FloatArray]:
    """Gram matrices of blocks k, k + 1, ..., for k from the last block to the first.

    They are divided by the number of features that vary: samples have norm one, and a cost means
    the same for any number of features. The array belongs to the caller.
    """
    total = np.zeros((columns.n_samples, columns.n_samples))
    n_features = 0
    for block in reversed(blocks):
        for start in range(0, len(block), _WIDTH):
            part = columns.take(block[start : start + _WIDTH])
            total += part @ part.T
        n_features += int(np.count_nonzero(columns.inverse_scale[block]))
        yield total / max(n_features, 1)


@dataclass(frozen=True, eq=False)
class Probes:
    """Errors on the test samples of one fold, after 0, 1, ... blocks of features are removed.

    `chance` has the errors of the same machines for other labels: one row per place of
    `chance_places`, one column per labelling.
    """

    errors: FloatArray
    costs: FloatArray
    chance_places: NDArray[np.intp]
    chance: FloatArray


def probe(
    columns: Columns,
    blocks: Sequence[IndexArray],
    y: FloatArray,
    fold: Fold,
    labellings: FloatArray,
    chance_places: NDArray[np.intp],
) -> Probes:
    """Train on blocks k, k + 1, ... for every k; test on the samples that the fold leaves out.

    Parameters
    ----------
    columns : Columns
        All samples, standardised on the training ones.
    blocks : sequence of arrays of int
        Features in the order in which they are removed.
    y : array of shape (n_samples,)
        Signs.
    fold : Fold
        Training, inner and test samples.
    labellings : array of shape (n_labellings, n_samples)
        Other signs to repeat it with.
    chance_places : array of int
        After how many blocks.
    """
    errors, chosen = np.empty(len(blocks)), np.empty(len(blocks))
    chance = np.empty((len(chance_places), len(labellings)))
    for step, K in enumerate(kernels_of_rest(columns, blocks)):
        place = len(blocks) - 1 - step
        errors[place], chosen[place] = _probe_once(K, y, fold)
        for row in np.flatnonzero(chance_places == place):
            chance[row] = [_probe_once(K, signs, fold)[0] for signs in labellings]
    return Probes(errors, chosen, chance_places, chance)


def _probe_once(K: FloatArray, y: FloatArray, fold: Fold) -> tuple[float, float]:
    predicted, place = predict_nested(K, y, fold, COSTS)
    return balanced_error(y[fold.test], predicted), float(COSTS[place])


def predict_nested(
    K: FloatArray, y: FloatArray, fold: Fold, costs: FloatArray
) -> tuple[FloatArray, int]:
    """Signs of the test samples, at the cost with the smallest balanced error in the inner folds.

    Of several best costs the smallest is taken, whose place is returned too.
    """
    signs, weights = y[fold.training], class_weights(y[fold.training])
    errors = np.zeros(len(costs))
    for number in range(fold.inner.max() + 1):
        held_out = fold.inner == number
        rows = fold.training[~held_out], fold.training[held_out]
        decisions = decisions_along_costs(K, y, *rows, costs)
        errors += ((decisions > 0.0) != (signs[held_out] > 0.0)) @ weights[held_out]
    # Sums of the same numbers in another order must count as equal.
    best = int(np.argmin(errors.round(9)))
    decisions = decisions_along_costs(K, y, fold.training, fold.test, costs[: best + 1])[best]
    return np.where(decisions > 0.0, 1.0, -1.0), best
