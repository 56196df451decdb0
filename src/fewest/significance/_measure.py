"""One labelling measured: how many features it needs, and how well it can be predicted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from fewest._estimators.abilities import abilities_of, selection_of
from fewest._estimators.held_out import judge_in_parallel, run_held_out
from fewest._estimators.splits import fit_with_groups, split_folds
from fewest._estimators.validation import encode_classes, standardize_columns
from fewest._run.progress import progress_bar
from fewest._solvers.columns import Columns
from fewest._types import IndexArray
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.significance._resampling import check_samples

STATISTICS = ("features", "error")


@dataclass(frozen=True)
class Measured:
    """What one labelling showed; infinite where the machine allows no error, but one is needed.

    `features` is what the machine minimises: errors count too where it allows them, at the price
    it puts on them, and so do the features of all classes if there are more than two.
    `objective` is that of the first linear program, where there is one, and breaks ties.
    """

    features: float = np.nan
    objective: float = np.nan
    error: float = np.nan


@dataclass(frozen=True, eq=False)
class Measure:
    """A machine and the samples on which it is to be measured, labelled one way or another."""

    estimator: Any
    X: Any
    classes: NDArray[Any]
    statistics: tuple[str, ...]
    cv: Any
    fold_seed: int | None
    groups: NDArray[Any] | None
    columns: Columns | None  # means and scales, which do not depend on the labels

    def __call__(self, codes: IndexArray, error: float | None = None) -> Measured:
        """Measure this labelling; an error that is known already is not measured again."""
        features = objective = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said of permuted labels, they would only alarm
            if "features" in self.statistics:
                features, objective = self._features(codes)
            if error is None:
                error = self._error(codes) if "error" in self.statistics else np.nan
        return Measured(features, objective, error)

    def on(self, X: Any) -> Measure:
        """The same measure of other samples."""
        return replace(self, X=X, columns=_shared_columns(self.estimator, X))

    def _features(self, codes: IndexArray) -> tuple[float, float]:
        machine = clone(self.estimator)
        try:
            if self.columns is None:
                fit_with_groups(machine, self.X, self.classes[codes], self.groups)
            else:
                machine.classes_ = self.classes
                machine._fit_columns(self.columns, codes)
        except NotSeparableError:
            return np.inf, np.inf
        found = selection_of(machine)
        counts = abilities_of(machine).counts_features
        return found.cost if counts else found.n_selected, found.objective

    def _error(self, codes: IndexArray) -> float:
        """Balanced error on samples that had no part in the fit, over all folds together."""
        try:
            return run_held_out(
                self.estimator,
                self.X,
                self.classes[codes],
                cv=self.cv,
                groups=self.groups,
                random_state=self.fold_seed,
            ).balanced_error
        except NotSeparableError:
            return np.inf


def make_measure(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    statistics: Any,
    cv: Any = None,
    groups: ArrayLike | None = None,
    random_state: Any = None,
) -> tuple[Measure, IndexArray]:
    """The measure, and the labels as places in its classes; folds are drawn by `random_state`."""
    estimator = SupportFeatureMachine(C=np.inf) if estimator is None else estimator
    statistics = (statistics,) if isinstance(statistics, str) else tuple(statistics)
    if not statistics or not set(statistics) <= set(STATISTICS):
        raise ValueError(f"statistics must be some of {STATISTICS}; got {statistics!r}")
    X, y, groups = check_samples(X, y, groups)
    classes, codes = encode_classes("a comparison with chance", y)
    seed = random_state
    if not (seed is None or isinstance(seed, Integral)):  # the same folds for every labelling
        seed = check_random_state(seed).randint(2**31 - 1)
    if "error" in statistics:
        cv = cv if isinstance(cv, Integral) else check_cv(cv, y, classifier=True)
        split_folds(cv, y, groups, random_state=seed)  # says what is wrong with them, once
    columns = _shared_columns(estimator, X)
    return Measure(estimator, X, classes, statistics, cv, seed, groups, columns), codes


def measure_in_parallel(
    trial: Callable[..., Measured],
    jobs: list[tuple[Any, ...]],
    *,
    n_jobs: int | None,
    verbose: int,
    what: str,
    max_seconds: float | None = None,
) -> list[Measured]:
    """The trials in their order, with a progress bar; Ctrl-C stops them.

    After the time limit no further one counts; the first two always do.
    """
    ends = np.inf if max_seconds is None else time.perf_counter() + max_seconds
    found: Any = judge_in_parallel(jobs, judge=trial, n_jobs=n_jobs)
    measured: list[Measured] = []
    for one in progress_bar(found, len(jobs), verbose > 0, what=what, unit="trial"):
        measured.append(one)
        if time.perf_counter() > ends and len(measured) >= 2:
            break
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib's, about the trials that are not wanted
        found.close()
    return measured


def _shared_columns(estimator: Any, X: Any) -> Columns | None:
    """Columns that serve the fits to all labellings, where the estimator takes such."""
    if not abilities_of(estimator).fits_columns:
        return None
    estimator._check_parameters()
    return standardize_columns(X, per_column=estimator.standardize)
