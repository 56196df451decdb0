"""What the selecting classifiers share: one machine a class, margin refit, prediction."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from fewest._estimators.abilities import Abilities, Selection, Selector
from fewest._estimators.validation import (
    check_data,
    drop_zero_weights,
    standardize_columns,
    weigh_classes,
)
from fewest._solvers.columns import Columns
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.margin import hard_margin, soft_margin
from fewest._solvers.problem import visible_slack_cost
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest.exceptions import NotSeparableError


@dataclass(frozen=True, eq=False)
class BinaryTask:
    """One class against another (or all others), ready for a solver."""

    columns: Columns
    y: FloatArray
    sample_weight: FloatArray | None
    error_cost: FloatArray | None  # None: no errors allowed
    name: str


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """A solved task: its programs, and the hyperplane on standardised columns to predict with."""

    result: ZeroNormResult
    w: FloatArray
    b: float


class SelectingClassifier(Selector, ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """A linear classifier that is zero on most features, and a selector of the others.

    A subclass says how one binary task is solved; it has the parameters `C`, `class_weight`,
    `standardize`, `refit`, `n_jobs` and `verbose`.
    """

    _people_name: ClassVar[str]
    _more_features = "raise C"  # advice where a fit selects none

    def _abilities(self) -> Abilities:
        return Abilities(
            self._people_name, fits_columns=True, counts_features=True, predicts_from_support=True
        )

    def _selection(self) -> Selection:
        return Selection(
            self.supports_,
            self.coef_,
            self.intercept_,
            cost=float(sum(result.zero_norm_objective for result in self.results_)),
            objective=float(sum(result.steps[0].objective for result in self.results_)),
            gap=max(result.gap for result in self.results_),
        )

    @abstractmethod
    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        """Features, weights and bias for one class against the rest."""

    def _solve_strictly(self, task: BinaryTask) -> ZeroNormResult | None:
        """A solution that leaves no sample on the hyperplane, where the method can ask for it."""
        return None

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise a ValueError that names the parameter and its admissible values."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Select features and fit the hyperplane (one a class if there are more than two).

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers of any type; not copied, centred or converted as a whole, unless samples of
            weight zero or duplicate sparse entries have to be taken out.
        y : array of shape (n_samples,)
            Class labels, two or more different ones.
        sample_weight : array of shape (n_samples,), optional
            A sample of weight two counts as two samples. Samples of weight zero are left out.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X, y = check_data(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        X, codes, weight = drop_zero_weights(X, codes, sample_weight)
        present = np.unique(codes)
        if len(present) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes, but y contains "
                f"only one class: {self._label(present[0])}"
            )
        return self._fit_columns(
            standardize_columns(X, weight, per_column=self.standardize), codes, weight
        )

    def _fit_columns(
        self, columns: Columns, codes: NDArray[np.intp], weight: FloatArray | None = None
    ) -> Any:
        """Fit to standardised columns, which may serve many fits, and to places in `classes_`."""
        tasks = self._class_tasks(columns, codes, weight)
        if len(tasks) == 1:
            fits = [self._fit_one(tasks[0])]
        else:
            fits = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._fit_one)(task) for task in tasks
            )
        self._keep(columns, [machine for machine, _ in fits])
        for _, doubts in fits:
            for doubt in doubts:
                warnings.warn(doubt, stacklevel=3)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Signed value of w . x + b; positive values speak for the (second) class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype="numeric", reset=False)
        used = np.flatnonzero(self.support_)
        scores = np.asarray(X[:, used] @ self.coef_[:, used].T) + self.intercept_
        return scores.ravel() if len(self.intercept_) == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each sample.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to classify.

        Returns
        -------
        array of shape (n_samples,)
        """
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[chosen]

    @property
    def result_(self) -> ZeroNormResult:
        """Solution and certificates of a two-class fit (`results_[0]`)."""
        check_is_fitted(self)
        if len(self.results_) > 1:
            raise AttributeError("there is one result a class here: see `results_`")
        return self.results_[0]

    def _binary_task(self, X: Any, y: ArrayLike) -> BinaryTask:
        """The validated task of a two-class problem, for functions that solve it themselves."""
        self._check_parameters()
        X, y = check_data(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"exactly two classes are needed; y has {len(self.classes_)}")
        columns = standardize_columns(X, None, per_column=self.standardize)
        return self._task(columns, codes, 1, None)

    def _class_tasks_of(self, X: Any, y: ArrayLike) -> list[BinaryTask]:
        """The validated tasks of `fit`: one, or one a class if there are more than two."""
        self._check_parameters()
        X, y = check_data(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"samples of at least two classes are needed; y contains only one class: "
                f"{self._label(0)}"
            )
        return self._class_tasks(
            standardize_columns(X, None, per_column=self.standardize), codes, None
        )

    def _class_tasks(
        self, columns: Columns, codes: NDArray[np.intp], weight: FloatArray | None
    ) -> list[BinaryTask]:
        positives = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        return [self._task(columns, codes, k, weight) for k in positives]

    def _label(self, code: int) -> str:
        """The class as the user wrote it: 'ill' or 1, not np.str_('ill') or np.int64(1)."""
        return repr(self.classes_[[code]].tolist()[0])

    def _task(
        self, columns: Columns, codes: NDArray[np.intp], positive: int, weight: FloatArray | None
    ) -> BinaryTask:
        y = np.where(codes == positive, 1.0, -1.0)
        if not np.any(y > 0) or not np.any(y < 0):
            raise ValueError(f"class {self._label(positive)} has no sample of positive weight")
        error_cost = None
        if not np.isinf(self.C):
            base = np.ones(len(y)) if weight is None else weight
            error_cost = (
                self.C
                * base
                * weigh_classes(self.class_weight, self.classes_.tolist(), codes, y, base)
            )
        return BinaryTask(columns, y, weight, error_cost, name=self._label(positive))

    def _fit_one(self, task: BinaryTask) -> tuple[Hyperplane, list[Warning]]:
        return self._finish(task, self._solve(task))

    def _finish(self, task: BinaryTask, result: ZeroNormResult) -> tuple[Hyperplane, list[Warning]]:
        """A solved task as a machine, and what is doubtful about it; an error if unsolvable."""
        if result.status is Status.INFEASIBLE:
            raise _inseparable(task)
        if not np.isfinite(result.zero_norm_objective):
            raise _unsolved(task)
        machine = Hyperplane(result, result.w, result.b)
        if self.refit == "margin" and result.n_features:
            machine = self._with_margin(task, result)
        if self.verbose:
            first = machine.result.steps[0]
            print(
                f"[{type(self).__name__}] {task.name}: {machine.result.n_features} features "
                f"({first.n_features} after the first program), {first.rounds} pricing rounds, "
                f"gap {machine.result.gap:.1e}, {machine.result.seconds:.3f} s"
            )
        return machine, self._doubts(task, machine)

    def _with_margin(self, task: BinaryTask, result: ZeroNormResult) -> Hyperplane:
        """Largest margin on the selected features; soft where the selection needed slacks."""
        if not np.any(result.slack > 0):
            plane = hard_margin(task.columns.take(result.features), task.y)
            if plane is None and task.error_cost is None:
                # Samples of both classes lie on the hyperplane itself: more features may part them.
                strict = self._solve_strictly(task)
                if strict is not None:
                    result = strict
                    plane = hard_margin(task.columns.take(result.features), task.y)
            if plane is not None:
                return Hyperplane(result, *plane)
        cost = task.error_cost if task.error_cost is not None else np.full(len(task.y), np.inf)
        return Hyperplane(result, *soft_margin(task.columns.take(result.features), task.y, cost))

    def _doubts(self, task: BinaryTask, machine: Hyperplane) -> list[Warning]:
        """What the user should know about an answer that is not quite what was asked for."""
        result, doubts = machine.result, []
        if result.status is Status.INACCURATE:
            doubts.append(
                f"the linear program closed only to a relative gap of {result.gap:.1e}: a smaller "
                "C or a larger tol may help"
            )
        elif not result.converged:
            doubts.append(
                f"the selection still changed after max_iter={len(result.steps)} programs"
            )
        if not result.n_features:
            doubts.append(f"no feature was selected for class {task.name}: {self._more_features}")
        elif self.refit == "margin" and task.error_cost is None:
            scores = task.columns.take(result.features) @ machine.w + machine.b
            if np.any(task.y * scores <= 0):
                doubts.append(
                    f"{np.sum(task.y * scores <= 0)} training sample(s) are not on their side of "
                    "the hyperplane, although no error is allowed: samples of both classes "
                    "coincide, or an outlier dwarfs what parts them. Allow errors with a finite C, "
                    "or transform such columns"
                )
        return [ConvergenceWarning(text) for text in doubts]

    def _keep(self, columns: Columns, machines: list[Hyperplane]) -> None:
        """Translate the machines from standardised columns to X as it was given."""
        self.results_ = tuple(machine.result for machine in machines)
        self.coef_ = np.zeros((len(machines), columns.n_features))
        self.intercept_ = np.zeros(len(machines))
        self.supports_ = np.zeros((len(machines), columns.n_features), dtype=bool)
        for row, machine in enumerate(machines):
            features = machine.result.features
            raw = machine.w * columns.inverse_scale[features]
            self.coef_[row, features] = raw
            self.intercept_[row] = machine.b - raw @ columns.mean[features]
            self.supports_[row, features] = True
        self.support_ = np.any(self.supports_, axis=0)
        self.n_iter_ = max(len(result.steps) for result in self.results_)


