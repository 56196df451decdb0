"""A small separating set to start from: the zero-norm loops, then local swaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import scale_columns
from fewest._solvers.joint.panel import minimize_joint_zero_norm
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.solve import solve_joint
from fewest._solvers.linear.master import SolverError, TimeIsUpError
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.problem import support_feature_machine, unit_margin
from fewest._solvers.result import Status
from fewest._solvers.terms import Terms
from fewest._solvers.watch import Watch, watching
from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import ClassPair, pair_classes
from fewest.minimum._clock import Clock, stop_when_over
from fewest.minimum._data import drop_unused
from fewest.minimum._leaves import (
    RuledOut,
    Separation,
    Signs,
    find_weights,
    lift_columns,
    settle,
)
from fewest.minimum._search import CoverSearch

# The class means are one apart in the Support Feature Machine's programs.
_STRICT_MARGIN = 1e-3
# Limits of the local swaps: nodes times signed features, sets settled, and sets settled per node.
_SWAP_WORK = 10**10
_MOST_SETTLED = 2000
_SETTLED_PER_NODE = 32
_LARGEST_SWAP = 50_000  # samples times columns: settling a larger set takes seconds


def find_first_set(
    X: FloatArray,
    y: FloatArray,
    clock: Clock,
    terms: Terms | None = None,
    signs: Signs | None = None,
) -> Separation | None:
    """The cheapest set that the Support Feature Machine or Weston's method selects, proven.

    For two classes; `terms` are what the columns cost, one each without them, and `signs` those
    that their weights must have. None if neither method separates the classes strictly (ties may
    leave samples on the hyperplane). When time is up, the first set that is found will do.
    """
    columns = scale_columns(lift_columns(X)[0])
    cost = None if terms is None else terms.first_costs()
    zero_margin = replace(support_feature_machine(y), feature_cost=cost, feature_sign=signs)
    hard = replace(unit_margin(y), feature_cost=cost, feature_sign=signs)
    best, lowest = None, np.inf
    for problem in (zero_margin, replace(zero_margin, margin=_STRICT_MARGIN), hard):
        if best is not None and clock.is_over:
            break
        try:
            seconds = clock.seconds_left if best else clock.seconds_left_in_all
            with watching(Watch(seconds)):
                result = minimize_zero_norm(problem, columns, terms=terms)
        except SolverError:
            if best is None:
                stop_when_over()
            continue
        price = len(result.features) if terms is None else terms.total(result.features)
        is_set = result.status is not Status.INFEASIBLE and len(result.features) > 0
        if is_set and price < lowest:
            answer = _settle_in_time(X, y, result.features, signs)
            if isinstance(answer, Separation):
                best, lowest = answer, price
    return best


def _settle_in_time(
    X: FloatArray, y: FloatArray, columns: IndexArray, signs: Signs | None
) -> Separation | RuledOut | None:
    """The decision about columns; None where time is up."""
    try:
        return settle(X, y, columns, signs=signs)
    except TimeIsUpError:
        return None


def select_jointly(X: FloatArray, y: IndexArray, clock: Clock) -> tuple[int, ...]:
    """What the hard Support Feature Machine for all classes together selects.

    Nothing if no K linear functions, of which the largest decides, leave no error.
    """
    columns, problem = scale_columns(lift_columns(X)[0]), JointProblem(y, None, means_apart=True)
    try:
        with watching(Watch(clock.seconds_left)):
            first = solve_joint(problem, columns)
            if first.status is Status.INFEASIBLE:
                return ()
            found = minimize_joint_zero_norm(problem, columns, error_cost=None, first=first)
    except TimeIsUpError:
        return ()
    return tuple(found.features.tolist())


def join_sets(sets: Sequence[Separation]) -> Separation:
    """All columns of the sets, each of which separates one pair of classes, in their order."""
    columns = tuple(sorted({column for one in sets for column in one.columns}))
    weights = [dict(zip(one.columns, *one.weights, strict=True)) for one in sets]
    return Separation(
        columns, tuple(tuple(known.get(column, 0) for column in columns) for known in weights)
    )


def drop_idle(separation: Separation, X: FloatArray, y: NDArray[Any], clock: Clock) -> Separation:
    """The same set without columns that the others do not need, as far as there is time."""
    pairs = pair_classes(y)
    for column in separation.columns:
        if clock.is_over:
            break
        try:
            fewer = _without(separation, column, X, pairs) if len(separation.columns) > 1 else None
        except TimeIsUpError:
            break
        separation = separation if fewer is None else fewer
    return drop_unused(separation)


def _without(
    separation: Separation, column: int, X: FloatArray, pairs: Sequence[ClassPair]
) -> Separation | None:
    """The set without a column; pairs of classes where it has a weight get other weights."""
    place = separation.columns.index(column)
    columns = separation.columns[:place] + separation.columns[place + 1 :]
    weights = []
    for pair, known in zip(pairs, separation.weights, strict=True):
        kept = known[:place] + known[place + 1 :]
        found = find_weights(X, pair, columns) if known[place] else kept
        if found is None:
            return None
        weights.append(found)
    return Separation(columns, tuple(weights))


def swap_down(search: CoverSearch, best: Separation, lower_bound: int, clock: Clock) -> Separation:
    """Replace three columns by two as long as that works.

    All but three of the set's signed features are kept in turn, and the compiled last two levels
    of the search look for two that complete them.
    """
    most_nodes = search.tally.nodes + _SWAP_WORK // search.bits.n_signed
    most_settled = search.tally.settled + _MOST_SETTLED
    improved = len(search.y) * len(best.columns) <= _LARGEST_SWAP
    while improved and len(best.columns) > lower_bound:
        improved = False
        for kept in combinations(best.columns, len(best.columns) - 3):
            spent = search.tally.nodes > most_nodes or search.tally.settled > most_settled
            if spent or clock.is_over:
                return best
            try:
                smaller = _complete_by_two(search, best, kept, clock)
            except TimeIsUpError:
                return best
            if smaller is not None:
                best = drop_idle(smaller, search.X, search.y, clock)
                improved = True
                break
    return best


def _complete_by_two(
    search: CoverSearch, best: Separation, columns: tuple[int, ...], clock: Clock
) -> Separation | None:
    """Complete columns of the best set, with their signs for a pair of classes that needs it."""
    last = len(search.bits.pairs) - 1
    pair = next((k for k in range(last) if not search.may_separate(columns, [k])), last)
    kept = _signed(search, best, columns, pair)
    for _ in range(2):  # every round has new rows, and therefore better candidates
        found = search.pairs_completing(search.node(kept, pair), _SETTLED_PER_NODE, clock)
        rows = search.bits.n_rows
        for added in found:
            candidate = (*kept, *(int(f) for f in added if f >= 0))
            if search.is_bad_since(rows, candidate, pair):
                continue
            if clock.is_over:
                return None
            answer = search.settle(candidate, clock)
            if answer is not None:
                return answer
        if len(found) < _SETTLED_PER_NODE:
            break
    return None


def _signed(
    search: CoverSearch, separation: Separation, columns: tuple[int, ...], pair: int
) -> tuple[int, ...]:
    """Places of some of the set's columns with the signs of their weights for a pair of classes."""
    weights = separation.weights[search.bits.pairs[pair].place]
    weight_of, places = dict(zip(separation.columns, weights, strict=True)), []
    for column in columns:
        sign = 1 if weight_of[column] > 0 else -1
        is_here = search.bits.columns == column
        wanted = np.flatnonzero(is_here & (search.bits.signs == sign))
        places.append(int((wanted if len(wanted) else np.flatnonzero(is_here))[0]))
    return tuple(places)
