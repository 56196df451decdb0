"""Error and number of features of two classes, one group left out at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from fewest._estimators.abilities import selection_of
from fewest._estimators.splits import balanced_error, fit_with_groups
from fewest._run.progress import ignore_interrupts, progress_bar
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows of X with two classes; `name` says in messages what is compared."""

    X: Any
    rows: IndexArray
    y: NDArray[Any]
    groups: NDArray[Any]
    name: str


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
        return f"{self.n_features:.1f} ± {self.n_features_sd:.1f}"

    @property
    def error_text(self) -> str:
        """'0.16 ± 0.15'."""
        return f"{self.error:.2f} ± {self.error_sd:.2f}"

    def __str__(self) -> str:
        return f"{self.features_text} features, error {self.error_text}"


@dataclass(frozen=True, eq=False)
class _Fold:
    error: float
    chosen: IndexArray
    inseparable: str = ""


def performances(
    problems: Sequence[Problem],
    estimator: Any,
    *,
    n_jobs: int | None,
    verbose: int,
    chance: bool = False,
) -> list[Performance]:
    """The performance on each problem; all folds of all of them are worked on in parallel.

    With `chance`, labels are known to be permuted: a fold that cannot be separated has infinite
    size and error then, and warnings of convergence are kept back. Else both are said.
    """
    machine = SupportFeatureMachine(C=np.inf) if estimator is None else estimator
    tasks = [
        (place, problem, group)
        for place, problem in enumerate(problems)
        for group in np.unique(problem.groups)
    ]
    with ignore_interrupts():
        found: Iterator[_Fold] = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(_one_fold)(machine, problem, group, chance) for _, problem, group in tasks
        )
    folds: list[list[_Fold]] = [[] for _ in problems]
    shown = progress_bar(found, len(tasks), verbose > 0, what="leave one group out")
    for (place, problem, group), fold in zip(tasks, shown, strict=True):
        if fold.inseparable and not chance:
            raise NotSeparableError(
                f"{problem.name}, without group {group}: {fold.inseparable} Give an estimator "
                "that allows errors, such as SupportFeatureMachine(C=1.0)"
            )
        folds[place].append(fold)
    return [_gathered(*both) for both in zip(problems, folds, strict=True)]


def _gathered(problem: Problem, folds: list[_Fold]) -> Performance:
    chosen = np.concatenate([fold.chosen for fold in folds])
    return Performance(
        left_out=np.unique(problem.groups),
        errors=np.array([fold.error for fold in folds]),
        sizes=np.array([np.inf if fold.inseparable else float(len(fold.chosen)) for fold in folds]),
        selected_in=np.bincount(chosen, minlength=problem.X.shape[1]),
    )


def _one_fold(estimator: Any, problem: Problem, group: Any, chance: bool) -> _Fold:
    inside = problem.groups != group
    machine = clone(estimator)
    with warnings.catch_warnings():
        if chance:  # said of permuted labels, they would only alarm
            warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            fit_with_groups(
                machine, problem.X[problem.rows[inside]], problem.y[inside], problem.groups[inside]
            )
        except NotSeparableError as error:
            return _Fold(np.inf, np.empty(0, dtype=np.intp), str(error))
    chosen = selection_of(machine).support
    predicted = machine.predict(problem.X[problem.rows[~inside]])
    return _Fold(balanced_error(problem.y[~inside], predicted), np.flatnonzero(chosen))
