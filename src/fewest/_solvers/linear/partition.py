"""Many samples that overlap: three kinds of them, of which one is in the program.

At the optimum nearly every sample is either satisfied, with alpha_i = 0, or violated, with alpha_i
= C_i; about as many as there are features lie in between. So a program holds a few samples, the
undecided ones; satisfied ones are left out, violated ones are one constant vector. Where the
solution moves a sample outside the program to the other side, the exact minimum of the full
objective on the way there becomes the new point, and the samples that changed sides near it join.
If no sample changes sides, the solution is that of all samples, and features are priced.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.certify import price_ratios
from fewest._solvers.columns import Columns
from fewest._solvers.columns.at_hand import Part
from fewest._solvers.linear.interior import Vertex, guess_vertex, has_interior, is_large
from fewest._solvers.linear.judge import Held, State, conclude, judge, pick_largest
from fewest._solvers.linear.master import (
    NO_SOLUTION_YET,
    Master,
    MasterSolution,
    TimeIsUpError,
    UnboundedError,
)
from fewest._solvers.problem import Problem, starting_direction
from fewest._solvers.result import Result, Status, WarmStart
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

BoolArray = NDArray[np.bool_]

# Undecided samples to begin with: this many per feature, and this many more.
_PER_FEATURE, _AT_LEAST = 3, 100
# Samples that join per round: this many per feature, and at least so many.
_JOIN_PER_FEATURE, _JOIN_AT_LEAST = 2, 200
# Features to begin with, and how many join at a time at least.
_FIRST_FEATURES, _FEATURE_BATCH = 60, 20
# Above twice as many samples, the features to begin with are found on so many.
_SUBSAMPLE = 5000
# A hyperplane that must grow more than this to satisfy the equality is of another program.
_LARGEST_FACTOR = 1e3
# A point this much nearer to the optimum than the tolerance leaves room for rounding.
_NEARER = 0.1
# On which side a sample is shows at this distance from its margin, in mean distances.
_SIDE = 1e-9


class _Limits(NamedTuple):
    """Most rounds, and most undecided samples: so many and so many per feature."""

    rounds: int
    samples: float
    samples_per_feature: float

    def admit(self, rounds: int, master: Master) -> bool:
        most = self.samples + self.samples_per_feature * len(master.features)
        return rounds < self.rounds and len(master.samples) <= most


_NO_LIMITS = _Limits(200, np.inf, 0.0)
# From a known hyperplane; beyond that an interior point is the better start.
_FROM_HYPERPLANE = _Limits(20, 3000, 8.0)
# Beyond these, so many samples lie on their margin that other dual solutions are easier to prove.
_OF_VERTEX = _Limits(1, 500, 8.0)


def solve_many(
    problem: Problem, columns: Columns, *, tol: float = 1e-7, warm: WarmStart | None = None
) -> Result | None:
    """The optimum of a program with slack, by generating undecided samples and features.

    It begins at the hyperplane of the warm start, where there is one, and if that is too far away,
    at an interior point. None if the optimum is not found this way.
    """
    started = perf_counter()
    features = None
    if warm is not None and warm.w is not None:
        inside = _is_left_inside(problem, warm.w)
        features = warm.features[warm.w != 0.0] if inside else None
        vertex = None if inside else _vertex_at(problem, columns, warm)
        if vertex is not None:
            limits = _FROM_HYPERPLANE if has_interior(problem) else _NO_LIMITS
            result = _generate(problem, columns, vertex, tol, limits, started)
            if result is not None:
                return result
    if not has_interior(problem):
        return None
    vertex = _guess(problem, columns, features, finish=_NEARER * tol)
    if vertex is None:
        return None
    if vertex.is_large:
        result = _conclude_inside(problem, columns, vertex, tol, started)
        if result is not None:
            return result
    return _generate(problem, columns, vertex, tol, _NO_LIMITS, started)


def _is_left_inside(problem: Problem, w: FloatArray) -> bool:
    """Whether so many weights are better found from inside than by the simplex method."""
    return has_interior(problem) and is_large(int(np.count_nonzero(w)))


def _conclude_inside(
    problem: Problem, columns: Columns, vertex: Vertex, tol: float, started: float
) -> Result | None:
    """The point near a large vertex, if it is proven to be the optimum up to the tolerance."""
    block = columns.share(vertex.features)
    plane = _on_equality(problem, block, vertex.w, vertex.b)
    if plane is None:
        return None
    solution = MasterSolution(True, vertex.alpha, vertex.multiplier, *plane)
    held = _Inside(problem, vertex.features, np.flatnonzero(vertex.places == 0), block)
    state = judge(columns, held, solution)
    if not (state.is_closed(tol) or current_watch().is_over):
        return None
    seconds = perf_counter() - started
    return conclude(columns, held, state, tol=tol, rounds=1, seconds=seconds)


@dataclass(frozen=True, eq=False)
class _Inside(Held):
    """What an interior point held, in the place of a master program."""

    block: Part

    def margins(self, solution: MasterSolution) -> FloatArray:
        return np.asarray(self.problem.y * (self.block @ solution.w + solution.b))


def _generate(
    problem: Problem,
    columns: Columns,
    vertex: Vertex,
    tol: float,
    limits: _Limits,
    started: float,
) -> Result | None:
    """The optimum from this vertex on, or the best known when the time is up.

    None if the limits are reached.
    """
    partition = _Partition(problem, columns, vertex)
    may_be_inside = has_interior(problem)
    watch, state, rounds = current_watch(), None, 0
    while limits.admit(rounds, partition.master) and not watch.is_over:
        rounds += 1
        watch.tell(None if state is None else state.gap, len(partition.master.samples))
        try:
            solution = partition.solve()
        except TimeIsUpError:
            break
        if solution is not None and not solution.bounded:
            return None
        if solution is None or partition.move_towards(solution):
            continue
        state = judge(columns, partition.master, solution)
        if may_be_inside and not (state.is_closed(tol) or _OF_VERTEX.admit(0, partition.master)):
            may_be_inside = False  # once is enough
            state = partition.prove_from_inside(solution, tol) or state
        if not state.is_closed(tol):
            count = max(_FEATURE_BATCH, len(partition.master.features) // 2)
            joining = pick_largest(state.ratios, 1.0 + tol / 10, partition.master.features, count)
            if len(joining):
                partition.add_features(joining)
                continue
            state = judge(columns, partition.master, partition.master.refine(solution))
        return partition.conclude(state, tol, rounds, started)
    if not watch.is_over:
        return None
    return partition.conclude(
        judge(columns, partition.master, partition.point()), tol, rounds, started
    )


class _Partition:
    """A point, the undecided samples in the master program, and the sides of all others."""

    def __init__(self, problem: Problem, columns: Columns, vertex: Vertex) -> None:
        self._problem, self._columns = problem, columns
        self._cost = problem.slack_bounds()
        self._is_hard = np.isinf(self._cost)
        block = columns.share(vertex.features)
        plane = _on_equality(problem, block, vertex.w, vertex.b)
        self._is_feasible = plane is not None
        self._w, self._b = (vertex.w, vertex.b) if plane is None else plane
        self._margins = problem.y * (block @ self._w + self._b)
        self._alpha, self._multiplier = vertex.alpha, vertex.multiplier
        self.master = Master(problem)
        samples = np.flatnonzero(self._choose_undecided(vertex))
        self.master.restart(vertex, block, samples)
        self._settle()

    def _choose_undecided(self, vertex: Vertex) -> BoolArray:
        n_samples = self._problem.n_samples
        count = min(n_samples, _PER_FEATURE * len(vertex.features) + _AT_LEAST)
        chosen = np.zeros(n_samples, dtype=bool)
        nearest = np.argpartition(np.abs(self._problem.margin - self._margins), count - 1)
        chosen[nearest[:count]] = True
        # A sample without slack may lie anywhere but on the wrong side.
        chosen |= (vertex.places == 0) | (self._is_hard & (self._margins < self._problem.margin))
        return chosen

    def _find_outside(self) -> BoolArray:
        outside = np.ones(self._problem.n_samples, dtype=bool)
        outside[self.master.samples] = False
        return outside

    def _settle(self) -> None:
        """The samples outside the program take the side on which they are."""
        self._violated = self._find_outside() & (self._margins < self._problem.margin)
        self.master.settle(np.where(self._violated, self._cost, 0.0))

    def solve(self) -> MasterSolution | None:
        """The optimum with the samples outside fixed to their sides; None if more must join."""
        try:
            solution = self.master.solve()
            self._alpha, self._multiplier = solution.alpha, solution.multiplier
            return solution
        except UnboundedError:
            others = np.flatnonzero(self._find_outside())
            if not len(others):
                raise
            order = np.argsort(np.abs(self._problem.margin - self._margins[others]), kind="stable")
            self._join(others[order[: len(self.master.samples)]])
            return None

    def point(self) -> MasterSolution:
        """The best known hyperplane, with the last dual solution."""
        if not self._is_feasible:
            raise TimeIsUpError(NO_SOLUTION_YET)
        return MasterSolution(True, self._alpha, self._multiplier, self._w, self._b)

    def conclude(self, state: State, tol: float, rounds: int, started: float) -> Result | None:
        """The judged solution; None if it is not the optimum although there was time."""
        seconds = perf_counter() - started
        result = conclude(
            self._columns, self.master, state, tol=tol, rounds=rounds, seconds=seconds
        )
        return result if result.status is Status.OPTIMAL or current_watch().is_over else None

    def prove_from_inside(self, solution: MasterSolution, tol: float) -> State | None:
        """The solution with a dual point inside its constraints; None if that proves too little.

        Where many samples lie on the margin (of sparse data, all that are zero in the features of
        the program), a vertex of the dual is one of very many, and most violate other features.
        """
        features = self.master.features
        inside = guess_vertex(
            self._problem, self._columns, features, batch=_FIRST_FEATURES, close=_NEARER * tol
        )
        if inside is None:
            return None
        solution = replace(solution, alpha=inside.alpha, multiplier=inside.multiplier)
        state = judge(self._columns, self.master, solution)
        return state if state.is_closed(tol) else None

    def move_towards(self, solution: MasterSolution) -> bool:
        """Go as far as the objective falls, and let samples join; False if none changes sides."""
        problem = self._problem
        margins = self.master.margins(solution)
        limit = _SIDE * problem.mean_distance
        changed = self._find_outside() & np.where(
            self._violated, margins > problem.margin + limit, margins < problem.margin - limit
        )
        if not changed.any() or not self._is_feasible:
            self._w, self._b, self._margins = solution.w, solution.b, margins
            self._is_feasible = True
        if not changed.any():
            return False
        costs = problem.costs(self.master.features)
        change, move = margins - self._margins, solution.w - self._w
        length = _search_line(problem, self._margins, change, costs * self._w, costs * move)
        joining = np.flatnonzero(changed)
        count = max(_JOIN_AT_LEAST, _JOIN_PER_FEATURE * len(costs))
        if len(joining) > count:
            crossing = (problem.margin - self._margins[joining]) / change[joining]
            joining = joining[np.argsort(np.abs(crossing - length), kind="stable")[:count]]
        self._w = self._w + length * move
        self._b += length * (solution.b - self._b)
        self._margins = self._margins + length * change
        self._join(joining)
        return True

    def _join(self, samples: IndexArray) -> None:
        self.master.add_samples(samples, self._violated[samples])
        self._settle()

    def add_features(self, features: IndexArray) -> None:
        self.master.add_features(features, self._columns.share(features))
        self._w = np.concatenate([self._w, np.zeros(len(features))])
        self._settle()


def _search_line(
    problem: Problem, margins: FloatArray, change: FloatArray, w: FloatArray, move: FloatArray
) -> float:
    """Where between zero and one the objective is smallest on the way; w is in units of cost.

    It is convex and piecewise linear: its slope rises where a sample passes its margin or a weight
    its zero.
    """
    cost = problem.slack_bounds()
    shortfall = problem.margin - margins
    paying = (shortfall > 0.0) | ((shortfall == 0.0) & (change < 0.0))
    paying &= np.isfinite(cost)
    slope = -float(cost[paying] @ change[paying])
    slope += float(np.where(w != 0.0, np.sign(w) * move, np.abs(move)).sum())
    if slope >= 0.0:
        return 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        of_samples, of_weights = shortfall / change, -w / move
    passing = (of_samples > 0.0) & (of_samples < 1.0)
    # Samples without slack may not become violated; that one leaves its margin does no harm.
    passing &= np.isfinite(cost) | (change < 0.0)
    turning = (of_weights > 0.0) & (of_weights < 1.0)
    places = np.concatenate([of_samples[passing], of_weights[turning]])
    rises = np.concatenate([cost[passing] * np.abs(change[passing]), 2.0 * np.abs(move[turning])])
    order = np.argsort(places, kind="stable")
    slopes = slope + np.cumsum(rises[order])
    first = int(np.searchsorted(slopes, 0.0))
    return 1.0 if first == len(slopes) else float(places[order[first]])


def _on_equality(
    problem: Problem, block: Part, w: FloatArray, b: float
) -> tuple[FloatArray, float] | None:
    """The hyperplane scaled until it satisfies the equality; None if no factor does that."""
    if problem.equality is None:
        return w, b
    reached = float((problem.equality @ block) @ w + problem.bias_coefficient * b)
    factor = problem.rhs / reached if reached * problem.rhs > 0.0 else 0.0
    return (factor * w, factor * b) if 0.0 < factor < _LARGEST_FACTOR else None


def _guess(
    problem: Problem, columns: Columns, features: IndexArray | None, *, finish: float
) -> Vertex | None:
    """A vertex near the optimum, from an interior point; roughly first where samples are many.

    `features` are those to begin with, if they are known.
    """
    if features is not None:
        return guess_vertex(problem, columns, features, batch=_FIRST_FEATURES, finish=finish)
    first = _first_features(problem, columns)
    if problem.n_samples > 2 * _SUBSAMPLE and columns.n_features > len(first):
        rough = _guess_on_subsample(problem, columns, first)
        if rough is not None and current_watch().is_over:
            nothing = np.empty(0, dtype=np.intp)
            return _vertex_at(
                problem, columns, WarmStart(rough.features, nothing, rough.w, rough.b)
            )
        first = first if rough is None else rough.features
    return guess_vertex(problem, columns, first, batch=_FIRST_FEATURES, finish=finish)


def _first_features(problem: Problem, columns: Columns) -> IndexArray:
    ratios = price_ratios(problem, columns, starting_direction(problem))
    return np.sort(pick_largest(ratios, 0.0, np.empty(0, dtype=np.intp), _FIRST_FEATURES))


def _guess_on_subsample(problem: Problem, columns: Columns, first: IndexArray) -> Vertex | None:
    """A rough vertex from some samples of either class, which stand for all of them."""
    rng = np.random.default_rng(0)
    rows, weights = [], []
    for sign in (1.0, -1.0):
        members = np.flatnonzero(problem.y == sign)
        count = min(
            len(members), max(_SUBSAMPLE // 5, _SUBSAMPLE * len(members) // problem.n_samples)
        )
        rows.append(np.sort(rng.choice(members, count, replace=False)))
        weights.append(np.full(count, len(members) / count))
    chosen, weight = np.concatenate(rows), np.concatenate(weights)
    part = Problem(
        y=problem.y[chosen],
        margin=problem.margin,
        equality=None if problem.equality is None else problem.equality[chosen] * weight,
        rhs=problem.rhs,
        slack_cost=problem.slack_bounds()[chosen] * weight,
        feature_cost=problem.feature_cost,
    )
    return guess_vertex(part, columns.rows(chosen), first, batch=_FIRST_FEATURES)


def _vertex_at(problem: Problem, columns: Columns, warm: WarmStart) -> Vertex | None:
    """The vertex nearest to a known hyperplane: features with a weight, samples on their margin."""
    assert warm.w is not None
    used = warm.w != 0.0
    features = warm.features[used]
    block = columns.share(features)
    scaled = _on_equality(problem, block, warm.w[used], warm.b)
    if scaled is None:
        return None
    w, b = scaled
    shortfall = problem.margin - problem.y * (block @ w + b)
    n_free = min(len(features) + 1 - (problem.equality is not None), problem.n_samples)
    places = np.where((shortfall > 0.0) & np.isfinite(problem.slack_bounds()), 1, -1)
    if n_free > 0:
        places[np.argpartition(np.abs(shortfall), n_free - 1)[:n_free]] = 0
    alpha = np.where(places == 1, problem.slack_bounds(), 0.0)
    return Vertex(features, np.sign(w).astype(np.intp), places.astype(np.intp), w, b, alpha, 0.0)
