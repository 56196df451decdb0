"""Objective and lower bound of a solution, computed from the data and never by the solver.

Any vector alpha >= 0 (below the slack costs) with a multiplier lambda, balanced so that
v = alpha * y + lambda * u sums to zero, proves a lower bound on the objective: scale it until
|x_j . v| <= c_j holds for every column of X, and read off m sum(alpha) + s lambda.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest._solvers.columns import Columns
from fewest._solvers.problem import Problem
from fewest._types import FloatArray


@dataclass(frozen=True, eq=False)
class DualPoint:
    """A dual vector that satisfies everything but, perhaps, the feature constraints."""

    alpha: FloatArray
    multiplier: float
    v: FloatArray
    value: float


def dual_point(problem: Problem, alpha: FloatArray, multiplier: float) -> DualPoint:
    """The nearest dual vector that respects the bounds and the balance exactly.

    The balance is restored by shrinking one class, which cannot violate any bound.
    """
    alpha = np.clip(alpha, 0.0, problem.slack_bounds())
    positive = problem.y > 0
    plus, minus = alpha[positive].sum(), alpha[~positive].sum()
    wanted = -multiplier * problem.bias_coefficient  # what plus - minus must be
    if plus > minus + wanted and plus > 0:
        alpha[positive] *= max(0.0, minus + wanted) / plus
    elif plus < minus + wanted and minus > 0:
        alpha[~positive] *= max(0.0, plus - wanted) / minus
    v = alpha * problem.y
    value = problem.margin * alpha.sum()
    if problem.equality is not None:
        v += multiplier * problem.equality
        value += problem.rhs * multiplier
    return DualPoint(alpha, multiplier, v, float(value))


def dual_bound(problem: Problem, point: DualPoint, largest_ratio: float) -> float:
    """Lower bound on the objective, given max_j |x_j . v| / c_j.

    Where no alpha is limited from above, the dual is a cone and the point may also be enlarged.
    """
    if abs(point.v.sum()) > 1e-9 * max(1.0, np.abs(point.v).sum()):
        return 0.0  # the balance could not be restored: no proof
    if point.value <= 0.0:
        return 0.0
    limited = point.alpha > 0.0
    is_cone = problem.slack_cost is None or bool(np.all(np.isinf(problem.slack_cost[limited])))
    divisor = largest_ratio if is_cone else max(1.0, largest_ratio)
    return float(np.inf) if divisor == 0.0 else point.value / divisor


def price_ratios(problem: Problem, columns: Columns, v: FloatArray) -> FloatArray:
    """|x_j . v| / c_j for every column: above one, the column wants to enter.

    Where a weight may have one sign only, so may x_j . v.
    """
    ratios = columns.price(v)
    if problem.feature_sign is not None:
        ratios = np.where(problem.feature_sign * ratios < 0.0, 0.0, ratios)
    ratios = np.abs(ratios)
    if problem.feature_cost is not None:
        ratios /= problem.feature_cost
    return ratios


def slack_and_violation(problem: Problem, margins: FloatArray) -> tuple[FloatArray, float]:
    """Slacks that the margins need, and the largest shortfall of a sample that may have none."""
    shortfall = np.maximum(0.0, problem.margin - margins)
    hard = np.isinf(problem.slack_bounds())
    violation = float(shortfall[hard].max(initial=0.0))
    return np.where(hard, 0.0, shortfall), violation


def equality_shortfall(problem: Problem, margins: FloatArray) -> float:
    """By how much the margins miss the equality of the program; zero if it has none."""
    if problem.equality is None:
        return 0.0
    return abs(float(problem.equality @ (problem.y * margins)) - problem.rhs)


def objective_value(problem: Problem, costs: FloatArray, w: FloatArray, slack: FloatArray) -> float:
    value = float(np.sum(costs * np.abs(w)))
    if problem.slack_cost is not None:
        paying = slack > 0.0
        value += float(np.sum(problem.slack_cost[paying] * slack[paying]))
    return value
