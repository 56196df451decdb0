"""The optimum as a function of C: at given values, or exactly, with every value where it changes.

With slack costs C k_i the optimal value is the lower envelope of straight lines in C,

    V(C) = min over solutions of  |w|_1  +  C sum_i k_i xi_i,

and the solution is constant between breakpoints. All of them are found by bisection: two solutions
give two lines; if the optimum at their crossing lies on them, there is no other line between them,
and otherwise it provides a third one. One master program serves all values of C: only the bounds of
its columns change, and it restarts from the last basis. With many samples, each program begins at
the last hyperplane instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fewest._solvers.columns import Columns
from fewest._solvers.linear.master import Master
from fewest._solvers.linear.solve import first_master, generate, has_many_samples, solve
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result, Status, WarmStart
from fewest._types import FloatArray

_ROUNDING = 1e-9


class PathSolver:
    """Solves a program for one value of C after the other; its slack costs are those of C = 1."""

    def __init__(self, problem: Problem, columns: Columns, *, tol: float = 1e-7) -> None:
        if problem.slack_cost is None:
            raise ValueError("a path needs a program with slack costs")
        self._problem = problem
        self._unit_cost = problem.slack_cost
        self._columns = columns
        self._tol = tol
        self._master: Master | None = None
        self._warm: WarmStart | None = None

    def solve_at(self, C: float) -> Result:
        problem = self._problem.with_slack_cost(C * self._unit_cost)
        if has_many_samples(problem):
            result = solve(problem, self._columns, tol=self._tol, warm=self._warm)
            self._warm = result.warm
            return result
        if self._master is None:
            self._master = first_master(problem, self._columns, None)
        else:
            self._master.change_slack_cost(problem)
        return generate(self._columns, self._master, tol=self._tol)

    def solve_all(self, Cs: Iterable[float]) -> list[Result]:
        return [self.solve_at(C) for C in Cs]

    def line(self, result: Result) -> Line:
        """The line of the objective over C on which this solution lies."""
        price = float(self._problem.costs(result.features) @ np.abs(result.w))
        return Line(price, float(self._unit_cost @ result.slack), result)


@dataclass(frozen=True, eq=False)
class Line:
    """Objective of one solution as C varies: weight + C * slack."""

    weight: float
    slack: float
    result: Result

    def at(self, C: float) -> float:
        return self.weight + C * self.slack

    def crossing(self, other: Line) -> float:
        return (other.weight - self.weight) / (self.slack - other.slack)


@dataclass(frozen=True, eq=False)
class ExactPath:
    """Solutions in the order of growing C; `breakpoints[i]` is where `results[i + 1]` takes over.

    The first solution holds from `low` on, the last one up to `high`. `complete` is False if the
    search ended at its limit of solutions.
    """

    report_kind = "path"  # as which `fewest.report` takes it
    low: float
    high: float
    breakpoints: FloatArray
    results: tuple[Result, ...]
    complete: bool


def exact_path(
    solver: PathSolver, low: float, high: float, *, max_solutions: int = 10_000
) -> ExactPath:
    """Every solution between two values of C.

    Solutions of equal objective on a whole interval (optima that are not unique) count as one.
    """
    first, last = _optimal_line(solver, low), _optimal_line(solver, high)
    lines, complete = [first], True
    # From left to right: consecutive programs are similar then.
    waiting = [last]
    while waiting:
        left, right = lines[-1], waiting[-1]
        between = None
        if len(lines) + len(waiting) >= max_solutions:
            complete = False
        elif not _same(left, right, high):
            between = _line_between(solver, left, right)
        if between is not None:
            waiting.append(between)
            continue
        waiting.pop()
        if not _same(left, right, high):
            lines.append(right)
    breakpoints = [one.crossing(two) for one, two in pairwise(lines)]
    return ExactPath(
        low, high, np.array(breakpoints), tuple(line.result for line in lines), complete
    )


def _line_between(solver: PathSolver, left: Line, right: Line) -> Line | None:
    """A line below both where they cross, if there is one."""
    C = left.crossing(right)
    line = _optimal_line(solver, C)
    lowest = left.at(C)
    return line if line.at(C) < lowest - _ROUNDING * max(1.0, lowest) else None


def _same(left: Line, right: Line, high: float) -> bool:
    """Lines that differ by rounding only, anywhere up to the largest C."""
    scale = _ROUNDING * max(1.0, left.at(high))
    return abs(left.weight - right.weight) <= scale and (
        abs(left.slack - right.slack) * high <= scale
    )


def _optimal_line(solver: PathSolver, C: float) -> Line:
    result = solver.solve_at(C)
    if result.status is not Status.OPTIMAL:
        raise ValueError(
            f"the path met a program that ended {result.status.value}: the exact path needs "
            "proven optima"
        )
    return solver.line(result)
