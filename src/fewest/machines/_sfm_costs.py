"""Values of C worth trying, and the hyperplanes of one task for all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.base import clone

from fewest._estimators.tasks import BinaryTask, Hyperplane
from fewest._solvers.columns import Columns
from fewest._solvers.linear.path import PathSolver
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import SMALLEST_SLACK_COST, Problem
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest.machines.sfm import SupportFeatureMachine
from fewest.machines.union import find_unions

# Slack costs above this are better tried as infinite, which the solver does by itself.
_NEARLY_HARD = 100.0
# The smallest C: a feature has to correct two errors, or, for many samples, errors of all of them
# together cost this many features. Below that, one feature is all that is selected, and candidates
# that differ by chance only make the choice worse.
_LEAST_COST, _LEAST_TOTAL_COST = 0.5, 25.0
# The largest finite C, in units of the smallest: the C from which on the first program is that of
# the hard machine, but within these bounds. The reweighting loop trades errors for features beyond
# that point, too, as most errors are small; and where classes overlap there is no such point.
_NARROWEST, _WIDEST = 16.0, 32.0

# With more samples and more features than this, a hyperplane without errors is not looked for.
_MANY = 3000


def follow_costs(
    machine: SupportFeatureMachine,
    task: BinaryTask,
    Cs: FloatArray,
    n_subsets: int,
    failures: list[ValueError],
) -> list[list[Hyperplane]]:
    """For every C the hyperplanes on one, two, ... subsets; none where there is no hyperplane.

    `task` has the costs of C = 1. Why there is none is added to `failures`.
    """
    machine = clone(machine).set_params(verbose=0)
    assert task.error_cost is not None
    problem = machine._first_problem(task)
    cost = problem.slack_bounds()
    solver = PathSolver(problem, task.columns, tol=machine.tol)
    found: list[list[Hyperplane]] = [[] for _ in Cs]
    warm = None
    for place in np.argsort(Cs, kind="stable"):
        C, first = float(Cs[place]), None
        at_C = replace(task, error_cost=None if np.isinf(C) else C * task.error_cost)
        if C * cost.min() >= SMALLEST_SLACK_COST and C * cost.max() <= _NEARLY_HARD:
            first = solver.solve_at(C)
            warm = first.warm
            first = first if first.status is Status.OPTIMAL else None
        try:
            plane, _ = machine._finish(at_C, machine._solve_from(at_C, first=first, warm=warm))
        except ValueError as error:  # of C = inf, or of outliers: another C may do
            failures.append(error)
        else:
            found[place] = find_unions(machine, at_C, plane, n_subsets)
    return found


def find_candidate_costs(
    machine: SupportFeatureMachine, tasks: list[BinaryTask], count: int, *, include_hard: bool
) -> FloatArray:
    """At most `count` values in increasing order; infinity last where the classes are separable.

    The tasks have the costs of C = 1.
    """
    problems = [machine._first_problem(task) for task in tasks]
    ends = [
        _find_path_end(problem, task.columns, machine.tol)
        for problem, task in zip(problems, tasks, strict=True)
    ]
    with_hard = include_hard and not any(np.isinf(end) for end in ends)
    costs = [problem.slack_bounds() for problem in problems]
    low = max(map(_find_path_start, tasks, costs))
    high = low * float(np.clip(max(ends) / low, _NARROWEST, _WIDEST))
    steepest = max(float(cost.max()) for cost in costs)
    high = max(low, min(high, _NEARLY_HARD / steepest))
    values = np.geomspace(low, high, count - with_hard)
    return np.append(values, np.inf) if with_hard else values


def _find_path_start(task: BinaryTask, slack_cost: FloatArray) -> float:
    """The C below which one feature is left, and its errors are not worth another one."""
    assert task.error_cost is not None
    start = min(_LEAST_COST, _LEAST_TOTAL_COST / float(task.error_cost.sum()))
    return max(start, SMALLEST_SLACK_COST / float(slack_cost.min()))


def _find_path_end(problem: Problem, columns: Columns, tol: float) -> float:
    """The C from which on the first program is that of the hard machine; infinite for overlap.

    Whether many samples on many features overlap is not decided, only assumed.
    """
    if min(columns.n_samples, columns.n_usable) > _MANY:
        return np.inf
    hard = solve(problem.with_slack_cost(None), columns, tol=tol)
    if hard.status is not Status.OPTIMAL:
        return np.inf
    return float((hard.alpha / problem.slack_bounds()).max())
