"""Objective and lower bound of the box lasso, computed from the data and never by the solver.

Every vector u proves the lower bound y.u - 1/2 |u|^2 - C sum_j max(|k_j.u| - epsilon_j, 0) on
1/2 |K a - y|^2 + sum_j epsilon_j |a_j|, |a_j| <= C. Without a limit C the sum has to vanish, which
shrinking u achieves. The residual y - K a of the best a is the best u.
"""

from __future__ import annotations

import numpy as np

from fewest._types import FloatArray

# Objectives below this part of 1/2 |y|^2 (nearly perfect fits) are too small as the gap's unit.
_SMALLEST_UNIT = 1e-4
# Least squares without any limit: the proof covers weights up to this many times those found, and
# by convexity what cannot be improved nearby cannot be improved at all.
_REACH = 100.0


def dual_value(
    product: float,
    square: float,
    prices: FloatArray,
    penalty: FloatArray | float,
    cap: FloatArray | float,
) -> float:
    """Best lower bound along the ray of u, given y.u, u.u and the prices K^T u."""
    size = np.abs(prices)
    excess = np.maximum(size - penalty, 0.0)
    bound = 0.0
    if np.all(np.isfinite(cap)):
        bound = max(bound, product - 0.5 * square - float(np.sum(cap * excess)))
    if product > 0.0 and np.all(penalty > 0.0):
        largest = float(np.max(size / penalty, initial=0.0))
        longest = product / square if largest == 0.0 else min(product / square, 1.0 / largest)
        bound = max(bound, longest * product - 0.5 * longest * longest * square)
    return bound


def lower_bound(
    target: FloatArray,
    residual: FloatArray,
    prices: FloatArray,
    alpha: FloatArray,
    epsilon: FloatArray | float,
    C: float,
) -> float:
    """Lower bound on the objective that the residual proves; prices are K^T residual."""
    product, square = float(target @ residual), float(residual @ residual)
    bound = dual_value(product, square, prices, epsilon, C)
    if np.all(epsilon == 0.0) and np.isinf(C):
        reach = _REACH * float(np.abs(alpha).sum())
        largest = float(np.abs(prices).max(initial=0.0))
        if reach > 0.0 or largest == 0.0:
            bound = max(bound, product - 0.5 * square - reach * largest)
    return bound


def objective_value(residual: FloatArray, alpha: FloatArray, epsilon: FloatArray | float) -> float:
    return float(0.5 * residual @ residual + np.sum(epsilon * np.abs(alpha)))


def gap_unit(objective: float, target: FloatArray) -> float:
    """The unit of a duality gap: the objective, or a small part of the one at zero."""
    return max(objective, _SMALLEST_UNIT * 0.5 * float(target @ target))


def relative_gap(objective: float, bound: float, target: FloatArray) -> float:
    unit = gap_unit(objective, target)
    return 0.0 if unit == 0.0 else max(0.0, objective - bound) / unit
