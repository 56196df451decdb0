"""Last digits of a box lasso whose columns are nearly dependent.

Newton's method works on the Gram matrix, which squares the condition number of the columns. Where
that costs it the last digits, the free weights are solved for once more with an orthogonal
factorisation of their columns; a weight that reaches zero or its limit on the way stays there.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, solve_triangular

from fewest._types import FloatArray, IndexArray

_ROUNDS = 10
# Columns that add less than this to the span of the others are left where they are.
_DEPENDENT = 1e-13


def polish(
    columns: FloatArray,
    residual: FloatArray,
    alpha: FloatArray,
    penalty: FloatArray,
    cap: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Weights and residual after steps to the minimum over the free weights' signs."""
    alpha = alpha.copy()
    for _ in range(_ROUNDS):
        free = np.flatnonzero((alpha != 0.0) & (np.abs(alpha) < cap))
        if not len(free):
            break
        direction, free = _to_the_minimum(columns, residual, alpha, penalty, free)
        sign = np.sign(alpha[free])
        # How far each weight may go until it is zero, or at its limit.
        inward, outward = sign * direction < 0.0, sign * direction > 0.0
        room = np.full(len(free), np.inf)
        size, speed = np.abs(alpha[free]), np.abs(direction)
        np.divide(size, speed, out=room, where=inward)
        np.divide(cap[free] - size, speed, out=room, where=outward)
        length = min(1.0, float(room.min(initial=np.inf)))
        moved = alpha[free] + length * direction
        stopped = room <= length
        moved[stopped & inward] = 0.0
        moved[stopped & outward] = (sign * cap[free])[stopped & outward]
        residual = residual - columns[:, free] @ (moved - alpha[free])
        alpha[free] = moved
        if not stopped.any() and np.abs(direction).max() <= 1e-12 * np.abs(moved).max():
            break
    return alpha, residual


def _to_the_minimum(
    columns: FloatArray,
    residual: FloatArray,
    alpha: FloatArray,
    penalty: FloatArray,
    free: IndexArray,
) -> tuple[FloatArray, IndexArray]:
    """Step to the minimum on the independent ones of the free columns, and which they are."""
    triangle, order = qr(columns[:, free], mode="r", pivoting=True, check_finite=False)
    size = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(size > _DEPENDENT * size[0]))
    triangle, free = triangle[:rank, :rank], free[order[:rank]]
    gradient = residual @ columns[:, free] - penalty[free] * np.sign(alpha[free])
    half = solve_triangular(triangle, gradient, trans="T", check_finite=False)
    return solve_triangular(triangle, half, check_finite=False), free
