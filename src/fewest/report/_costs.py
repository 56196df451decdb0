"""Errors and number of features along C: from a result that has them, or from fits at some C."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fewest._estimators.abilities import SearchedCosts, abilities_of, searched_costs_of
from fewest._estimators.held_out import Fold, HeldOut, judge_costs, judge_in_parallel
from fewest._estimators.in_time import in_time
from fewest._estimators.splits import Split, balanced_error, split_folds
from fewest._run.budget import Budget
from fewest._solvers.linear.path import ExactPath, Line, PathSolver
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest._wording import percent
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report._plan import COST_SECONDS, MOST_SECONDS, count_folds, estimate_fit
from fewest.report._trust import spread
from fewest.report._trust_content import Spread
from fewest.report.content import CostCurve, CostPoint

_MOST_POINTS = 60
_VALUES = 8
# Slack costs between which the first program's breakpoints are searched: at the smaller one all
# errors together cost next to nothing, at the larger one a single one more than all features.
_SMALLEST, _LARGEST = 1e-6, 1e3
_MOST_STEPS = 100
_IN_FOLDS = (
    "Balanced errors in cross-validation, features selected again without the samples of the fold. "
    "The smallest error of many is optimistic."
)
_PATH = "a path over C"
_TRAINING = "Errors are those on the samples of the fit: they say nothing about new ones."


def find_costs(subject: Subject, held_out: HeldOut | None, data: Data, budget: Budget) -> CostCurve:
    """The curve; a ValueError that says why there is none."""
    if subject.fitted is None:
        raise ValueError("a smallest set allows no error, so there is no C to vary")
    searched = searched_costs_of(subject.fitted)
    if searched is not None:
        return _describe_search(searched)
    if not budget.left:
        raise budget.refuse(_PATH)
    estimator = subject.without_proof
    if not abilities_of(estimator).has_first_program:
        raise ValueError(f"{type(estimator).__name__} has no path over C in this report")
    n_fits = _VALUES * count_folds(held_out)
    if not budget.is_limited and n_fits * estimate_fit(estimator, data) > COST_SECONDS:
        raise ValueError(
            "a path over C would take too long for data of this size. The command fewest path "
            "shows it"
        )
    part = budget.take(MOST_SECONDS["costs"])
    with in_time(part, _PATH):
        return _follow(estimator, held_out, data, part)


def _follow(estimator: Any, held_out: HeldOut | None, data: Data, part: Budget) -> CostCurve:
    Cs = find_cost_grid(estimator, data, _VALUES, part)
    # What is warned of was said of the whole already, or is of a C that nobody chose.
    with warnings.catch_warnings(action="ignore"):
        splits = split_folds(data.cv, data.y, data.groups, random_state=data.random_state)
        points, before = [], time.perf_counter()
        for found in follow_costs(estimator, Cs, data, splits, known=held_out, budget=part):
            points.append(describe_cost(found.estimator.C, found))
            spent, before = time.perf_counter() - before, time.perf_counter()
            if spent * (len(Cs) - len(points)) > part.left:
                raise part.refuse(_PATH)
    words = _IN_FOLDS
    if held_out is not None and held_out.is_of(clone(estimator).set_params(C=np.inf)):
        words += _describe_hard(held_out.balanced_errors.mean(), held_out.sizes.mean())
    return CostCurve(points, None, len(splits), words)


def follow_costs(
    estimator: Any,
    Cs: FloatArray,
    data: Data,
    splits: Sequence[Split],
    *,
    known: HeldOut | None = None,
    budget: Budget | None = None,
    verbose: int = 0,
    what: str = "cross-validation",
) -> Iterator[HeldOut]:
    """The held-out loop for one C after the other; folds that are known are not fitted again.

    An OutOfTimeError after the fold in which the time of a budget ends.
    """
    machines = {C: clone(estimator).set_params(C=C) for C in Cs.tolist()}
    ready = {C: known for C, one in machines.items() if known is not None and known.is_of(one)}
    new = [C for C in machines if C not in ready]
    parts = [new] if abilities_of(estimator).follows_costs else [[C] for C in new]
    jobs = [(estimator, part, data.raw, data.y, *split) for part in parts for split in splits]
    found = iter(
        judge_in_parallel(
            jobs, judge=judge_costs, n_jobs=data.n_jobs, verbose=verbose, what=what, unit="fit"
        )
    )
    if budget is not None:
        found = _require_time(found, budget)
    for C in machines:
        if C not in ready:
            part, by_split = parts.pop(0), islice(found, len(splits))
            for at_C, folds in zip(part, zip(*by_split, strict=True), strict=True):
                ready[at_C] = HeldOut(data.y, folds, machines[at_C], data.groups)
        yield ready[C]


def _require_time(found: Iterator[Any], budget: Budget) -> Iterator[Any]:
    """The same, until time is over."""
    for one in found:
        if not budget.left:
            raise budget.refuse(_PATH)
        yield one


def describe_cost(
    C: float, held_out: HeldOut | None, whole: Fold | None = None, data: Data | None = None
) -> CostPoint:
    """One point; `whole` is the machine that was fitted to all samples and judged on them."""
    point = CostPoint(C=C)
    if whole is not None and data is not None:
        point = _describe_fit(C, np.flatnonzero(whole.support), whole.predicted, data)
    if held_out is None:
        return point
    error, size = spread(held_out.balanced_errors), spread(held_out.sizes)
    return replace(point, balanced_error=error, fold_n_features=size)


def _describe_fit(C: float, columns: Any, predicted: NDArray[Any], data: Data) -> CostPoint:
    return CostPoint(
        C=C,
        n_features=len(columns),
        features=data.names(columns),
        training_error=float(np.mean(predicted != data.y)),
        training_balanced_error=balanced_error(data.y, predicted),
    )


def describe_path(path: Any, data: Data) -> CostCurve:
    """A path over C that was given."""
    if isinstance(path, CostCurve):
        return path
    words, planes = _TRAINING, []
    values: Callable[..., FloatArray] = data.values
    if isinstance(path, ExactPath):
        starts, values = [path.low, *path.breakpoints], data.columns.take
        words = (
            f"The first linear program on all samples has {len(starts)} solutions between the ends "
            f"of this path. {_TRAINING}"
        )
        for C, one in zip(starts, path.results, strict=True):
            planes.append((C, one.features, one.w, one.b))
    else:
        for place in np.argsort(path.Cs, kind="stable"):
            used = np.flatnonzero(path.coefs[place])
            planes.append((path.Cs[place], used, path.coefs[place, used], path.intercepts[place]))
    shown = np.unique(np.linspace(0, len(planes) - 1, min(len(planes), _MOST_POINTS)).astype(int))
    points = []
    for C, features, w, b in (planes[place] for place in shown):
        predicted = data.classes[(values(features) @ w + b > 0).astype(np.intp)]
        points.append(_describe_fit(float(C), features, predicted, data))
    return CostCurve(points, None, None, words)


def _describe_search(found: SearchedCosts) -> CostCurve:
    points: list[CostPoint] = []
    words, chosen = _IN_FOLDS, None
    table = zip(found.Cs.tolist(), found.errors.tolist(), found.n_features.tolist(), strict=True)
    for place, (C, error, n_features) in enumerate(table):
        if np.isinf(C):
            words += _describe_hard(error, n_features)
            continue
        chosen = len(points) if place == found.chosen else chosen
        error_spread, size = Spread(error, None), Spread(n_features, None)
        points.append(CostPoint(C=C, balanced_error=error_spread, fold_n_features=size))
    return CostCurve(points, chosen, None, words)


def _describe_hard(error: float, n_features: float) -> str:
    """The machine that no finite C stands for, in words."""
    return (
        f" The hard machine, which allows no training error, has {percent(error)} with "
        f"{n_features:.1f} features on average."
    )


def find_cost_grid(
    estimator: Any, data: Data, n_Cs: int, budget: Budget | None = None
) -> FloatArray:
    """Increasing values of C, evenly in the logarithm between the ends of the exact path."""
    budget = Budget(None) if budget is None else budget
    ends = [_find_ends(estimator, data.X, data.y == label, budget) for label in data.positives]
    found = [end for end in ends if end is not None]
    if not found:  # the same features whatever the cost: one value says it all
        return np.ones(1)
    low, high = min(low for low, _ in found), max(high for _, high in found)
    return np.geomspace(low, high, n_Cs) if n_Cs > 1 else np.array([high])


def _find_ends(
    estimator: Any, X: Any, positive: NDArray[np.bool_], budget: Budget
) -> tuple[float, float] | None:
    """Costs just outside the first and the last breakpoint of the first linear program.

    Where no feature is selected below the first breakpoint, the cost is one just above it.
    """
    machine = clone(estimator).set_params(C=1.0)
    task = machine._binary_task(X, positive)
    problem = machine._first_problem(task)
    solver = PathSolver(problem, task.columns)
    low, high = _SMALLEST / problem.slack_cost.max(), _LARGEST / problem.slack_cost.min()
    results = [solver.solve_at(C) for C in (low, high)]
    if any(result.status is Status.INFEASIBLE for result in results):
        return None  # fitting will say why
    left, right = map(solver.line, results)
    first = _find_change(solver, left, right, budget)
    last = _find_change(solver, right, left, budget)
    if first is None or last is None:
        return None
    return first * (0.9 if left.result.n_features else 1.1), last * 1.1


def _find_change(solver: PathSolver, end: Line, other: Line, budget: Budget) -> float | None:
    """The breakpoint next to the solution at one end of the path; None if there is none.

    Where the lines of two solutions cross, the optimum is on both or on a third line below them,
    which is nearer to the end's own.
    """
    C = None
    for _ in range(_MOST_STEPS):
        if not budget.left:
            raise budget.refuse(_PATH)
        if abs(end.slack - other.slack) <= 1e-9 * max(1.0, end.slack, other.slack):
            return C
        C = end.crossing(other)
        between = solver.line(solver.solve_at(C))
        if between.at(C) >= end.at(C) - 1e-9 * max(1.0, end.at(C)):
            return C
        other = between
    return C
