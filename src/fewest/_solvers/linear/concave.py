"""Fewer features through a concave penalty, by successive linear programs.

    minimise    sum_j (1 - exp(-a |w_j|))  +  sum_i C_i xi_i

on the constraints of the linear program. Each program takes the penalty's tangent at the last
weights: a feature costs a exp(-a |w_j|), so large weights are nearly free and features that were
left out may return. The objective never rises, and the loop ends after finitely many programs.
"""

from __future__ import annotations

import numpy as np

from fewest._solvers.columns import Columns
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result
from fewest._types import FloatArray

# Cheaper features would be free for the solver, and the costs too far apart.
_LEAST_COST = 1e-6


def minimize_concave(
    problem: Problem,
    columns: Columns,
    *,
    steepness: float,
    tol: float = 1e-7,
    max_iter: int = 20,
) -> ZeroNormResult:
    """Linearise and solve until the objective no longer falls; `steepness` is a above.

    The result's `zero_norm_objective` is the concave one; all its steps are programs over all
    columns. The costs of the problem multiply the penalties of the features.
    """
    steepest = steepness * problem.costs(np.arange(columns.n_features))
    step = solve(problem.with_costs(steepest, problem.slack_cost), columns, tol=tol)
    steps, best, converged = [step], step, False
    value = concave_objective(problem, step, steepness)
    while np.isfinite(value) and not converged and len(steps) < max_iter:
        tangent = steepest.copy()
        tangent[best.features] *= np.maximum(np.exp(-steepness * np.abs(best.w)), _LEAST_COST)
        step = solve(
            problem.with_costs(tangent, problem.slack_cost), columns, tol=tol, warm=best.warm
        )
        lower = concave_objective(problem, step, steepness)
        converged = not lower < value - tol * max(1.0, value)
        if not converged:
            best, value = step, lower
            steps.append(step)
    return ZeroNormResult(
        features=best.features,
        w=best.w,
        b=best.b,
        slack=best.slack,
        rhs=problem.rhs,
        zero_norm_objective=value,
        steps=tuple(steps),
        converged=converged,
    )


def concave_objective(problem: Problem, step: Result, steepness: float) -> float:
    """The penalty of the weights and the cost of the slacks."""
    if not np.isfinite(step.objective):
        return float(np.inf)
    penalty: FloatArray = problem.costs(step.features) * -np.expm1(-steepness * np.abs(step.w))
    used = step.slack > 0.0
    return float(penalty.sum() + problem.slack_bounds()[used] @ step.slack[used])
