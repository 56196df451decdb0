"""Classifiers that pay for a feature once, however many classes it tells apart."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fewest._estimators.abilities import Abilities
from fewest._estimators.base import SelectingClassifier
from fewest._estimators.joint_task import JointTask, inseparable, unsolved
from fewest._estimators.panel_search import PanelSearch, find_candidate_problem
from fewest._estimators.probabilities import find_temperature
from fewest._estimators.rules import RULES_FAILED, check_room
from fewest._estimators.strict import count_errors
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_flag,
    mask_columns,
    unscale,
    weigh_many_classes,
)
from fewest._solvers.columns import Columns
from fewest._solvers.joint.margin import joint_margin
from fewest._solvers.joint.panel import (
    JointSelection,
    find_markers,
    minimize_joint_zero_norm,
)
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.smooth import draw_evenly
from fewest._solvers.joint.solve import JointResult, solve_joint
from fewest._solvers.result import Status
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError

MULTI_CLASS = ("joint", "separate")
# With more samples, the candidates for a panel are found on so many of them.
_ENOUGH = 10_000
# A relative gap that says nothing about the solution.
_UNSOLVED = 0.1


@dataclass(eq=False, repr=False, kw_only=True)
class JointClassifier(SelectingClassifier):
    """A selecting classifier that has a program for all classes together."""

    multi_class: str = "joint"
    max_features: int | None = None
    exact_features: bool = False
    min_per_class: int | None = None

    def _most_programs(self) -> int:
        """Of the reweighting loop; one where a subclass has no `max_iter`."""
        return int(vars(self).get("max_iter", 1))

    def _repeats_first_program(self) -> bool:
        """Whether repetitions may solve the first program, over fewer and fewer columns."""
        return self.max_features is None and not self._has_rules()

    def _abilities(self) -> Abilities:
        return replace(super()._abilities(), joins_classes=self.multi_class == "joint")

    def _asks_for_margin(self) -> bool:
        return self._has_margin or self.max_features is not None  # panels come from unit margins

    @abstractmethod
    def _joint_problem(self, task: JointTask) -> JointProblem:
        """The first linear program for all classes."""

    def _refuse_jointly(self) -> str:
        """Which parameter is for one hyperplane at a time; empty if all serve many classes."""
        return ""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("multi_class", self.multi_class, MULTI_CLASS)
        check_flag("exact_features", self.exact_features)
        if self.max_features is not None:
            check_count("max_features", self.max_features)
            if self.multi_class == "separate":
                raise ValueError('max_features needs one program for all: multi_class="joint"')
            if refusal := self._refuse_jointly():
                raise ValueError(f"max_features cannot be combined with {refusal}: leave one out")
        if self.min_per_class is not None:
            check_count("min_per_class", self.min_per_class)
            if self.max_features is None or np.isinf(self.C):
                raise ValueError("min_per_class needs max_features and a finite C")

    def _is_joint(self, n_classes: int) -> bool:
        """Whether one program tells all classes apart; a panel of k features has only that."""
        if self.max_features is None and (n_classes == 2 or self._refuse_jointly()):
            return False
        return self.multi_class == "joint"

    def _fit_columns(
        self, columns: Columns, codes: IndexArray, weight: FloatArray | None = None
    ) -> Any:
        if not self._is_joint(len(self.classes_)):
            return super()._fit_columns(columns, codes, weight)
        task = self._joint_task(columns, codes, weight)
        with self._watched(alone=True):
            selection, W, b = self._fit_by_rules(task)
            doubts = self._joint_doubts(task, selection)
        if self.verbose > 1:
            first = selection.steps[0]
            print(
                f"[{type(self).__name__}] {len(task.names)} classes: {selection.n_features} "
                f"features ({first.n_features} after the first program), {first.rounds} steps, "
                f"gap {selection.gap:.1e}, {selection.seconds:.3f} s"
            )
        self._keep_jointly(task, selection, W, b)
        for doubt in doubts:
            warnings.warn(doubt, ConvergenceWarning, stacklevel=3)
        return self

    def _fit_by_rules(
        self, task: JointTask, select: Callable[[JointTask], JointSelection] | None = None
    ) -> tuple[JointSelection, FloatArray, FloatArray]:
        """Selection and refit; again without features that share a group, or are turned."""
        select = self._select_jointly if select is None else select
        narrowed = False
        while True:
            try:
                selection = select(task)
            except NotSeparableError:
                if narrowed:
                    raise NotSeparableError(RULES_FAILED) from None
                raise
            if task.error_cost is None:
                selection, W, b = self._separate_jointly(task, selection)
            else:
                W, b = self._refit_jointly(task, selection)
            if task.rules is None:
                break
            sizes = np.abs(selection.W).max(axis=1, initial=0.0)
            broken = task.rules.find_crowded(selection.features, sizes)
            if len(task.names) == 2:
                turned = task.rules.find_turned(selection.features, W[:, 1] - W[:, 0])
                broken = np.union1d(broken, turned)
            if not len(broken):
                break
            task, narrowed = replace(task, columns=mask_columns(task.columns, broken)), True
        return selection, W, b

    def _joint_task(
        self, columns: Columns, codes: IndexArray, weight: FloatArray | None
    ) -> JointTask:
        names = tuple(self._label(code) for code in range(len(self.classes_)))
        counts = np.bincount(codes, minlength=len(names))
        if not counts.all():
            missing = names[int(np.argmin(counts))]
            raise ValueError(f"class {missing} has no sample of positive weight")
        error_cost = None
        if not np.isinf(self.C):
            weights = np.ones(len(codes)) if weight is None else weight
            error_cost = (
                self.C
                * weights
                * weigh_many_classes(self.class_weight, self.classes_.tolist(), codes, weights)
            )
        rules = self._read_rules(columns.n_features)
        if rules is not None and len(names) == 2:
            columns = rules.narrow(columns, np.where(codes == 1, 1.0, -1.0))
        elif rules is not None:
            vectors = JointProblem(codes, None, sample_weight=weight).mean_vectors
            columns = rules.narrow_jointly(columns, vectors)
        return JointTask(columns, codes, weight, error_cost, names, rules)

    def _select_jointly(self, task: JointTask) -> JointSelection:
        if self.max_features is not None and task.error_cost is not None:
            return self._search_panels(task, self.max_features).select(
                self.max_features, tol=self.tol
            )
        problem = self._joint_problem(task)
        return minimize_joint_zero_norm(
            problem,
            task.columns,
            error_cost=task.error_cost,
            tol=self.tol,
            max_iter=self._most_programs(),
            first=self._solve_first(task, problem),
            terms=task.terms,
        )

    def _solve_first(self, task: JointTask, problem: JointProblem) -> JointResult:
        first = solve_joint(problem, task.columns, tol=self.tol)
        if first.status is Status.INFEASIBLE:
            raise inseparable(task, first)
        if first.gap > _UNSOLVED and not current_watch().is_over:
            raise unsolved(task)
        return first

    def _find_always(self, task: JointTask, most: int) -> IndexArray:
        """Features in every panel: included ones, and those that every class must have.

        An error if there are none for a class, or more than `most` in all.
        """
        check_room(task.rules, most, "max_features")
        included, groups = np.empty(0, dtype=np.intp), None
        if task.rules is not None:
            included, groups = np.flatnonzero(task.rules.included), task.rules.rivalry.groups
        if self.min_per_class is None:
            return included
        problem = JointProblem(task.codes, None, sample_weight=task.sample_weight)
        always, has = find_markers(problem, task.columns, self.min_per_class, included, groups)
        for name, count in zip(task.names, has.tolist(), strict=True):
            if count < self.min_per_class:
                raise ValueError(
                    f"min_per_class={self.min_per_class}, but the features that may be selected "
                    f"together have {count or 'none'} whose mean is largest in {name}: lower "
                    "min_per_class, or exclude fewer features"
                )
        if len(always) > most:
            besides = " besides the features of include" if len(included) else ""
            raise ValueError(
                f"min_per_class={self.min_per_class} for each of {len(task.names)} classes"
                f"{besides} makes {len(always)} features, more than max_features={most}: raise "
                "max_features, or lower min_per_class"
            )
        return always

    def _find_least_size(self, n_features: int) -> int:
        """So many features are enough for any panel: included ones, and some for every class."""
        rules = self._read_rules(n_features)
        n_included = 0 if rules is None else rules.n_included
        return max(1, n_included + (self.min_per_class or 0) * len(self.classes_))

    def _search_panels(self, task: JointTask, least: int) -> PanelSearch:
        """What panels of `least` features and more share.

        Very many samples only decide on the last program.
        """
        always = self._find_always(task, least)
        rows = draw_evenly(task.codes, _ENOUGH)
        part = task if len(rows) == len(task.codes) else task.take(rows)
        problem = find_candidate_problem(part, self._joint_problem(part))
        first = self._solve_first(part, problem)
        whole = problem
        if self.refit is None:  # the weights of the last program decide: at the full C
            whole = replace(self._joint_problem(task), means_apart=False)
        elif part is not task:
            whole = find_candidate_problem(task, self._joint_problem(task))
        return PanelSearch(
            task,
            part,
            rows,
            whole,
            problem,
            first,
            always,
            fills_up=bool(self.exact_features),
        )

    def _fit_sizes(
        self, columns: Columns, codes: IndexArray, sizes: IndexArray
    ) -> Iterator[tuple[JointSelection, FloatArray, FloatArray]]:
        """For panels of several sizes, what was selected, and weights and biases to predict with.

        What the panels share is computed once.
        """
        task = self._joint_task(columns, codes, None)
        with self._watched(alone=True):
            search = self._search_panels(task, int(sizes.min()))
            for size in sizes.tolist():
                select = partial(self._select_again, search, size)
                selection, W, b = self._fit_by_rules(task, select)
                yield selection, W, b

    def _select_again(self, search: PanelSearch, size: int, task: JointTask) -> JointSelection:
        """A panel of this size; another search, if the rules left some columns out by now."""
        if task is not search.task:
            search = self._search_panels(task, size)
        return search.select(size, tol=self.tol)

    def _refit_jointly(
        self, task: JointTask, selection: JointSelection
    ) -> tuple[FloatArray, FloatArray]:
        """Weights and biases to predict with."""
        if self.refit is None or not selection.n_features:
            return selection.W, selection.b
        cost = _margin_cost(task, selection)
        block = task.columns.take(selection.features)
        return joint_margin(block, task.codes, cost, task.sample_weight)

    def _separate_jointly(
        self, task: JointTask, selection: JointSelection
    ) -> tuple[JointSelection, FloatArray, FloatArray]:
        """Weights and biases without training error, or NotSeparableError.

        The program without a margin may leave samples between two classes: more features may part
        them, unless no weights do.
        """
        parted = self._part_jointly(task, selection)
        if parted is not None:
            return selection, *parted
        failure: ValueError = unsolved(task)
        try:
            strict = self._solve_strictly_jointly(task)
            parted = None if strict is None else self._part_jointly(task, strict)
            if strict is not None and parted is not None:
                return strict, *parted
        except NotSeparableError as error:
            failure = error
        exact = self._decide_jointly(task, selection)
        if exact is None:
            raise failure
        separable, found = exact
        if not separable:
            raise inseparable(task)
        if found is None or count_errors(task.columns, found[0].features, task.codes, *found[1:]):
            raise unsolved(task)
        return found

    def _solve_strictly_jointly(self, task: JointTask) -> JointSelection | None:
        """The selection that keeps unit margins; None if that is the program already."""
        problem = self._joint_problem(task)
        if not problem.means_apart:
            return None
        problem = replace(problem, means_apart=False)
        return minimize_joint_zero_norm(
            problem,
            task.columns,
            error_cost=None,
            tol=self.tol,
            max_iter=self._most_programs(),
            first=self._solve_first(task, problem),
            terms=task.terms,
        )

    def _decide_jointly(
        self, task: JointTask, last: JointSelection
    ) -> tuple[bool, tuple[JointSelection, FloatArray, FloatArray] | None] | None:
        """Whether the classes are separable, in whole numbers, and how; None: not known."""
        return None

    def _part_jointly(
        self, task: JointTask, selection: JointSelection
    ) -> tuple[FloatArray, FloatArray] | None:
        """Weights and biases on these features; None if they do not separate all classes."""
        own = selection.W, selection.b
        block = task.columns.take(selection.features)
        cost = np.full(len(task.codes), np.inf)
        refit = joint_margin(block, task.codes, cost, task.sample_weight)
        for W, b in (refit, own):
            if not count_errors(task.columns, selection.features, task.codes, W, b):
                return own if self.refit is None else (W, b)
        return None

    def _joint_doubts(self, task: JointTask, selection: JointSelection) -> list[str]:
        doubts = []
        if self.max_features is not None and selection.n_features > self.max_features:
            doubts.append(
                f"{selection.n_features} features are needed to avoid errors, which is more than "
                f"max_features={self.max_features}: allow errors with a finite C"
            )
        doubts += self._unfinished_doubts(selection)
        if not selection.n_features:
            doubts.append(f"no feature was selected: {self._more_features}")
        return doubts

    def _keep_jointly(
        self, task: JointTask, selection: JointSelection, W: FloatArray, b: FloatArray
    ) -> None:
        """Translate the weights from standardised columns to X as it was given."""
        columns, features = task.columns, selection.features
        self.temperature_ = find_temperature(
            columns.take(features), task.codes, W, b, self._refit_on(task, selection)
        )
        rows = W.T
        if len(task.names) == 2:  # the second class against the first
            rows, b = rows[1:] - rows[:1], b[1:] - b[:1]
        self.results_ = (selection,)
        self.coef_ = np.zeros((len(rows), columns.n_features))
        self.standardized_coef_ = np.zeros_like(self.coef_)
        self.intercept_ = np.zeros(len(rows))
        for row, w in enumerate(rows):
            raw, self.intercept_[row] = unscale(columns, features, w, b[row])
            self.coef_[row, features] = raw
            self.standardized_coef_[row, features] = raw * columns.deviations(features)
        self.support_ = np.zeros(columns.n_features, dtype=bool)
        self.support_[features] = True
        self.supports_ = np.tile(self.support_, (len(rows), 1))
        self.n_iter_ = len(selection.steps)

    def _refit_on(self, task: JointTask, selection: JointSelection) -> Any:
        """How weights are found on some of the samples, for probabilities."""
        if self.refit is None or not selection.n_features:
            return None
        cost = _margin_cost(task, selection)

        def refit(block: FloatArray, rows: IndexArray) -> tuple[FloatArray, FloatArray]:
            weight = None if task.sample_weight is None else task.sample_weight[rows]
            return joint_margin(block[rows], task.codes[rows], cost[rows], weight)

        return refit


def _margin_cost(task: JointTask, selection: JointSelection) -> FloatArray:
    """What a missed margin costs in the refit; infinite where the selection needed no slack.

    More than two classes differ by the square roots of their factors: half way between counting
    every class, as the choice of features does, and counting every sample.
    """
    if task.error_cost is None or not np.any(selection.slack > 0.0):
        return np.full(len(task.codes), np.inf)
    if len(task.names) == 2:
        return task.error_cost
    weight = np.ones(len(task.codes)) if task.sample_weight is None else task.sample_weight
    softened = weight * np.sqrt(task.error_cost / weight)
    return np.asarray(softened * (task.error_cost.sum() / softened.sum()))
