"""Support Feature Machines on one task for many values of C, each first program from the last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fewest._estimators.base import BinaryTask, Hyperplane
from fewest._solvers.linear.path import PathSolver
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.problem import SMALLEST_SLACK_COST, Problem
from fewest._solvers.result import Result, Status, WarmStart
from fewest._types import FloatArray
from fewest.machines.sfm import SupportFeatureMachine
from fewest.machines.union import unions

# Slack costs above this are better tried as infinite, which the solver does by itself.
NEARLY_HARD = 100.0


def machines_along(
    machine: SupportFeatureMachine,
    task: BinaryTask,
    Cs: FloatArray,
    n_subsets: int,
    failures: list[ValueError],
) -> list[list[Hyperplane]]:
    """For every C the machines on one, two, ... subsets; none where there is no hyperplane.

    `task` has the costs of C = 1. Why a machine could not be trained is added to `failures`.
    """
    follower = _Follower(machine, task)
    found: list[list[Hyperplane]] = [[] for _ in Cs]
    for place in np.argsort(Cs, kind="stable"):
        C = float(Cs[place])
        follower.machine.C = C
        at_C = replace(task, error_cost=None if np.isinf(C) else C * task.error_cost)
        try:
            first = follower.machine_at(at_C)
        except ValueError as error:  # of C = inf, or of outliers: another C may do
            failures.append(error)
            continue
        found[place] = unions(follower.machine, at_C, first, n_subsets)
    return found


def unit_cost(task: BinaryTask) -> FloatArray:
    """Slack costs of the first program for C = 1."""
    return task.error_cost / np.sqrt(task.columns.n_usable)


def unit_problem(machine: SupportFeatureMachine, task: BinaryTask) -> Problem:
    """The first program for C = 1."""
    return machine._first_problem(task).with_slack_cost(unit_cost(task))


class _Follower:
    """Machines for growing C on one task, whose first programs follow one another."""

    def __init__(self, machine: SupportFeatureMachine, task: BinaryTask) -> None:
        self.machine = _FollowingMachine(**{**machine.get_params(), "verbose": 0})
        self._unit_cost = unit_cost(task)
        self._solver = PathSolver(unit_problem(machine, task), task.columns, tol=machine.tol)

    def machine_at(self, task: BinaryTask) -> Hyperplane:
        """What the machine makes of the task at its present C."""
        machine = self.machine
        machine.first = None
        low, high = machine.C * self._unit_cost.min(), machine.C * self._unit_cost.max()
        if low >= SMALLEST_SLACK_COST and high <= NEARLY_HARD:
            first = self._solver.solve_at(machine.C)
            machine.warm = first.warm
            machine.first = first if first.status is Status.OPTIMAL else None
        return machine._fit_one(task)[0]


class _FollowingMachine(SupportFeatureMachine):
    """A machine whose first program is solved already, or may start from another one."""

    first: Result | None = None
    warm: WarmStart | None = None

    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        return self._solve_from(task, first=self.first, warm=self.warm)
