"""The solution with the class means the other way round, without solving a second program.

Let the slack costs be proportional to the weights of the equality: C_i y_i = K u_i, as for balanced
classes. Then for any hyperplane g with u . g = s the costs of its mirror image -g are

    sum_i C_i max(0, y_i g_i)  =  sum_i C_i max(0, -y_i g_i)  +  sum_i C_i y_i g_i,

and the last sum is K s for all of them. So the mirror image of an optimum for s is an optimum for
-s, with an objective that is larger by K s; its dual solution is (C - alpha, -lambda - K).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fewest._solvers.certify import slack_and_violation
from fewest._solvers.columns import Columns
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result, Status
from fewest._types import FloatArray


def mirror_image(problem: Problem, columns: Columns, result: Result) -> Result | None:
    """Optimum of `problem` with the right-hand side negated; None where it is not known."""
    if problem.equality is None or problem.slack_cost is None or problem.margin != 0.0:
        return None
    if result.status is not Status.OPTIMAL or problem.feature_sign is not None:
        return None
    factor = problem.slack_cost.sum() / (problem.y @ problem.equality)
    if not np.allclose(problem.slack_cost * problem.y, factor * problem.equality, rtol=1e-12):
        return None
    margins = -problem.y * (columns.project(result.features, result.w) + result.b)
    slack, violation = slack_and_violation(problem, margins)
    return replace(
        result,
        w=-result.w,
        b=-result.b,
        slack=slack,
        alpha=problem.slack_cost - result.alpha,
        multiplier=-result.multiplier - factor,
        dual=-result.dual,
        objective=result.objective + factor * problem.rhs,
        bound=result.bound + factor * problem.rhs,
        violation=violation,
        rounds=0,
        seconds=0.0,
    )


def least_error_cost(y: FloatArray, scores: FloatArray, error_cost: FloatArray) -> float:
    """Cost of the errors at the best threshold on the scores (samples above it are positive)."""
    order = np.argsort(scores, kind="stable")
    change = np.where(y > 0, error_cost, -error_cost)[order]
    return float(error_cost[y < 0].sum() + np.minimum(0.0, np.cumsum(change)).min())
