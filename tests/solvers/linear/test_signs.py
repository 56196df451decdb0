"""Programs whose weights may have one sign only, against the full program in linprog."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from fewest._solvers.certify import dual_bound, dual_point, price_ratios
from fewest._solvers.columns import wrap_columns
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import Problem, support_feature_machine, unit_margin
from fewest._solvers.result import Status
from tests.fuzzing import many

pytestmark = pytest.mark.fuzz


def full_optimum(problem: Problem, X: np.ndarray) -> float:
    """The smallest objective; infinite where nothing is feasible."""
    n, d = X.shape
    y = problem.y[:, None]
    A = np.hstack([-y * X, y * X, -y, -np.eye(n)])
    costs = problem.costs(np.arange(d))
    slack_cost = np.zeros(n) if problem.slack_cost is None else problem.slack_cost
    sign = np.zeros(d) if problem.feature_sign is None else problem.feature_sign
    bounds = [(0, 0 if s < 0 else None) for s in sign] + [(0, 0 if s > 0 else None) for s in sign]
    bounds += [(None, None)] + [(0, 0 if problem.slack_cost is None else None)] * n
    equality = {}
    if problem.equality is not None:
        a = problem.equality @ X
        row = np.concatenate([a, -a, [problem.bias_coefficient], np.zeros(n)])
        equality = {"A_eq": row[None], "b_eq": [problem.rhs]}
    found = linprog(
        np.concatenate([costs, costs, [0.0], slack_cost]),
        A_ub=A,
        b_ub=np.full(n, -problem.margin),
        bounds=bounds,
        method="highs",
        **equality,
    )
    assert found.status in (0, 2)
    return found.fun if found.status == 0 else np.inf


@pytest.mark.parametrize("seed", range(many(24)))
def test_equals_the_full_program(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([12, 30, 280])), int(rng.choice([3, 8, 60]))
    X = rng.standard_normal((n, d))
    noise = rng.choice([0.0, 1.0]) * rng.standard_normal(n)
    y = np.where(X @ rng.standard_normal(d) + noise > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    slack_cost = None if rng.random() < 0.4 else rng.uniform(0.02, 1.0, n)
    make = rng.choice([support_feature_machine, unit_margin])
    problem = replace(
        make(y, slack_cost=slack_cost),
        feature_cost=None if rng.random() < 0.5 else rng.uniform(0.2, 3.0, d),
        feature_sign=rng.choice([-1, 0, 1], d).astype(np.int8),
    )
    if problem.equality is not None and rng.random() < 0.3:
        problem = problem.with_rhs(-1.0)
    columns = wrap_columns(X)
    result, wanted = solve(problem, columns), full_optimum(problem, X)
    if np.isinf(wanted):
        assert result.status is Status.INFEASIBLE
        return
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    assert (problem.feature_sign[result.features] * result.w >= 0.0).all()
    point = dual_point(problem, result.alpha, result.multiplier)
    largest = float(price_ratios(problem, columns, point.v).max())
    assert dual_bound(problem, point, largest) == pytest.approx(wanted, rel=1e-6, abs=1e-9)
