"""Linear programs of two classes against the full program, with certificates from the data."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fuzzing.data import as_stored, draw_codes, draw_size, draw_values
from fuzzing.oracles.linear import METHODS, Case, full_objective
from fuzzing.oracles.solved import assert_solved, run

# Between weights of this size on standardised columns and "infeasible" lies only rounding, and two
# solvers may draw that line in different places.
_LARGEST = 1e7


def check(case: int, folder: Path) -> None:
    problem = draw(case)
    wanted = full_objective(problem)
    if np.isfinite(wanted) and wanted > _LARGEST:
        return
    assert_solved(problem, run(problem), wanted)


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
