"""Column and row generation: the full linear program through a small one.

A restricted program (`master`) holds a few features and samples. Its dual vector prices every
column of X in one pass; columns that would improve it join, samples whose constraint is violated
join, until the recomputed duality gap closes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from fewest._solvers.certify import (
    DualPoint,
    dual_bound,
    dual_point,
    objective_value,
    price_ratios,
    slack_and_violation,
)
from fewest._solvers.columns import Columns
from fewest._solvers.linear.interior import guess_vertex, has_interior
from fewest._solvers.linear.master import Master, MasterSolution
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result, Status, WarmStart
from fewest._types import FloatArray, IndexArray

if TYPE_CHECKING:
    from fewest._solvers.linear.vertex import Walker

# Above this many samples, their constraints are generated as well.
_ALL_SAMPLES = 400
_FIRST_SAMPLES = 200
# From this many samples on, many missing features are found faster from inside, and this many
# batches of them may join at a time.
_FEWEST_FOR_INTERIOR = 100
_INTERIOR_BATCHES = 3
# A hard constraint counts as satisfied below this shortfall (class means are one apart).
_SHORTFALL = 1e-8
# Slack costs above this are tried as infinite first.
_NEARLY_HARD = 100.0
# A proof that |w|_1 must exceed this, on standardised columns, counts as infeasible.
HOPELESS = 1e8
# Weights and slacks below this fraction of the largest are rounding of the simplex.
_ZERO = 1e-10
# A column with a ratio above this may carry a weight, or equal one that does.
TIGHT = 1.0 - 1e-6
# Standardised columns closer than this are duplicates.
_SAME_COLUMN = 1e-10


def solve(
    problem: Problem,
    columns: Columns,
    *,
    tol: float = 1e-7,
    warm: WarmStart | None = None,
    max_rounds: int = 1000,
) -> Result:
    """Solve the linear program to a relative duality gap of `tol`."""
    hard = try_as_hard(
        problem, lambda hard: solve(hard, columns, tol=tol, warm=warm, max_rounds=max_rounds)
    )
    if hard is not None:
        return hard
    problem, unit = problem.in_own_unit()
    master = first_master(problem, columns, warm)
    return generate(columns, master, tol=tol, max_rounds=max_rounds).times(unit)


def try_as_hard(problem: Problem, solve_hard: Callable[[Problem], Result]) -> Result | None:
    """The solution without slacks, if these are so expensive that none would be used.

    Where the classes are separable, the program is far easier without slacks.
    """
    if problem.slack_cost is None or not np.all(problem.slack_cost > _NEARLY_HARD):
        return None
    hard = solve_hard(problem.with_slack_cost(None))
    if hard.status is Status.OPTIMAL and np.all(hard.alpha <= problem.slack_cost):
        return hard
    return None


def generate(
    columns: Columns, master: Master | Walker, *, tol: float = 1e-7, max_rounds: int = 1000
) -> Result:
    """Let features and samples join a master program until it solves the whole program."""
    started = perf_counter()
    problem, rounds = master.problem, 0
    while True:
        rounds += 1
        state = _judge(columns, master, master.solve())
        features, samples = _pick_joining(problem, master, state, tol)
        nothing_joins = not (len(features) or len(samples))
        if nothing_joins or rounds >= max_rounds:
            break
        if rounds == 1 and isinstance(master, Master) and _is_far_from_solved(master, features):
            start = np.concatenate([master.features, features])
            batch = _INTERIOR_BATCHES * _batch(problem)
            vertex = guess_vertex(problem, columns, start, batch=batch)
            if vertex is not None:
                master.restart(vertex, columns.take(vertex.features))
                continue
        if len(features):
            master.add_features(features, columns.take(features))
        if len(samples) and isinstance(master, Master):  # a Walker holds all samples
            master.add_samples(samples)
    is_open = state.solution.bounded and not state.is_closed(tol)
    if is_open and nothing_joins and isinstance(master, Master):
        state = _judge(columns, master, master.refine(state.solution))
    features, w = _lowest_indices(problem, columns, master.features, state)
    return Result(
        features=features,
        w=w,
        b=state.solution.b,
        slack=np.where(state.slack > _ZERO * max(1.0, state.slack.max()), state.slack, 0.0),
        alpha=state.point.alpha,
        multiplier=state.point.multiplier,
        dual=state.point.v,
        objective=state.objective,
        bound=np.inf if state.is_hopeless else state.bound,
        violation=state.violation,
        status=state.status(tol),
        rounds=rounds,
        seconds=perf_counter() - started,
        warm=WarmStart(master.features, master.samples),
    )


@dataclass(frozen=True, eq=False)
class _State:
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

    def is_closed(self, tol: float) -> bool:
        """Whether there is a solution, with a gap within the tolerance."""
        if not self.solution.bounded:
            return False
        return self.objective - self.bound <= tol * max(1.0, abs(self.objective))

    def status(self, tol: float) -> Status:
        if self.is_hopeless:
            return Status.INFEASIBLE
        if self.is_closed(tol) and self.violation <= 10 * _SHORTFALL:
            return Status.OPTIMAL
        return Status.INACCURATE


def _judge(columns: Columns, master: Master | Walker, solution: MasterSolution) -> _State:
    problem = master.problem
    point = dual_point(problem, solution.alpha, solution.multiplier)
    ratios = price_ratios(problem, columns, point.v)
    margins = master.margins(solution)
    slack, violation = np.zeros(problem.n_samples), 0.0
    objective = np.inf
    if solution.bounded:
        slack, violation = slack_and_violation(problem, margins)
        objective = objective_value(problem, problem.costs(master.features), solution.w, slack)
    return _State(
        solution=solution,
        point=point,
        ratios=ratios,
        bound=dual_bound(problem, point, float(ratios.max(initial=0.0))),
        margins=margins,
        slack=slack,
        objective=objective,
        violation=violation,
    )


def _pick_joining(
    problem: Problem, master: Master | Walker, state: _State, tol: float
) -> tuple[IndexArray, IndexArray]:
    """Features and samples that the next master program should hold as well."""
    none = np.empty(0, dtype=np.intp)
    if state.is_hopeless:
        return none, none
    if not state.solution.bounded:
        threshold = state.point.value / HOPELESS
        return _pick_largest(state.ratios, threshold, master.features, _batch(problem)), none
    samples = _missing_samples(problem, master, state.margins)
    if state.is_closed(tol) and not len(samples):
        return none, none
    features = _pick_largest(state.ratios, 1.0 + tol / 10, master.features, _batch(problem))
    return features, samples


def _is_far_from_solved(master: Master, joining: IndexArray) -> bool:
    """Whether a full batch of features wants to join a program that has all its samples."""
    problem = master.problem
    return (
        len(joining) == _batch(problem)
        and problem.n_samples == len(master.samples) >= _FEWEST_FOR_INTERIOR
        and has_interior(problem)
    )


def class_mean_vector(y: FloatArray) -> FloatArray:
    """The vector whose price is the difference of the class means."""
    return np.where(y > 0, 1.0 / np.sum(y > 0), -1.0 / np.sum(y < 0))


def starting_direction(problem: Problem) -> FloatArray:
    """The dual vector to begin with: prices are differences of (weighted) class means."""
    return class_mean_vector(problem.y) if problem.equality is None else problem.equality


def _batch(problem: Problem) -> int:
    """How many features to start with, and to admit per round."""
    return 50 + problem.n_samples // 8


def _sample_batch(problem: Problem) -> int:
    """How many samples to start with, and to admit per round, where they are generated."""
    return max(_FIRST_SAMPLES, problem.n_samples // 10)


def first_master(problem: Problem, columns: Columns, warm: WarmStart | None) -> Master:
    """Start from the last working set, or from the largest differences of the class means."""
    samples = np.empty(0, dtype=np.intp)
    if warm is not None:
        features, samples = warm.features, warm.samples
    elif columns.n_features <= _batch(problem):
        features = np.flatnonzero(columns.inverse_scale)
    else:
        ratios = price_ratios(problem, columns, starting_direction(problem))
        features = _pick_largest(ratios, 0.0, np.empty(0, dtype=np.intp), _batch(problem))
    master = Master(problem)
    block = columns.take(features)
    master.add_features(features, block)
    if problem.n_samples <= _ALL_SAMPLES:
        samples = np.arange(problem.n_samples)
    elif not len(samples):
        samples = _hardest_samples(problem, block)
    master.add_samples(samples)
    return master


def _hardest_samples(problem: Problem, block: FloatArray) -> IndexArray:
    """Samples of either class that the direction of the class means gets wrong, or nearly so."""
    projection = block @ (class_mean_vector(problem.y) @ block)
    chosen = []
    for sign in (1.0, -1.0):
        members = np.flatnonzero(problem.y == sign)
        order = np.argsort(sign * projection[members], kind="stable")
        chosen.append(members[order[: _sample_batch(problem) // 2]])
    return np.sort(np.concatenate(chosen))


def _pick_largest(
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


def _missing_samples(problem: Problem, master: Master | Walker, margins: FloatArray) -> IndexArray:
    """Samples outside the program whose constraint the solution violates, worst first."""
    if len(master.samples) == problem.n_samples:
        return np.empty(0, dtype=np.intp)
    shortfall = problem.margin - margins
    return _pick_largest(shortfall, _SHORTFALL, master.samples, _sample_batch(problem))


def _lowest_indices(
    problem: Problem,
    columns: Columns,
    features: IndexArray,
    state: _State,
) -> tuple[IndexArray, FloatArray]:
    """Non-zero weights in index order, each moved to the first of its identical columns.

    Only columns whose dual constraint is tight can carry a weight, and equal columns have equal
    prices: the few tight columns are the candidates.
    """
    size = np.abs(state.solution.w)
    kept = size > _ZERO * size.max(initial=0.0)
    chosen, w = features[kept], state.solution.w[kept]
    tight = state.ratios > TIGHT
    tight[chosen] = False
    candidates = np.flatnonzero(tight)
    if len(candidates) and len(chosen):
        chosen, w = _move_to_twins(problem, columns, chosen, w, candidates)
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
            twins = (distance <= _SAME_COLUMN) & (other_cost == own_cost[place])
            first = candidates[twins].min(initial=chosen[place])
            if first < chosen[place]:
                chosen[place], w[place] = first, sign * w[place]
                break
    return chosen, w
