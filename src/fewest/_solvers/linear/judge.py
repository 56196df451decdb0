"""A solved master program, judged against all columns and all samples, and what it makes known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fewest._solvers.certify import (
    DualPoint,
    dual_bound,
    dual_point,
    equality_shortfall,
    objective_value,
    price_ratios,
    slack_and_violation,
)
from fewest._solvers.columns import Columns
from fewest._solvers.linear.master import Master, MasterSolution
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result, Status, WarmStart, is_gap_closed, relative_gap
from fewest._types import FloatArray, IndexArray

if TYPE_CHECKING:
    from fewest._solvers.linear.vertex import Walker

# A hard constraint counts as satisfied below this shortfall (class means are one apart).
SHORTFALL = 1e-8
# A proof that |w|_1 must exceed this, on standardised columns, counts as infeasible.
HOPELESS = 1e8
# Weights and slacks below this fraction of the largest are rounding of the simplex.
ZERO = 1e-10
# A column with a ratio above this may carry a weight, or equal one that does.
TIGHT = 1.0 - 1e-6
# Columns are duplicates if, with weights of one or more, they change a margin by less than this.
_SAME_COLUMN = 1e-10


@dataclass(frozen=True, eq=False)
class State:
    """A solved master program, judged against all columns and all samples."""

    solution: MasterSolution
    point: DualPoint
    ratios: FloatArray
    bound: float
    margins: FloatArray
    slack: FloatArray
    objective: float
    violation: float

    @property
    def is_hopeless(self) -> bool:
        """A ray that all columns confirm: no weights of reasonable size are feasible."""
        return not self.solution.bounded and self.bound > HOPELESS

    @property
    def is_doubtful(self) -> bool:
        """A ray that the columns do not confirm."""
        return not self.solution.bounded and not self.is_hopeless

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.bound)

    def is_closed(self, tol: float) -> bool:
        """Whether there is a solution, with a gap within the tolerance."""
        return self.solution.bounded and is_gap_closed(self.objective, self.bound, tol)

    def status(self, tol: float) -> Status:
        if self.is_hopeless:
            return Status.INFEASIBLE
        if self.is_closed(tol) and self.violation <= 10 * SHORTFALL:
            return Status.OPTIMAL
        return Status.INACCURATE


@dataclass(frozen=True, eq=False)
class Held:
    """What a master program held when it was solved: more may have joined since."""

    problem: Problem
    features: IndexArray
    samples: IndexArray


class Holding(Protocol):
    """What is judged: a program of some features, and the margins of all samples in a solution."""

    @property
    def problem(self) -> Problem: ...
    @property
    def features(self) -> IndexArray: ...
    def margins(self, solution: MasterSolution) -> FloatArray: ...


def judge(columns: Columns, master: Holding, solution: MasterSolution) -> State:
    problem = master.problem
    alpha = solution.alpha
    if not solution.bounded:  # a ray leaves what is limited at zero; the simplex, nearly
        alpha = np.where(np.isinf(problem.slack_bounds()), alpha, 0.0)
    point = dual_point(problem, alpha, solution.multiplier)
    ratios = price_ratios(problem, columns, point.v)
    margins = master.margins(solution)
    slack, violation = np.zeros(problem.n_samples), 0.0
    objective = np.inf
    if solution.bounded:
        slack, violation = slack_and_violation(problem, margins)
        violation = max(violation, equality_shortfall(problem, margins))
        objective = objective_value(problem, problem.costs(master.features), solution.w, slack)
    return State(
        solution=solution,
        point=point,
        ratios=ratios,
        bound=dual_bound(problem, point, float(ratios.max(initial=0.0))),
        margins=margins,
        slack=slack,
        objective=objective,
        violation=violation,
    )


def conclude(
    columns: Columns,
    master: Master | Walker | Held,
    state: State,
    *,
    tol: float,
    rounds: int,
    seconds: float,
) -> Result:
    """The judged solution, with its proof and what a similar program may start from."""
    features, w = _lowest_indices(columns, master, state, tol)
    return Result(
        features=features,
        w=w,
        b=state.solution.b,
        slack=np.where(state.slack > ZERO * max(1.0, state.slack.max()), state.slack, 0.0),
        alpha=state.point.alpha,
        multiplier=state.point.multiplier,
        dual=state.point.v,
        objective=state.objective,
        bound=np.inf if state.is_hopeless else state.bound,
        violation=state.violation,
        status=state.status(tol),
        rounds=rounds,
        seconds=seconds,
        warm=WarmStart(master.features, master.samples, state.solution.w, state.solution.b),
    )


def pick_largest(
    ratios: FloatArray, threshold: float, present: IndexArray, count: int
) -> IndexArray:
    """The `count` largest ratios above the threshold that are not present; ties by index."""
    ratios = ratios.copy()
    ratios[present] = -np.inf
    # A fraction of the largest value finds a short list much faster than sorting all columns.
    largest = ratios.max(initial=0.0)
    for fraction in (0.7, 0.5, 0.25, 0.0):
        candidates = np.flatnonzero(ratios > max(fraction * largest, threshold))
        if len(candidates) >= count:
            break
    order = np.argsort(-ratios[candidates], kind="stable")
    return candidates[order[:count]]


def _lowest_indices(
    columns: Columns, master: Master | Walker | Held, state: State, tol: float
) -> tuple[IndexArray, FloatArray]:
    """Non-zero weights in index order, each moved to the first of its identical columns.

    Only columns whose dual constraint is tight can carry a weight, and equal columns have equal
    prices: at an optimum, the few tight columns are the candidates.
    """
    size = np.abs(state.solution.w)
    kept = size > ZERO * size.max(initial=0.0)
    chosen, w = master.features[kept], state.solution.w[kept]
    tight = state.ratios > TIGHT
    tight[chosen] = False
    candidates = np.flatnonzero(tight)
    if len(candidates) and len(chosen) and state.is_closed(tol):
        chosen, w = _move_to_twins(master.problem, columns, chosen, w, candidates)
    order = np.argsort(chosen)
    return chosen[order], w[order]


def _move_to_twins(
    problem: Problem,
    columns: Columns,
    chosen: IndexArray,
    w: FloatArray,
    candidates: IndexArray,
) -> tuple[IndexArray, FloatArray]:
    own, others = columns.take(chosen), columns.take(candidates)
    own_cost, other_cost = problem.costs(chosen), problem.costs(candidates)
    chosen, w = chosen.copy(), w.copy()
    for place in range(len(chosen)):
        for sign in (1.0, -1.0):
            distance = np.abs(others - sign * own[:, [place]]).max(axis=0)
            same = distance * max(1.0, abs(w[place])) <= _SAME_COLUMN
            twins = same & (other_cost == own_cost[place])
            first = candidates[twins].min(initial=chosen[place])
            if first < chosen[place]:
                chosen[place], w[place] = first, sign * w[place]
                break
    return chosen, w
