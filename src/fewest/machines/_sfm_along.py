"""Hyperplanes of one task for many values of C, each first program from the last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.base import clone

from fewest._estimators.base import BinaryTask, Hyperplane
from fewest._solvers.linear.path import PathSolver
from fewest._solvers.problem import SMALLEST_SLACK_COST
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest.machines.sfm import SupportFeatureMachine
from fewest.machines.union import find_unions

# Slack costs above this are better tried as infinite, which the solver does by itself.
NEARLY_HARD = 100.0


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
    cost = unit_cost(task)
    problem = machine._first_problem(task).with_slack_cost(cost)
    solver = PathSolver(problem, task.columns, tol=machine.tol)
    found: list[list[Hyperplane]] = [[] for _ in Cs]
    warm = None
    for place in np.argsort(Cs, kind="stable"):
        C, first = float(Cs[place]), None
        at_C = replace(task, error_cost=None if np.isinf(C) else C * task.error_cost)
        if C * cost.min() >= SMALLEST_SLACK_COST and C * cost.max() <= NEARLY_HARD:
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


def unit_cost(task: BinaryTask) -> FloatArray:
    """Slack costs of the first program for C = 1."""
    assert task.error_cost is not None
    return task.error_cost / np.sqrt(task.columns.n_usable)
