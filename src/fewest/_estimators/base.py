"""What the selecting classifiers share: one hyperplane per class, margin refit, prediction."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from time import monotonic
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import Abilities, Selection, Selector
from fewest._estimators.certificate import Certificate
from fewest._estimators.decisions import LinearClassifier
from fewest._estimators.in_time import time_job
from fewest._estimators.probabilities import find_temperature, pair_scores
from fewest._estimators.rules import RuleParameters
from fewest._estimators.strict import are_parted, count_errors
from fewest._estimators.tasks import BinaryTask, Hyperplane, inseparable, solved, unsolved
from fewest._estimators.validation import (
    check_choice,
    check_data,
    check_positive,
    check_usual_parameters,
    drop_zero_weights,
    encode_classes,
    standardize_columns,
    unscale,
    weigh_classes,
)
from fewest._run.progress import Progress, run_in_threads
from fewest._solvers.columns import Columns
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.result import Status
from fewest._solvers.watch import Watch, current_watch, watching
from fewest._types import FloatArray, IndexArray


@dataclass(eq=False, repr=False, kw_only=True)
class SelectingClassifier(
    RuleParameters, Selector, LinearClassifier, BaseEstimator, metaclass=ABCMeta
):
    """A linear classifier that is zero on most features, and a selector of the others.

    A subclass says how one binary task is solved; it has the parameters `C`, `class_weight` (or
    its own `_price_errors`). Parameters are fields of dataclasses: the first may be given by place.
    """

    standardize: bool = True
    refit: str | None = None
    tol: float = 1e-7
    max_seconds: float | None = None
    n_jobs: int | None = None
    verbose: int = 0

    _people_name: ClassVar[str]
    _infinity = ""  # what an infinite C stands for, where it is allowed
    _has_margin: ClassVar[bool] = False  # a sample with slack may still be on its side
    _more_features = "raise C"  # advice where a fit selects none

    def _abilities(self) -> Abilities:
        return Abilities(
            self._people_name,
            fits_columns=True,
            counts_features=True,
            predicts_from_support=True,
            reads_blocks=True,
            calibrates_selected=True,
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

    def _certificates(self, signs: FloatArray) -> tuple[Certificate, ...]:
        return tuple(_certificate(result, self._asks_for_margin()) for result in self.results_)

    def _asks_for_margin(self) -> bool:
        """Whether a sample with slack may still be on its side."""
        return self._has_margin

    @abstractmethod
    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        """Features, weights and bias for one class against the rest."""

    def _solve_strictly(self, task: BinaryTask) -> Iterator[ZeroNormResult]:
        """Solutions that leave no sample on the hyperplane, where programs do not ask for it."""
        return iter(())

    def _decide_exactly(
        self, task: BinaryTask, last: ZeroNormResult
    ) -> tuple[bool, Hyperplane | None] | None:
        """Whether the classes are separable, in whole numbers, and how; None: not known."""
        return None

    def _check_parameters(self) -> None:
        """Raise a ValueError that names the parameter and its admissible values."""
        check_usual_parameters(self)
        check_choice("refit", self.refit, ("margin", None))
        self._check_rules()
        if self.max_seconds is not None:
            check_positive("max_seconds", self.max_seconds)
        if "C" in vars(self):
            check_positive("C", self.C, infinity=self._infinity)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Select features and fit the hyperplane (one per class if there are more than two).

        Parameters
        ----------
        X : array, sparse matrix, data frame, Store or AnnData of shape (n_samples, n_features)
            Numbers of any type; not copied, centred or converted as a whole, unless samples of
            weight zero or duplicate sparse entries have to be removed. To use a file that is larger
            than memory, open it with :func:`fewest.stores.open_store`.
        y : array of shape (n_samples,) or str
            Class labels, two or more different ones. If X is an AnnData object: the column of
            `obs` that holds them; cells without a label are left out, with a warning.
        sample_weight : array of shape (n_samples,), optional
            A sample of weight two counts as two samples. Samples of weight zero are left out.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit_columns(*self._prepare(X, y, sample_weight))

    def _prepare(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Columns, IndexArray, FloatArray | None]:
        """Standardised columns, places in `classes_` and weights of the samples to fit to."""
        self._check_parameters()
        X, y = check_data(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        X, codes, weight = drop_zero_weights(X, codes, sample_weight)
        encode_classes(type(self).__name__, self.classes_[codes])  # two of them are left, at least
        columns = standardize_columns(X, weight, per_column=self.standardize, codes=codes)
        return columns, codes, weight

    def _fit_columns(
        self, columns: Columns, codes: IndexArray, weight: FloatArray | None = None
    ) -> Any:
        """Fit to standardised columns, which may serve many fits, and to places in `classes_`."""
        tasks = self._class_tasks(columns, codes, weight)
        jobs = [(task, len(tasks) == 1) for task in tasks]
        began = monotonic()
        fits = run_in_threads(
            time_job(self._fit_watched), jobs, self.n_jobs, self.verbose, self._people_name, "class"
        )
        self._keep_all(columns, fits)
        left = None if self.max_seconds is None else self.max_seconds - (monotonic() - began)
        with watching(Watch(left)):
            self._calibrate(tasks, [plane for plane, _ in fits], codes)
        return self

    def _calibrate(
        self, tasks: list[BinaryTask], planes: list[Hyperplane], codes: IndexArray
    ) -> None:
        """Find the temperature of the probabilities on samples left out of the refit."""
        features = np.flatnonzero(self.support_)
        places = [np.searchsorted(features, plane.result.features) for plane in planes]
        w = np.zeros((len(features), len(planes)))
        for column, (plane, own) in enumerate(zip(planes, places, strict=True)):
            w[own, column] = plane.w
        b = np.array([plane.b for plane in planes])

        def refit(block: FloatArray, rows: IndexArray) -> tuple[FloatArray, FloatArray]:
            W, biases = np.zeros_like(w), np.empty(len(b))
            for column, (task, own) in enumerate(zip(tasks, places, strict=True)):
                found = task.find_margin_of(block[np.ix_(rows, own)], rows)
                W[own, column], biases[column] = found
            return pair_scores(W), pair_scores(biases[None])[0]

        given = tasks[0].columns.take(features), codes, pair_scores(w), pair_scores(b[None])[0]
        can_refit = self.refit == "margin" and len(features) > 0
        try:
            self.temperature_ = find_temperature(*given, refit if can_refit else None)
        except TimeIsUpError:
            self.temperature_ = find_temperature(*given, None)

    def _keep_all(self, columns: Columns, fits: list[tuple[Hyperplane, list[Warning]]]) -> None:
        """Keep the hyperplanes of all tasks, and warn of what is doubtful about them."""
        self._keep(columns, [plane for plane, _ in fits])
        for _, doubts in fits:
            for doubt in doubts:
                warnings.warn(doubt, stacklevel=4)

    @property
    def result_(self) -> ZeroNormResult:
        """Solution and certificates of a two-class fit (`results_[0]`)."""
        check_is_fitted(self)
        if len(self.results_) > 1:
            raise AttributeError("there is one result per class here: see `results_`")
        return self.results_[0]

    def _binary_task(self, X: Any, y: ArrayLike) -> BinaryTask:
        """The task of two classes, for functions that solve it themselves."""
        tasks = self._class_tasks(*self._prepare(X, y))
        if len(tasks) != 1:
            raise ValueError(f"exactly two classes are needed; y has {len(self.classes_)}")
        return tasks[0]

    def _class_tasks(
        self, columns: Columns, codes: IndexArray, weight: FloatArray | None = None
    ) -> list[BinaryTask]:
        """One task, or one per class if there are more than two."""
        positives = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [self._task(columns, codes, positive, weight) for positive in positives]

    def _label(self, code: int) -> str:
        """The class as the user wrote it: 'ill' or 1, not np.str_('ill') or np.int64(1)."""
        return repr(self.classes_[[code]].tolist()[0])

    def _task(
        self, columns: Columns, codes: IndexArray, positive: int, weight: FloatArray | None
    ) -> BinaryTask:
        y = np.where(codes == positive, 1.0, -1.0)
        if not np.any(y > 0) or not np.any(y < 0):
            raise ValueError(f"class {self._label(positive)} has no sample of positive weight")
        error_cost = self._price_errors(y, codes, np.ones(len(y)) if weight is None else weight)
        rules = self._read_rules(columns.n_features)
        if rules is not None:
            columns = rules.narrow(columns, y)
        return BinaryTask(columns, y, weight, error_cost, self._label(positive), rules)

    def _price_errors(
        self, y: FloatArray, codes: IndexArray, weight: FloatArray
    ) -> FloatArray | None:
        """What an error on each sample costs; None if no errors are allowed."""
        if np.isinf(self.C):
            return None
        factors = weigh_classes(self.class_weight, self.classes_.tolist(), codes, y, weight)
        return self.C * weight * factors

    def _fit_watched(self, task: BinaryTask, alone: bool) -> tuple[Hyperplane, list[Warning]]:
        with self._watched(alone):
            return self._fit_one(task)

    @contextmanager
    def _watched(self, alone: bool) -> Iterator[None]:
        """One task within the time limit; its rounds are shown if it is the only one."""
        show = self.verbose > 0 and alone
        progress = Progress(None, what=self._people_name, unit=" rounds", show=show)
        watch = Watch(self.max_seconds, partial(_advance, progress) if show else None)
        with progress, watching(watch):
            yield

    def _fit_one(self, task: BinaryTask) -> tuple[Hyperplane, list[Warning]]:
        with solved(task):
            return self._finish(task, self._solve(task))

    def _finish(self, task: BinaryTask, result: ZeroNormResult) -> tuple[Hyperplane, list[Warning]]:
        """The hyperplane of a solved task, and what is doubtful about it; or an error."""
        plane = Hyperplane(result, result.w, result.b)
        if task.error_cost is None:
            plane = self._separate(task, result)
        elif result.status is Status.INFEASIBLE:
            raise inseparable(task)
        elif not np.isfinite(result.zero_norm_objective):
            raise unsolved(task)
        elif self.refit == "margin" and result.n_features:
            plane = self._with_margin(task, result)
        if self.verbose > 1:
            result, first = plane.result, plane.result.steps[0]
            print(
                f"[{type(self).__name__}] {task.name}: {result.n_features} features "
                f"({first.n_features} after the first program), {first.rounds} pricing rounds, "
                f"gap {result.gap:.1e}, {result.seconds:.3f} s"
            )
        return plane, self._doubts(task, plane)

    def _separate(self, task: BinaryTask, result: ZeroNormResult) -> Hyperplane:
        """A hyperplane without training error, or NotSeparableError.

        Programs without a margin may leave samples of both classes on the hyperplane itself: more
        features may part them, unless no hyperplane does.
        """
        further = iter(()) if result.status is Status.INFEASIBLE else self._solve_strictly(task)
        last = result
        for last in chain([result], further):
            plane = self._part(task, last) if np.isfinite(last.zero_norm_objective) else None
            if plane is not None:
                return plane
        exact = self._decide_exactly(task, last)
        if exact is None:
            raise inseparable(task) if last.status is Status.INFEASIBLE else unsolved(task)
        separable, plane = exact
        if not separable:
            raise inseparable(task)
        if plane is None or self._count_errors(task, plane):
            raise unsolved(task)
        return plane

    def _part(self, task: BinaryTask, result: ZeroNormResult) -> Hyperplane | None:
        """A hyperplane on these features; None if they do not separate the classes strictly."""
        plane = Hyperplane(result, result.w, result.b)
        if self.refit is None and not self._has_margin:
            Z = task.columns.take(result.features)
            return plane if are_parted(Z, task.y, result.w, result.b) else None
        if self.refit == "margin":
            margin = task.find_hard_margin(result.features)
            if margin is None:
                return None
            if task.rules is None or not len(task.rules.find_turned(result.features, margin[0])):
                plane = Hyperplane(result, *margin)
            elif not self._has_margin:  # the margin would turn a sign around: shift it instead
                plane = Hyperplane(result, result.w, task.find_middle(result.features, result.w))
        return None if self._count_errors(task, plane) else plane

    def _count_errors(self, task: BinaryTask, plane: Hyperplane) -> int:
        codes, b = (task.y > 0).astype(np.intp), np.array([plane.b])
        return count_errors(task.columns, plane.result.features, codes, plane.w[:, None], b)

    def _with_margin(self, task: BinaryTask, result: ZeroNormResult) -> Hyperplane:
        """Largest margin on the selected features; soft where the selection needed slacks."""
        margin = None
        if not np.any(result.slack > 0):
            margin = task.find_hard_margin(result.features)
        if margin is None:
            try:
                margin = task.find_soft_margin(result.features)
            except TimeIsUpError:
                return Hyperplane(result, result.w, result.b, is_late=True)
        if task.rules is not None and len(task.rules.find_turned(result.features, margin[0])):
            return Hyperplane(result, result.w, result.b)  # the margin would turn a sign around
        return Hyperplane(result, *margin)

    def _doubts(self, task: BinaryTask, plane: Hyperplane) -> list[Warning]:
        """What the user should know about an answer that is not quite what was asked for."""
        result = plane.result
        doubts = self._unfinished_doubts(result)
        if plane.is_late:
            doubts.append(
                f"the time is up: the weights for class {task.name} are those of the linear "
                "program, without the largest margin"
            )
        if not result.n_features:
            doubts.append(f"no feature was selected for class {task.name}: {self._more_features}")
        return [ConvergenceWarning(text) for text in doubts]

    def _unfinished_doubts(self, result: Any) -> list[str]:
        """What is open about a series of programs."""
        unfinished = result.status is Status.INACCURATE or not result.converged
        if unfinished and current_watch().is_over:
            limit = "" if self.max_seconds is None else f" (max_seconds={self.max_seconds:g})"
            return [
                f"the time is up{limit}: the first linear program is "
                f"closed to a relative gap of {result.steps[0].gap:.1e}, after "
                f"{len(result.steps)} program(s)"
            ]
        if result.status is Status.INACCURATE:
            return [
                f"the linear program closed only to a relative gap of {result.gap:.1e}: a smaller "
                "C or a larger tol may help"
            ]
        if not result.converged:
            return [f"the selection still changed after max_iter={len(result.steps)} programs"]
        return []

    def _keep(self, columns: Columns, planes: list[Hyperplane]) -> None:
        """Translate the hyperplanes from standardised columns to X as it was given."""
        self.results_: tuple[Any, ...] = tuple(plane.result for plane in planes)
        self.coef_ = np.zeros((len(planes), columns.n_features))
        self.standardized_coef_ = np.zeros_like(self.coef_)
        self.intercept_ = np.zeros(len(planes))
        self.supports_ = np.zeros((len(planes), columns.n_features), dtype=bool)
        for row, plane in enumerate(planes):
            features = plane.result.features
            raw, self.intercept_[row] = unscale(columns, features, plane.w, plane.b)
            self.coef_[row, features] = raw
            self.standardized_coef_[row, features] = raw * columns.deviations(features)
            self.supports_[row, features] = True
        self.support_ = np.any(self.supports_, axis=0)
        self.n_iter_ = max(len(result.steps) for result in self.results_)


def _advance(progress: Progress, note: str) -> None:
    progress.advance(1, note=note)


def _certificate(result: ZeroNormResult, has_margin: bool) -> Certificate:
    first = result.steps[0]
    return Certificate(
        objective=float(first.objective),
        lower_bound=float(first.bound),
        relative_gap=float(first.gap),
        pricing_rounds=int(first.rounds),
        linear_programs=len(result.steps),
        converged=bool(result.converged),
        status=str(result.status),
        samples_on_wrong_side=int(np.sum(result.slack > float(has_margin))),
        samples_inside_margin=int(np.sum(result.slack > 0)) if has_margin else None,
    )
