"""One labelling measured: how many features it needs, and how well it can be predicted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import check_consistent_length, column_or_1d

from fewest._estimators.base import SelectingClassifier
from fewest._estimators.splits import balanced_error, fit_with_groups
from fewest._estimators.validation import check_data, standardize_columns
from fewest._run.progress import interrupts_ignored, progress_bar
from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine

STATISTICS = ("features", "error")


@dataclass(frozen=True)
class Measured:
    """What one labelling showed; infinite where the machine allows no error, but one is needed.

    `features` counts errors too where the machine allows them, at the price it puts on them, and
    those of all machines if there are more than two classes;
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
    groups: NDArray[Any] | None
    columns: Columns | None

    def __call__(self, codes: IndexArray, error: float | None = None) -> Measured:
        """Measure this labelling; an error that is known already is not measured again."""
        with warnings.catch_warnings():
            # Said of permuted labels, they would only alarm.
            warnings.simplefilter("ignore", ConvergenceWarning)
            measured = Measured()
            if "features" in self.statistics:
                measured = self._features(codes)
            if "error" in self.statistics:
                measured = replace(measured, error=self._error(codes) if error is None else error)
        return measured

    def on(self, X: Any) -> Measure:
        """The same measure of other samples."""
        return replace(self, X=X, columns=_shared_columns(self.estimator, X))

    def _features(self, codes: IndexArray) -> Measured:
        machine = clone(self.estimator)
        try:
            if self.columns is None:
                fit_with_groups(machine, self.X, self.classes[codes], self.groups)
                return Measured(features=_n_selected(machine))
            machine.classes_ = self.classes
            machine._fit_columns(self.columns, codes)
        except NotSeparableError:
            return Measured(features=np.inf, objective=np.inf)
        return Measured(
            features=float(sum(result.zero_norm_objective for result in machine.results_)),
            objective=float(sum(result.steps[0].objective for result in machine.results_)),
        )

    def _error(self, codes: IndexArray) -> float:
        """Balanced error on samples that had no part in the fit, over all folds together."""
        predicted = np.empty_like(codes)
        for train, test in self.cv.split(self.X, codes, self.groups):
            machine = clone(self.estimator)
            try:
                groups = None if self.groups is None else self.groups[train]
                fit_with_groups(machine, self.X[train], codes[train], groups)
            except NotSeparableError:
                return float(np.inf)
            predicted[test] = machine.predict(self.X[test])
        return balanced_error(codes, predicted)


def make_measure(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    statistics: Any,
    cv: Any,
    groups: ArrayLike | None,
) -> tuple[Measure, IndexArray]:
    """The measure, and the labels as places in its classes."""
    estimator = SupportFeatureMachine(C=np.inf) if estimator is None else estimator
    statistics = (statistics,) if isinstance(statistics, str) else tuple(statistics)
    if not statistics or not set(statistics) <= set(STATISTICS):
        raise ValueError(f"statistics must be some of {STATISTICS}; got {statistics!r}")
    X, y = check_data(BaseEstimator(), X, y)
    X = X.tocsr() if hasattr(X, "tocsr") else X  # folds take rows
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds a single class, {classes.tolist()[0]!r}: nothing to compare")
    if groups is not None:
        groups = column_or_1d(groups)
        check_consistent_length(y, groups)
    if "error" in statistics:
        cv = _splitter(cv, codes, groups)
    measure = Measure(estimator, X, classes, statistics, cv, groups, _shared_columns(estimator, X))
    return measure, codes


def measure_in_parallel(
    trial: Callable[..., Measured],
    arguments: list[tuple[Any, ...]],
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
    with interrupts_ignored():
        found: Iterator[Measured] = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(trial)(*argument) for argument in arguments
        )
    measured = []
    for one in progress_bar(found, len(arguments), verbose > 0, what=what, unit="trial"):
        measured.append(one)
        if time.perf_counter() > ends and len(measured) >= 2:
            break
    if len(measured) < len(arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, about the trials that are not wanted
            found.close()
    return measured


def column(measured: list[Measured], statistic: str) -> FloatArray:
    """One statistic of all trials."""
    return np.array([getattr(one, statistic) for one in measured])


def _shared_columns(estimator: Any, X: Any) -> Columns | None:
    """Means and scales, which do not depend on the labels: computed once for all labellings."""
    # A subclass with a `fit` of its own (C by cross-validation, say) must be asked for all of it.
    if getattr(type(estimator), "fit", None) is not SelectingClassifier.fit:
        return None
    estimator._check_parameters()
    return standardize_columns(X, None, per_column=estimator.standardize)


def _splitter(cv: Any, codes: IndexArray, groups: NDArray[Any] | None) -> Any:
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        smallest = int(np.bincount(codes).min())
        if not 2 <= cv <= smallest:
            raise ValueError(
                f"cv = {cv} folds are impossible: the smallest class has {smallest} sample(s). "
                f"Choose 2 to {smallest} folds, or statistics='features'"
            )
        if groups is not None:
            return StratifiedGroupKFold(int(cv))
    return check_cv(cv, codes, classifier=True)


def _n_selected(machine: Any) -> float:
    chosen = selected_features(machine)
    if chosen is None:
        raise ValueError(
            f"{type(machine).__name__} does not say which features it uses: it has neither "
            "get_support nor coef_. Take statistics='error'"
        )
    return float(np.sum(chosen))


def selected_features(machine: Any) -> NDArray[np.bool_] | None:
    """Mask of the features that a fitted machine uses; None where it does not say."""
    if hasattr(machine, "get_support"):
        return np.asarray(machine.get_support(), dtype=bool)
    if hasattr(machine, "coef_"):
        return np.any(np.atleast_2d(machine.coef_) != 0, axis=0)
    return None
