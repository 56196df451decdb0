"""Samples that the analyses can work on, and what two of their classes need and err.

One group is left out at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.held_out import Fold, HeldOut, judge_fold, judge_in_parallel
from fewest._estimators.splits import check_groups, require_all_classes
from fewest._estimators.validation import check_data, encode_classes
from fewest._showing import Shown
from fewest._types import FloatArray, IndexArray
from fewest._wording import listed
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.neuro._checks import check_machine


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
        require_all_classes(self.groups[self.rows], self.y[self.rows])

    @property
    def left_out(self) -> NDArray[Any]:
        """The groups of the rows; one of them is left out at a time."""
        return np.unique(self.groups[self.rows])


def check_samples(
    X: Any, y: ArrayLike, groups: ArrayLike | None
) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    """Samples whose rows can be taken, their classes (two at least) and their groups."""
    X, y = check_data(BaseEstimator(), X, y)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    encode_classes("a comparison of conditions", y)
    found = check_groups(groups, len(y))
    if found is None:
        raise ValueError(
            "groups must name the participant or run of every sample: one of them is left out at "
            "a time"
        )
    return X, y, found


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


@dataclass(frozen=True, eq=False, repr=False)
class Performance(Shown):
    """What a machine needs, and how well it does on the groups left out.

    Attributes
    ----------
    left_out : array of shape (n_folds,)
        The group that was left out in each fold.
    errors : array of shape (n_folds,)
        Balanced error on that group.
    sizes : array of shape (n_folds,)
        Number of features selected on the others.
    selected_in : array of shape (n_features,)
        In how many folds each feature was selected.
    """

    left_out: NDArray[Any]
    errors: FloatArray
    sizes: FloatArray
    selected_in: IndexArray

    @property
    def error(self) -> float:
        """Mean error over the folds."""
        return float(self.errors.mean())

    @property
    def error_sd(self) -> float:
        """Standard deviation of the error over the folds."""
        return float(self.errors.std(ddof=1))

    @property
    def n_features(self) -> float:
        """Mean number of features over the folds."""
        return float(self.sizes.mean())

    @property
    def n_features_sd(self) -> float:
        """Standard deviation of the number of features over the folds."""
        return float(self.sizes.std(ddof=1))

    @property
    def features_text(self) -> str:
        """'2.3 ± 0.5'."""
        return format_spread(self.sizes, 1)

    @property
    def error_text(self) -> str:
        """'0.16 ± 0.15'."""
        return format_spread(self.errors, 2)

    def __str__(self) -> str:
        return f"{self.features_text} features, error {self.error_text}"


def format_spread(values: FloatArray, digits: int) -> str:
    """Mean and standard deviation, which is zero for a single value."""
    with np.errstate(invalid="ignore"):  # infinite where permuted labels are not separable
        sd = values.std(ddof=1) if len(values) > 1 else 0.0
    return f"{values.mean():.{digits}f} ± {sd:.{digits}f}"


def measure_performances(
    estimator: Any,
    data_sets: Sequence[TwoClasses],
    *,
    n_jobs: int | None,
    verbose: int,
    chance: bool = False,
) -> list[Performance]:
    """The performance on each data set; all folds of all of them are worked on in parallel.

    With `chance`, labels are known to be permuted: where they cannot be separated, size and error
    are infinite, and warnings are kept back. Else both are said.
    """
    machine = check_machine(estimator, SupportFeatureMachine(C=np.inf))
    jobs = [(machine, data, group, chance) for data in data_sets for group in data.left_out]
    judged = judge_in_parallel(
        jobs, judge=_judge_group, n_jobs=n_jobs, verbose=verbose, what="leave one group out"
    )
    by_data = groupby(zip(jobs, judged, strict=True), key=lambda pair: pair[0][1])
    return [_summarize(data, [fold for _, fold in pairs]) for data, pairs in by_data]


def _judge_group(machine: Any, data: TwoClasses, group: Any, chance: bool) -> Fold | None:
    left_out = data.groups[data.rows] == group
    train, test = data.rows[~left_out], data.rows[left_out]
    try:
        fold = judge_fold(machine, data.X, data.y, data.groups, train, test)
    except NotSeparableError as error:
        if chance:
            return None
        raise NotSeparableError(
            f"{data.name}, without group {group}: {error} Give an estimator that allows errors, "
            "such as SupportFeatureMachine(C=1.0)"
        ) from error
    return replace(fold, warnings=()) if chance else fold


def _summarize(data: TwoClasses, folds: list[Any]) -> Performance:
    if None in folds:
        infinite = np.full(len(folds), np.inf)
        return Performance(data.left_out, infinite, infinite, np.zeros(data.X.shape[1], np.intp))
    held_out = HeldOut(data.y, tuple(folds), groups=data.groups)
    for text in held_out.warnings:
        warnings.warn(f"{data.name}: {text}", stacklevel=4)
    sizes = held_out.sizes.astype(np.float64)
    selected_in = held_out.selections.sum(axis=0)
    return Performance(data.left_out, held_out.balanced_errors, sizes, selected_in)
