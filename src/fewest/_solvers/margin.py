"""The largest margin on a few given features.

The linear programs leave some samples exactly on their hyperplane; for new samples the hyperplane
with the largest (Euclidean) margin on the chosen features is the better rule.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from fewest._solvers.columns import wrap_columns
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Status
from fewest._types import FloatArray

# Where classes overlap, a larger cost no longer changes the hyperplane.
_LARGEST_COST = 1e6
# Where errors cost nearly nothing, w would shrink to zero instead of separating the classes.
_SMALLEST_COST = 0.1
_NEWTON_STEPS = 200


def hard_margin(Z: FloatArray, y: FloatArray) -> tuple[FloatArray, float] | None:
    """Hyperplane of the largest margin, with margin one; None if no strict separation exists."""
    direction = _hull_difference(Z, y)
    plane = _centred_plane(Z, y, direction) if direction is not None else None
    if plane is None:
        # Hulls that nearly touch: the simplex method still finds the largest margin in the
        # maximum norm, if there is any.
        result = solve(unit_margin(y), wrap_columns(Z))
        if result.status is not Status.INFEASIBLE:
            direction = np.zeros(Z.shape[1])
            direction[result.features] = result.w
            plane = _centred_plane(Z, y, direction)
    return plane


def soft_margin(
    Z: FloatArray, y: FloatArray, cost: FloatArray, sample_weight: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """Hyperplane that minimises |w|^2 / 2 + sum_i (c_i / 2) max(0, 1 - y_i (z_i . w + b))^2.

    `cost` is meant for samples of norm one, as C is; for k standardised features that makes
    c_i = cost_i / k. Newton's method on this piecewise quadratic function ends after finitely
    many steps, however large the costs; the usual decomposition methods are slow with large ones.
    `cost` includes the weights of the samples, which only say how many samples each one stands for.
    """
    c = np.minimum(cost / Z.shape[1], _LARGEST_COST)
    mean = c.mean()
    if sample_weight is not None:  # a sample of weight two is two samples
        share = sample_weight / sample_weight.max()  # first, because the sum may overflow
        mean = np.average(cost / sample_weight, weights=share) / Z.shape[1]
    c *= max(1.0, _SMALLEST_COST / mean)
    A = np.column_stack([y[:, None] * Z, y])
    ridge = np.ones(A.shape[1])
    ridge[-1] = 1e-12 * c.sum()  # the bias is free; this only keeps the system regular

    def value(plane: FloatArray) -> float:
        shortfall = np.maximum(0.0, 1.0 - A @ plane)
        return float(0.5 * ridge @ plane**2 + 0.5 * c @ shortfall**2)

    plane = np.zeros(A.shape[1])
    for _ in range(_NEWTON_STEPS):
        active = A @ plane < 1.0
        weighted = c[active, None] * A[active]
        target = np.linalg.solve(weighted.T @ A[active] + np.diag(ridge), weighted.sum(axis=0))
        if np.array_equal(A @ target < 1.0, active):
            plane = target
            break
        step, current = 1.0, value(plane)
        while value(plane + step * (target - plane)) >= current and step > 1e-12:
            step /= 2
        if step <= 1e-12:
            break
        plane = plane + step * (target - plane)
    return plane[:-1], float(plane[-1])


def _hull_difference(Z: FloatArray, y: FloatArray) -> FloatArray | None:
    """Shortest vector between the convex hulls of the classes, by non-negative least squares.

    Two rows with a large weight make the coefficients of each class sum to one.
    """
    weight = 1e3 * max(1.0, float(np.abs(Z).max(initial=0.0)))
    system = np.vstack([(y[:, None] * Z).T, weight * (y > 0), weight * (y < 0)])
    target = np.zeros(Z.shape[1] + 2)
    target[-2:] = weight
    try:
        coefficients, _ = nnls(system, target)
    except RuntimeError:  # no convergence: degenerate hulls
        return None
    return (coefficients * y) @ Z


def _centred_plane(
    Z: FloatArray, y: FloatArray, direction: FloatArray
) -> tuple[FloatArray, float] | None:
    """The hyperplane halfway between the classes along a direction, scaled to margin one."""
    projection = Z @ direction
    lowest, highest = projection[y > 0].min(), projection[y < 0].max()
    width = lowest - highest
    if not width > 1e-9 * np.abs(projection).max(initial=0.0):
        return None
    w = direction * (2.0 / width)
    return w, float(-(lowest + highest) / width)
