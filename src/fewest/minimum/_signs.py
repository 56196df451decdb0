"""Hyperplanes whose weights must have given signs: a linear program, and the margin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls

from fewest._solvers.columns import scale_columns
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray
from fewest.minimum._clock import stop_when_over

_HEAVY = 1e4  # how much more than a distance of one the sums of the shares count


def separate_with_signs(
    block: FloatArray, y: FloatArray, signs: NDArray[np.int8]
) -> tuple[FloatArray, FloatArray]:
    """Weights with the widest gap between the classes, and the shares of samples that prove it.

    The program maximises t subject to y_i (w . z_i + b) >= t and |w_j| <= 1. If t is zero, the
    multipliers of the samples are a Farkas vector.
    """
    n, width = block.shape
    columns = scale_columns(block)
    Z = columns.take(np.arange(width))
    found = linprog(
        np.concatenate([np.zeros(width + 1), [-1.0]]),
        A_ub=np.column_stack([-y[:, None] * Z, -y, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0 if s <= 0 else 0.0, 1.0 if s >= 0 else 0.0) for s in signs]
        + [(None, None)] * 2,
        method="highs",
        options={"time_limit": current_watch().seconds_left},
    )
    stop_when_over()
    if found.status != 0:
        return np.zeros(width), np.zeros(n)
    # What rounding leaves on the wrong side of zero must not survive.
    weights = np.where(signs * found.x[:width] < 0, 0.0, found.x[:width])
    return weights * columns.inverse_scale, np.maximum(0.0, -found.ineqlin.marginals)


def measure_margin(Z: FloatArray, y: FloatArray, signs: NDArray[np.int8]) -> float:
    """Half the distance of the classes along directions whose weights have these signs.

    Zero where it cannot be computed. The weights of the widest margin are the shortest difference
    of two convex combinations, one of each class, to which anything may be added that they must not
    use.
    """
    ruled = np.flatnonzero(signs)
    n, width = Z.shape
    system = np.zeros((width + 2, n + len(ruled)))
    system[:width, :n] = (y[:, None] * Z).T
    system[ruled, n + np.arange(len(ruled))] = signs[ruled]
    system[width, :n], system[width + 1, :n] = _HEAVY * (y > 0), _HEAVY * (y < 0)
    sought = np.zeros(width + 2)
    sought[width:] = _HEAVY
    try:
        shares, _ = nnls(system, sought, maxiter=30 * system.shape[1])
    except RuntimeError:  # no solution within so many steps
        return 0.0
    return float(np.linalg.norm(system[:width] @ shares)) / 2
