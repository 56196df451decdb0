"""What a machine shows on samples that are labelled one way or another."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from fewest._estimators.abilities import abilities_of, selection_of
from fewest._estimators.held_out import run_held_out
from fewest._estimators.in_time import ending_in_time
from fewest._estimators.splits import fit_within, split_folds
from fewest._estimators.validation import encode_classes, standardize_columns
from fewest._gaps import fill_all
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


@dataclass(eq=False)
class Measure:
    """A machine and the samples on which it is to be measured, labelled one way or another.

    `columns` are means and scales, which do not depend on the labels; None where the machine does
    not take them.
    """

    estimator: Any
    X: Any
    classes: NDArray[Any]
    statistics: tuple[str, ...]
    cv: Any
    fold_seed: int | None
    groups: NDArray[Any] | None
    columns: Columns | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if abilities_of(self.estimator).fits_columns:
            self.estimator._check_parameters()
            self.columns = standardize_columns(self.filled, per_column=self.estimator.standardize)

    @property
    def filled(self) -> Any:
        """X for fits to all samples."""
        return fill_all(self.X)

    def __call__(self, codes: IndexArray, error: float | None = None) -> Measured:
        """Measure this labelling; an error that is known already is not measured again."""
        features = objective = np.nan
        codes = codes.astype(np.intp)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said of permuted labels, they would only alarm
            if "features" in self.statistics:
                features, objective = self.count_features(codes)
            if error is None:
                error = self._error(codes) if "error" in self.statistics else np.nan
        return Measured(features, objective, error)

    def count_features(self, codes: IndexArray) -> tuple[float, float]:
        """Features, and objective of the first program; infinite without a hyperplane."""
        machine = clone(self.estimator)
        try:
            if self.columns is None:
                fit_within(machine, self.filled, self.classes[codes], self.groups)
            else:
                machine.classes_ = self.classes
                with ending_in_time():
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
    X, y, groups = check_samples(X, y, groups, estimator)
    classes, codes = encode_classes("a comparison with chance", y)
    seed = random_state
    if not (seed is None or isinstance(seed, Integral)):  # the same folds for every labelling
        seed = check_random_state(seed).randint(2**31 - 1)
    if "error" in statistics:
        cv = cv if isinstance(cv, Integral) else check_cv(cv, y, classifier=True)
        split_folds(cv, y, groups, random_state=seed)  # says what is wrong with them, once
    return Measure(estimator, X, classes, statistics, cv, seed, groups), codes
