"""Error and number of features of two classes, one group left out at a time."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.held_out import Fold, HeldOut, judge_fold, judge_in_parallel
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.neuro._checks import check_machine
from fewest.neuro.analyses._samples import TwoClasses


@dataclass(frozen=True, eq=False)
class Performance:
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

    left_out: NDArray[Any] = field(repr=False)
    errors: FloatArray = field(repr=False)
    sizes: FloatArray = field(repr=False)
    selected_in: IndexArray = field(repr=False)

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
    jobs = [
        (machine, data, group, chance)
        for data in data_sets
        for group in np.unique(data.groups[data.rows])
    ]
    judged = judge_in_parallel(
        jobs, judge=_judge_group, n_jobs=n_jobs, verbose=verbose, what="leave one group out"
    )
    by_data = groupby(zip(jobs, judged, strict=True), key=lambda pair: pair[0][1])
    return [_summarize(data, [(job[2], fold) for job, fold in pairs]) for data, pairs in by_data]


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


def _summarize(data: TwoClasses, folds: list[tuple[Any, Any]]) -> Performance:
    left_out = np.array([group for group, _ in folds])
    if any(fold is None for _, fold in folds):
        infinite = np.full(len(folds), np.inf)
        return Performance(left_out, infinite, infinite, np.zeros(data.X.shape[1], np.intp))
    held_out = HeldOut(data.y, tuple(fold for _, fold in folds))
    for text in held_out.warnings:
        warnings.warn(f"{data.name}: {text}", stacklevel=4)
    sizes = held_out.sizes.astype(np.float64)
    selected_in = held_out.selections.sum(axis=0)
    return Performance(left_out, held_out.balanced_errors, sizes, selected_in)