def slack_cost_on_papers_scale(task: BinaryTask) -> FloatArray | None:
    """Slack costs of the first program; None where no errors are allowed.

    The papers scale samples to norm one, while standardised samples have the (root-mean-square)
    norm sqrt(number of columns that vary).
    """
    if task.error_cost is None:
        return None
    return visible_slack_cost(task.error_cost / np.sqrt(task.columns.n_usable))


def _inseparable(task: BinaryTask) -> ValueError:
    if task.error_cost is None:
        return NotSeparableError(
            f"class {task.name} cannot be separated without error from the rest by any hyperplane "
            f"in these {task.columns.n_features} feature(s) (proven by a Farkas certificate). "
            "Allow errors with a finite C, for example C=1.0"
        )
    return ValueError(
        f"the means of class {task.name} and of the rest are equal in every feature, so that the "
        "equality of the Support Feature Machine cannot hold. Add features that differ"
    )


def _unsolved(task: BinaryTask) -> ValueError:
    message = (
        f"no hyperplane for class {task.name} was found, nor a proof that there is none. Outliers, "
        "or columns that are equal up to rounding, are the usual reason: transform or remove them"
    )
    if task.error_cost is None:
        return NotSeparableError(f"{message}, or allow errors with a finite C, for example C=1.0")
    return ValueError(f"{message}, or lower C")
