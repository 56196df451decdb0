"""Training one estimator again and again, each time without the features found so far."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from fewest._estimators.abilities import abilities_of, selection_of
from fewest._estimators.base import SelectingClassifier
from fewest._estimators.rules import rules_of
from fewest._estimators.splits import fit_within
from fewest._estimators.strict import count_errors
from fewest._estimators.tasks import BinaryTask, Hyperplane, solved
from fewest._estimators.validation import (
    encode_classes,
    mask_columns,
    share_scale,
    standardize_columns,
)
from fewest._run.progress import run_in_threads
from fewest._solvers.linear.repeat import Repeater
from fewest._types import BoolArray, FloatArray, IndexArray
from fewest.repetition._records import check_states, check_trained


@dataclass(frozen=True, eq=False)
class Trained:
    """One repetition: features, hyperplanes for X as it was given, and the training error.

    The error is the share of samples that `predict` would put into another class than their own.
    """

    features: IndexArray
    coef: FloatArray  # one row per hyperplane, one column per feature
    intercept: FloatArray
    error: float
    objective: float  # of the first linear program, summed over the hyperplanes
    gap: float  # the largest relative duality gap of all programs


class Trainer(ABC):
    """Trains on the features that are left."""

    _more_entries: frozenset[str] = frozenset()  # of a record

    @property
    @abstractmethod
    def n_left(self) -> int:
        """Features that vary and are not set aside."""

    @abstractmethod
    def train(self) -> Trained | ValueError:
        """What the estimator finds in the rest, or the error that says why it finds nothing."""

    @abstractmethod
    def remove(self, features: IndexArray) -> None:
        """Set these features aside."""

    def record(self, trained: Trained) -> dict[str, Any]:
        """The repetition just removed, and all that the next one starts from, for JSON."""
        return {
            field.name: np.asarray(getattr(trained, field.name)).tolist()
            for field in fields(trained)
        }

    @abstractmethod
    def find_left(self) -> BoolArray:
        """For every feature, whether it varies and is not set aside."""

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """How many classes there are."""

    def restore(self, record: Any) -> Trained:
        """What `record` has recorded, and the trainer as it was then; or a RecordError."""
        names = {field.name for field in fields(Trained)} | self._more_entries
        check_trained(record, self.find_left(), self.n_classes, names)
        found = {field.name: record[field.name] for field in fields(Trained)}
        for name, kind in (("features", np.intp), ("coef", None), ("intercept", None)):
            found[name] = np.array(found[name], dtype=kind)
        self.remove(found["features"])
        return Trained(**found)


def make_trainer(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    *,
    groups: NDArray[Any] | None = None,
    n_jobs: int | None,
) -> Trainer:
    """The trainer that suits the estimator; X and y are checked already."""
    estimator = clone(estimator)
    abilities = abilities_of(estimator)
    if abilities.refusal:
        raise ValueError(abilities.refusal)
    if rules_of(estimator).get("include") is not None:
        raise ValueError(
            "subsets have no feature in common, so none can be in all of them: leave include out"
        )
    joint = abilities.joins_classes and len(np.unique(y)) > 2
    if abilities.has_first_program and not joint:
        return TaskTrainer(estimator, X, y, n_jobs)
    return CopyTrainer(estimator, X, y, groups)


class TaskTrainer(Trainer):
    """For machines that begin with one program over all columns: those set aside are masked.

    The programs of all repetitions are solved by one `Repeater` per class, and X is never copied.
    """

    _more_entries = frozenset({"states"})

    def __init__(
        self, estimator: SelectingClassifier, X: Any, y: NDArray[Any], n_jobs: int | None
    ) -> None:
        estimator._check_parameters()
        self._estimator = estimator
        self._n_jobs = n_jobs
        estimator.classes_, self._codes = encode_classes(type(estimator).__name__, y)
        columns = standardize_columns(X, per_column=estimator.standardize)
        tasks = estimator._class_tasks(columns, self._codes)
        self._repeaters = [Repeater(columns) for _ in tasks]
        self._tasks = [
            replace(task, columns=repeater.columns)
            for task, repeater in zip(tasks, self._repeaters, strict=True)
        ]
        self._columns = self._repeaters[0].columns
        self._n_left = self._columns.n_usable

    @property
    def n_left(self) -> int:
        return self._n_left

    def train(self) -> Trained | ValueError:
        try:
            fits = self._fits()
        except ValueError as error:
            return error
        for _, doubts in fits:
            for doubt in doubts:
                warnings.warn(doubt, stacklevel=4)
        return self._describe([plane for plane, _ in fits])

    def remove(self, features: IndexArray) -> None:
        self._n_left -= len(features)  # all of them were left
        for repeater in self._repeaters:
            repeater.remove(features)

    def record(self, trained: Trained) -> dict[str, Any]:
        states = [repeater.state() for repeater in self._repeaters]
        return {**super().record(trained), "states": states}

    def find_left(self) -> BoolArray:
        return np.asarray(self._columns.inverse_scale != 0.0)

    @property
    def n_classes(self) -> int:
        return len(self._estimator.classes_)

    def restore(self, record: Any) -> Trained:
        trained = super().restore(record)
        check_states(record["states"], len(self._repeaters), self.find_left(), len(self._codes))
        for repeater, state in zip(self._repeaters, record["states"], strict=True):
            repeater.restore(state)
        return trained

    def _fits(self) -> list[tuple[Hyperplane, list[Warning]]]:
        pairs = list(zip(self._tasks, self._repeaters, strict=True))
        return run_in_threads(self._fit, pairs, self._n_jobs, changes_jobs=True)

    def _fit(self, task: BinaryTask, repeater: Repeater) -> tuple[Hyperplane, list[Warning]]:
        machine = self._estimator
        with solved(task):
            first = repeater.solve(machine._first_problem(task), tol=machine.tol)
            return machine._finish(task, machine._solve_from(task, first=first))

    def _describe(self, planes: list[Hyperplane]) -> Trained:
        features = np.unique(np.concatenate([plane.result.features for plane in planes]))
        w = np.zeros((len(planes), len(features)))
        for row, plane in enumerate(planes):
            w[row, np.searchsorted(features, plane.result.features)] = plane.w
        b = np.array([plane.b for plane in planes])
        coef = w * self._columns.inverse_scale[features]
        return Trained(
            features=features,
            coef=coef,
            intercept=b - coef @ self._columns.mean[features],
            error=count_errors(self._columns, features, self._codes, w.T, b) / len(self._codes),
            objective=sum(plane.result.steps[0].objective for plane in planes),
            gap=max(plane.result.gap for plane in planes),
        )


class CopyTrainer(Trainer):
    """For any other selecting estimator: one copy of X, in which columns set aside are zero."""

    def __init__(
        self, estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None
    ) -> None:
        self._estimator = estimator
        self._groups = groups
        self._X: Any = X.tocsc(copy=True) if sparse.issparse(X) else np.array(X)
        self._y = y
        self._columns = standardize_columns(self._X)

    def find_left(self) -> BoolArray:
        return np.asarray(self._columns.inverse_scale != 0.0)

    @property
    def n_classes(self) -> int:
        return len(np.unique(self._y))

    @property
    def n_left(self) -> int:
        return self._columns.n_usable

    def train(self) -> Trained | ValueError:
        try:
            machine = self._fit(clone(self._estimator))
        except ValueError as error:
            return error
        found = selection_of(machine)
        features = np.flatnonzero(found.support)
        coef, intercept, wrong = np.full((1, len(features)), np.nan), np.full(1, np.nan), np.nan
        if found.coef is not None and found.intercept is not None:
            coef, intercept = found.coef[:, features], found.intercept
        if abilities_of(machine).classifies:
            wrong = float(np.mean(machine.predict(self._X) != self._y))
        return Trained(features, coef, intercept, wrong, found.objective, found.gap)

    def _fit(self, machine: Any) -> Any:
        if not abilities_of(machine).fits_columns:
            return fit_within(machine, self._X, self._y, self._groups)
        machine._check_parameters()
        machine.classes_, codes = encode_classes(type(machine).__name__, self._y)
        columns = self._columns if machine.standardize else share_scale(self._columns)
        return machine._fit_columns(columns, codes)

    def remove(self, features: IndexArray) -> None:
        self._columns = mask_columns(self._columns, features)
        if not sparse.issparse(self._X):
            self._X[:, features] = 0
            return
        for feature in features:
            self._X.data[self._X.indptr[feature] : self._X.indptr[feature + 1]] = 0
