"""Compiled coordinate descent for the box lasso: one variable at a time, and exact pairs."""

from __future__ import annotations

import numpy as np
from numba import njit

from fewest._types import FloatArray, IndexArray


@njit(cache=True)
def one_minimum(quadratic: float, linear: float, penalty: float, cap: float) -> float:
    """Minimise 1/2 quadratic a^2 - linear a + penalty |a| over |a| <= cap."""
    excess = abs(linear) - penalty
    if excess <= 0.0:
        return 0.0
    size = cap if excess >= cap * quadratic else excess / quadratic
    return size if linear > 0.0 else -size


@njit(cache=True)
def pair_minimum(
    product: float,
    linear_0: float,
    linear_1: float,
    penalty_0: float,
    penalty_1: float,
    cap_0: float,
    cap_1: float,
) -> tuple[float, float]:
    """Minimise over two variables whose columns have unit length and inner product `product`.

    Given a_0, the best a_1 is known in closed form and piecewise linear in a_0. What is left has a
    derivative that increases in a_0, with kinks at zero and where a_1 reaches a limit or zero. Find
    the two kinks between which it changes sign, and then its zero.
    """
    kinks = np.empty(7)
    count = 1
    kinks[0] = 0.0
    if product != 0.0:
        for level in (penalty_1, -penalty_1, penalty_1 + cap_1, -penalty_1 - cap_1):
            place = (linear_1 - level) / product
            if abs(place) < cap_0:
                kinks[count] = place
                count += 1
    if cap_0 < np.inf:
        kinks[count], kinks[count + 1] = -cap_0, cap_0
        count += 2
    inner = np.sort(kinks[:count])
    low, high = -np.inf, np.inf  # the derivative is negative at low and positive at high
    below = above = 0.0  # what it is there, towards the inside
    for place in inner:
        best_1 = one_minimum(1.0, linear_1 - product * place, penalty_1, cap_1)
        slope = place + product * best_1 - linear_0
        left = slope + (penalty_0 if place > 0.0 else -penalty_0)
        right = slope + (penalty_0 if place >= 0.0 else -penalty_0)
        if (left <= 0.0 or place == -cap_0) and (right >= 0.0 or place == cap_0):
            return place, best_1
        if right < 0.0:
            low, below = place, right
        else:
            high, above = place, left
            break
    middle = low + 1.0 if high == np.inf else (high - 1.0 if low == -np.inf else 0.5 * (low + high))
    best_1 = one_minimum(1.0, linear_1 - product * middle, penalty_1, cap_1)
    curvature = 1.0 - product * product if 0.0 < abs(best_1) < cap_1 else 1.0
    if curvature <= 0.0:  # twins: the derivative is zero up to rounding
        return middle, best_1
    # From the nearer end: a kink may be so far away that its place has no digits to spare.
    place = low - below / curvature if abs(low) < abs(high) else high - above / curvature
    place = min(max(place, low), high)
    return place, one_minimum(1.0, linear_1 - product * place, penalty_1, cap_1)


@njit(cache=True)
def descend(
    block: FloatArray,
    residual: FloatArray,
    alpha: FloatArray,
    penalty: FloatArray,
    cap: FloatArray,
    partner: IndexArray,
    product: FloatArray,
    sweeps: int,
) -> None:
    """Sweeps of coordinate descent over columns of unit length; changes residual and alpha.

    A column with a partner (-1 says it has none) is moved together with it: two columns that
    are nearly parallel would otherwise undo each other's steps again and again.
    """
    n = block.shape[0]
    for _ in range(sweeps):
        moved = 0.0
        for j in range(block.shape[1]):
            k = partner[j]
            linear = np.dot(block[:, j], residual) + alpha[j]
            if k < 0:
                new, other = one_minimum(1.0, linear, penalty[j], cap[j]), 0.0
            else:
                gradient = np.dot(block[:, k], residual)
                linear += product[j] * alpha[k]
                linear_k = gradient + alpha[k] + product[j] * alpha[j]
                new, other = pair_minimum(
                    product[j], linear, linear_k, penalty[j], penalty[k], cap[j], cap[k]
                )
                step = other - alpha[k]
                if step != 0.0:
                    for i in range(n):
                        residual[i] -= step * block[i, k]
                    alpha[k] = other
                    moved = max(moved, abs(step))
            step = new - alpha[j]
            if step != 0.0:
                for i in range(n):
                    residual[i] -= step * block[i, j]
                alpha[j] = new
                moved = max(moved, abs(step))
        if moved == 0.0:
            return
