"""A small separating set to start from: the zero-norm loops, then local swaps."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import SolverError
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.problem import support_feature_machine, unit_margin
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest.minimum._clock import Clock
from fewest.minimum._leaves import Separation, settle
from fewest.minimum._search import CoverSearch

# The class means are one apart in the Support Feature Machine's programs.
_STRICT_MARGIN = 1e-3
# Limits of the local swaps: nodes times signed features, sets settled, and sets settled per node.
_SWAP_WORK = 10**10
_MOST_SETTLED = 2000
_SETTLED_PER_NODE = 32


def find_first_set(X: FloatArray, y: FloatArray) -> Separation | None:
    """The smallest set that the Support Feature Machine or Weston's method selects, proven.

    None if neither separates the classes strictly (ties may leave samples on the hyperplane).
    """
    columns = scale_columns(X)
    zero_margin = support_feature_machine(y)
    best = None
    for problem in (zero_margin, replace(zero_margin, margin=_STRICT_MARGIN), unit_margin(y)):
        try:
            result = minimize_zero_norm(problem, columns)
        except SolverError:
            continue
        fewest = np.inf if best is None else len(best.columns)
        if result.status is not Status.INFEASIBLE and 0 < result.n_features < fewest:
            answer = settle(X, y, result.features)
            best = answer if isinstance(answer, Separation) else best
    return best


def drop_idle(separation: Separation, X: FloatArray, y: FloatArray) -> Separation:
    """The same set without columns that the others do not need."""
    for column in separation.columns:
        fewer = tuple(other for other in separation.columns if other != column)
        answer = settle(X, y, fewer) if fewer else None
        if isinstance(answer, Separation):
            separation = answer
    return separation


def swap_down(search: CoverSearch, best: Separation, lower_bound: int, clock: Clock) -> Separation:
    """Replace three columns by two as long as that works.

    All but three of the set's signed features are kept in turn, and the compiled last two levels
    of the search look for two that complete them.
    """
    most_nodes = search.tally.nodes + _SWAP_WORK // search.bits.n_signed
    most_settled = search.tally.settled + _MOST_SETTLED
    improved = True
    while improved and len(best.columns) > lower_bound:
        improved = False
        signed = _signed(search, best)
        for kept in combinations(signed, len(signed) - 3):
            spent = search.tally.nodes > most_nodes or search.tally.settled > most_settled
            if spent or clock.is_over:
                return best
            smaller = _complete_by_two(search, kept)
            if smaller is not None:
                best = drop_idle(smaller, search.X, search.y)
                clock.say(f"local swaps: {len(best.columns)} features separate")
                improved = True
                break
    return best


def _complete_by_two(search: CoverSearch, kept: tuple[int, ...]) -> Separation | None:
    for _ in range(2):  # every round has new rows, and therefore better candidates
        pairs = search.pairs_completing(search.node(kept), _SETTLED_PER_NODE)
        rows = search.bits.n_rows
        for pair in pairs:
            candidate = (*kept, *(int(f) for f in pair if f >= 0))
            if search.is_bad_since(rows, candidate):
                continue
            answer = search.settle(candidate)
            if answer is not None:
                return answer
        if len(pairs) < _SETTLED_PER_NODE:
            break
    return None


def _signed(search: CoverSearch, separation: Separation) -> tuple[int, ...]:
    """Places of the set's columns with the signs of their weights."""
    places = []
    for column, weight in zip(separation.columns, separation.weights, strict=True):
        wanted = (search.bits.columns == column) & (search.bits.signs == (1 if weight > 0 else -1))
        places += np.flatnonzero(wanted).tolist()
    return tuple(places)
