"""Column and row generation: the full linear program through a small one.

A restricted program (`master`) holds a few features and samples. Its dual vector prices every
column of X in one pass; columns that would improve it join, samples whose constraint is violated
join, until the recomputed duality gap closes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from fewest._solvers.certify import objective_value, price_ratios
from fewest._solvers.columns import Columns
from fewest._solvers.columns.at_hand import Part
from fewest._solvers.linear.interior import guess_vertex, has_interior
from fewest._solvers.linear.judge import (
    HOPELESS,
    SHORTFALL,
    Held,
    State,
    conclude,
    judge,
    pick_largest,
)
from fewest._solvers.linear.master import Master, TimeIsUpError
from fewest._solvers.linear.overlap import prove_overlap
from fewest._solvers.linear.partition import solve_many
from fewest._solvers.problem import Problem, class_mean_vector, starting_direction
from fewest._solvers.result import Result, Status, WarmStart
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

if TYPE_CHECKING:
    from fewest._solvers.linear.vertex import Walker

# Above this many samples, their constraints are generated as well: without slack, and with it.
_ALL_SAMPLES, _ALL_SOFT_SAMPLES = 400, 250
_FIRST_SAMPLES = 200
# The more samples, the more features at a time; but blocks of them must stay small.
_MOST_FOR_BATCH = 2000
# From this many samples on, many missing features are found faster from inside, and this many
# batches of them may join at a time.
_FEWEST_FOR_INTERIOR = 100
_INTERIOR_BATCHES = 3
# Slack costs above this are tried as infinite first.
_NEARLY_HARD = 100.0
# A bound above this part of a limit of the multipliers is held back by nothing else.
_AT_LIMIT = 0.99


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
        problem,
        columns,
        tol,
        lambda hard: solve(hard, columns, tol=tol, warm=warm, max_rounds=max_rounds),
    )
    if hard is not None:
        return hard
    priced, unit = problem.in_own_unit()
    result = None
    if has_many_samples(priced):
        result = _solve_many(priced, columns, tol, warm)
    if result is None:
        master = first_master(priced, columns, warm)
        result = generate(columns, master, tol=tol, max_rounds=max_rounds)
    if result.status is Status.INFEASIBLE and problem.feature_cost is not None:
        return _confirm_infeasible(problem, columns, tol, HOPELESS * unit)
    return result.times(unit)


def _solve_many(
    problem: Problem, columns: Columns, tol: float, warm: WarmStart | None
) -> Result | None:
    """The solution, or the proof that there is none; None where this is not the way to it."""
    if problem.slack_cost is not None:
        return solve_many(problem, columns, tol=tol, warm=warm)
    knows_hyperplane = warm is not None and warm.w is not None
    return None if knows_hyperplane else prove_overlap(problem, columns)


def _confirm_infeasible(problem: Problem, columns: Columns, tol: float, bound: float) -> Result:
    """The proof from a program in which all features cost the same.

    With costs that are orders of magnitude apart, a solution may only be very expensive.
    """
    plain = solve(replace(problem, feature_cost=None), columns, tol=tol)
    if plain.status is not Status.OPTIMAL:
        return plain
    costs = problem.costs(plain.features)
    objective = objective_value(problem, costs, plain.w, plain.slack)
    return replace(plain, objective=objective, bound=bound, status=Status.INACCURATE)


def has_many_samples(problem: Problem) -> bool:
    """Whether a program holds some of its samples only."""
    return problem.n_samples > (_ALL_SAMPLES if problem.slack_cost is None else _ALL_SOFT_SAMPLES)


def try_as_hard(
    problem: Problem, columns: Columns, tol: float, solve_hard: Callable[[Problem], Result]
) -> Result | None:
    """The solution without slacks, if these are so expensive that none would be used.

    Where the classes are separable, the program is far easier without slacks. Its margins may lack
    a little, which must not cost anything that counts.
    """
    if problem.slack_cost is None or not np.all(problem.slack_cost > _NEARLY_HARD):
        return None
    hard = solve_hard(problem.with_slack_cost(None))
    if hard.status is not Status.OPTIMAL or np.any(hard.alpha > problem.slack_cost):
        return None
    scores = columns.project(hard.features, hard.w) + hard.b
    lacking = np.maximum(0.0, problem.margin - problem.y * scores)
    paying = np.isfinite(problem.slack_cost)
    paid = float(problem.slack_cost[paying] @ lacking[paying])
    return hard if paid <= tol * max(1.0, hard.objective) else None


def generate(
    columns: Columns, master: Master | Walker, *, tol: float = 1e-7, max_rounds: int = 1000
) -> Result:
    """Let features and samples join a master program until it solves the whole program."""
    return generate_and_price(columns, master, tol=tol, max_rounds=max_rounds)[0]


def generate_and_price(
    columns: Columns, master: Master | Walker, *, tol: float = 1e-7, max_rounds: int = 1000
) -> tuple[Result, FloatArray]:
    """The same, with the price of every column, divided by its cost."""
    started = perf_counter()
    problem, rounds, state = master.problem, 0, None
    while True:
        rounds += 1
        try:
            state = judge(columns, master, master.solve())
        except TimeIsUpError:
            if state is None:
                raise
            nothing_joins = False
            break
        held = Held(problem, master.features, master.samples)
        current_watch().tell(gap=state.gap)
        features, samples = _pick_joining(problem, master, state, tol)
        nothing_joins = not (len(features) or len(samples))
        if nothing_joins or rounds >= max_rounds or current_watch().is_over:
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
    if nothing_joins and state.is_doubtful and isinstance(master, Master):
        state = _settle_doubt(columns, master, state, tol)
    is_open = state.solution.bounded and not state.is_closed(tol)
    if is_open and nothing_joins and isinstance(master, Master):
        state = judge(columns, master, master.refine(state.solution))
    seconds = perf_counter() - started
    return conclude(columns, held, state, tol=tol, rounds=rounds, seconds=seconds), state.ratios


def _settle_doubt(columns: Columns, master: Master, state: State, tol: float) -> State:
    """What becomes of a ray that the columns do not confirm: a vertex found in another way."""
    anew = master.solve_anew()
    if anew is not None and (found := judge(columns, master, anew)).status(tol) is Status.OPTIMAL:
        return found
    limited = master.solve_limited(HOPELESS)
    if limited is None:
        return state
    found = judge(columns, master, limited)
    if found.bound > _AT_LIMIT * HOPELESS:
        further = master.solve_limited(10.0 * HOPELESS)
        if further is not None:
            ray = judge(columns, master, master.as_ray(further))
            return ray if ray.is_hopeless else found
    return found


def _pick_joining(
    problem: Problem, master: Master | Walker, state: State, tol: float
) -> tuple[IndexArray, IndexArray]:
    """Features and samples that the next master program should hold as well."""
    none = np.empty(0, dtype=np.intp)
    if state.is_hopeless:
        return none, none
    if not state.solution.bounded:
        threshold = state.point.value / HOPELESS
        return pick_largest(state.ratios, threshold, master.features, _batch(problem)), none
    samples = _missing_samples(problem, master, state.margins)
    if state.is_closed(tol) and not len(samples):
        return none, none
    features = pick_largest(state.ratios, 1.0 + tol / 10, master.features, _batch(problem))
    return features, samples


def _is_far_from_solved(master: Master, joining: IndexArray) -> bool:
    """Whether a full batch of features wants to join a program that has all its samples."""
    problem = master.problem
    return (
        len(joining) == _batch(problem)
        and problem.n_samples == len(master.samples) >= _FEWEST_FOR_INTERIOR
        and problem.equality is None  # with one, solutions have few features
        and has_interior(problem)
    )


def _batch(problem: Problem) -> int:
    """How many features to start with, and to admit per round."""
    return 50 + min(problem.n_samples, _MOST_FOR_BATCH) // 8


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
        features = pick_largest(ratios, 0.0, np.empty(0, dtype=np.intp), _batch(problem))
    master = Master(problem)
    block = columns.share(features)
    master.add_features(features, block)
    if problem.n_samples <= _ALL_SAMPLES:
        samples = np.arange(problem.n_samples)
    elif not len(samples):
        samples = _hardest_samples(problem, block)
    master.add_samples(samples)
    return master


def _hardest_samples(problem: Problem, block: Part) -> IndexArray:
    """Samples of either class that the direction of the class means gets wrong, or nearly so."""
    projection = block @ (class_mean_vector(problem.y) @ block)
    chosen = []
    for sign in (1.0, -1.0):
        members = np.flatnonzero(problem.y == sign)
        order = np.argsort(sign * projection[members], kind="stable")
        chosen.append(members[order[: _sample_batch(problem) // 2]])
    return np.sort(np.concatenate(chosen))


def _missing_samples(problem: Problem, master: Master | Walker, margins: FloatArray) -> IndexArray:
    """Samples outside the program whose constraint the solution violates, worst first."""
    if len(master.samples) == problem.n_samples:
        return np.empty(0, dtype=np.intp)
    shortfall = problem.margin - margins
    return pick_largest(shortfall, SHORTFALL, master.samples, _sample_batch(problem))
