"""What a solution of the box lasso is worth, whoever found it: recomputed from the data alone."""

from __future__ import annotations

import numpy as np

from fewest._solvers.box_lasso.bound import lower_bound, objective_value
from fewest._solvers.columns import Columns


def certify_weights(
    columns: Columns, target: np.ndarray, alpha: np.ndarray, epsilon: float, C: float = np.inf
) -> tuple[float, float]:
    """Objective of the weights, infinite outside the box, and a proven lower bound."""
    residual = target - columns.combine(alpha)
    bound = lower_bound(target, residual, columns.price(residual), alpha, epsilon, C)
    objective = objective_value(residual, alpha, epsilon)
    return (np.inf if np.any(np.abs(alpha) > C) else objective), bound
