"""Linear programs of two classes against the full program, with certificates from the data."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fewest._solvers.result import Result, Status
from fuzzing.data import as_stored, change_units, draw_codes, draw_size, draw_values
from fuzzing.oracles.linear import (
    METHODS,
    Case,
    UndecidedError,
    exact_bound,
    full_optimum,
    standardise,
)
from fuzzing.oracles.solved import (
    VIOLATION,
    assert_optimal,
    assert_solved,
    margin_rounding,
    paid_for_rounding,
    price_rounding,
    run,
)
from fuzzing.outcome import require

# Between weights of this size on standardised columns and "infeasible" lies only rounding, and two
# solvers may draw that line in different places.
_LARGEST = 1e7


def check(case: int, folder: Path) -> None:
    problem = draw(case)
    try:
        peer = full_optimum(problem)
    except UndecidedError:
        return
    wanted, result = peer.value, run(in_other_units(case, problem))
    decisive = (wanted,) if np.isfinite(wanted) else (result.objective, result.bound)
    if any(_LARGEST < value < np.inf for value in decisive):
        return
    if not peer.is_certain:  # huge multipliers: only a proof can be checked
        if result.status is Status.OPTIMAL:
            assert_optimal(problem, result)
        return
    if result.status is Status.INACCURATE and np.isfinite(wanted):
        _check_inaccurate(problem, result, wanted)
        return
    assert_solved(problem, result, wanted)


def _check_inaccurate(problem: Case, result: Result, wanted: float) -> None:
    """An answer that calls itself inaccurate may be so, but not by much.

    One that says itself that it violates constraints claims no solution, only its bound. Where
    multipliers are huge, the peer takes its tolerance for feasible: fractions decide.
    """
    unit = max(1.0, wanted)
    # A column whose mean is 1e14 of its standard deviations is known to a few percent.
    rounding = wanted * price_rounding(problem, result)
    most = wanted + rounding + 1e-6 * unit
    # Of hulls that are 1e-11 apart, or overlap by so much, only fractions know which it is: what
    # slacks of that size cost may be in the objective of one solver and not in that of the other.
    paid = unit * paid_for_rounding(problem, margin_rounding(problem, result), wanted)
    off = abs(result.objective - wanted) - rounding - paid
    is_claimed = result.violation <= VIOLATION
    if result.bound <= most and (not is_claimed or off <= 1e-5 * unit):
        return
    proven = exact_bound(problem, standardise(problem.X), result)
    off = min(off, abs(result.objective - proven))
    require(
        result.bound <= max(most, proven + 1e-6 * max(1.0, proven))
        and (not is_claimed or off <= 1e-5 * max(1.0, proven)),
        f"{result.objective} and bound {result.bound}, linprog {wanted}, in fractions {proven}",
    )


def in_other_units(case: int, problem: Case) -> Case:
    """The same program of other values; the answer may not change."""
    if not isinstance(problem.X, np.ndarray) or problem.X.dtype != np.float64:
        return problem
    return problem.replace(X=change_units(case, problem.X))


def draw(case: int) -> Case:
    """A program of any form, hard or soft or both, with or without prices, signs and weights."""
    rng = np.random.default_rng([1, case])
    n, d = draw_size(rng, 60, 90)
    X = draw_values(rng, n, d)
    y = np.where(draw_codes(rng, X, 2) == 1, 1.0, -1.0)
    method = str(rng.choice(METHODS))
    return Case(
        as_stored(rng, X),
        y,
        method,
        rhs=1.0 if method == "unit_margin" or rng.random() < 0.7 else -1.0,
        slack_cost=_draw_slack_cost(rng, n),
        feature_cost=10.0 ** rng.uniform(-2, 2, d) if rng.random() < 0.3 else None,
        weight=rng.uniform(0.1, 3.0, n) if method != "unit_margin" and rng.random() < 0.2 else None,
        sign=rng.choice([-1, 0, 1], d).astype(np.int8) if rng.random() < 0.2 else None,
    )


def _draw_slack_cost(rng: np.random.Generator, n: int) -> np.ndarray | None:
    match rng.integers(5):
        case 0 | 1:
            return None
        case 2:
            return np.full(n, 10.0 ** rng.uniform(-8, 6))  # what the machines may ask for
        case 3:
            return 10.0 ** rng.uniform(-3, 3, n)
        case _:
            return np.where(rng.random(n) < 0.3, np.inf, 10.0 ** rng.uniform(-3, 3, n))
