"""Support vector machines on a given kernel matrix, along growing costs.

Each is the solution of

    minimise    1/2 b^T K b - y^T b
    subject to  sum_i b_i = 0,   0 <= y_i b_i <= C_i

with b_i = y_i alpha_i and C_i = C n / (2 n_k) for the n_k samples of a class: both classes weigh
the same. It is solved by moving two variables at a time: the one with the smallest gradient that
may grow, and the one that may shrink and gains most from it. Every 200 of these steps, all
variables that are at no bound jump to where they would be optimal, as far as the bounds allow;
without that, correlated features take tens of thousands of steps. A probe solves this hundreds of
thousands of times with about eighty samples, and the overhead of an SVC would take longer than the
solving. So the code is compiled, and each cost starts from the solution of the last one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fewest._types import FloatArray, IndexArray

_STEPS_BETWEEN_JUMPS = 200
_MOST_JUMPS = 10
_ROUNDING = 1e-12
_RIDGE = 1e-10  # for kernels of few features, which are singular


def class_weights(y: FloatArray) -> FloatArray:
    """Weights n / (2 n_k) for each sample; they sum to half the samples in either class."""
    plus = np.count_nonzero(y > 0)
    return np.where(y > 0, len(y) / (2.0 * plus), len(y) / (2.0 * (len(y) - plus)))


def decisions_along_costs(
    K: FloatArray,
    y: FloatArray,
    training: IndexArray,
    test: IndexArray,
    costs: FloatArray,
    *,
    tol: float = 1e-3,
    most_steps: int = 5000,
) -> FloatArray:
    """Decision values of test samples, one row per cost; the costs increase.

    `training` and `test` are rows of K and y. `tol` is the largest violation of the optimality
    conditions, where the margin is one. Samples that overlap may take millions of steps at a large
    cost, which no longer change any decision: the search ends after `most_steps`.
    """
    signs = y[training]
    inside, outside = K[np.ix_(training, training)], K[np.ix_(test, training)]
    return _along_costs(
        inside, outside, signs, class_weights(signs), costs, float(tol), int(most_steps)
    )


@njit(cache=True)
def _along_costs(inside, outside, y, weights, costs, tol, most_steps):  # type: ignore[no-untyped-def]
    b = np.zeros(len(y))
    bound = np.zeros(len(y))
    decisions = np.empty((len(costs), len(outside)))
    for place in range(len(costs)):
        wider = costs[place] * weights
        if place:
            _start(inside, y, b, bound, wider)
        bound = wider
        threshold, converged = solve(inside, y, bound, b, tol, most_steps)
        decisions[place:] = outside @ b + threshold
        # Where no sample is at its bound, or the end is out of reach, larger costs change nothing.
        if not converged or not np.any(np.abs(b) >= bound):
            break
    return decisions


@njit(cache=True)
def solve(K, y, bound, b, tol, most_steps):  # type: ignore[no-untyped-def]
    """Improve `b` in place until it is optimal; returns the threshold, and whether it converged."""
    n = len(y)
    gradient = K @ b - y
    converged = False
    for step_number in range(most_steps):
        if step_number % _STEPS_BETWEEN_JUMPS == _STEPS_BETWEEN_JUMPS - 1:
            for _ in range(_MOST_JUMPS):
                if not _jump(K, y, bound, b, gradient):
                    break
        up, smallest, largest = -1, np.inf, -np.inf
        for i in range(n):
            can_grow = b[i] < bound[i] if y[i] > 0 else b[i] < 0.0
            can_shrink = b[i] > 0.0 if y[i] > 0 else b[i] > -bound[i]
            if can_grow and gradient[i] < smallest:
                up, smallest = i, gradient[i]
            if can_shrink and gradient[i] > largest:
                largest = gradient[i]
        if largest - smallest <= tol:
            converged = True
            break
        down, gain, step = -1, 0.0, 0.0
        for j in range(n):
            can_shrink = b[j] > 0.0 if y[j] > 0 else b[j] > -bound[j]
            difference = gradient[j] - smallest
            if can_shrink and difference > 0.0:
                curvature = max(K[up, up] + K[j, j] - 2.0 * K[up, j], 1e-12)
                if difference * difference / curvature > gain:
                    down, gain = j, difference * difference / curvature
                    step = difference / curvature
        room_up = bound[up] - b[up] if y[up] > 0 else -b[up]
        room_down = b[down] if y[down] > 0 else b[down] + bound[down]
        step = min(step, room_up, room_down)
        b[up] = _within(b[up] + step, y[up], bound[up])
        b[down] = _within(b[down] - step, y[down], bound[down])
        for i in range(n):
            gradient[i] += step * (K[i, up] - K[i, down])
    return -_level(gradient, b, y, bound), converged


@njit(cache=True)
def _jump(K, y, bound, b, gradient):  # type: ignore[no-untyped-def]
    """Move all variables between their bounds towards their joint optimum.

    Returns whether a bound was in the way: another jump may then lead further.
    """
    n, m = len(y), 0
    free = np.empty(n, dtype=np.intp)
    for i in range(n):
        if 0.0 < b[i] * y[i] < bound[i]:
            free[m] = i
            m += 1
    if m < 2:
        return False
    system, target = np.ones((m + 1, m + 1)), np.zeros(m + 1)
    for i in range(m):
        for j in range(m):
            system[i, j] = K[free[i], free[j]]
        system[i, i] += _RIDGE
        target[i] = -gradient[free[i]]
    system[m, m] = 0.0
    solution = np.linalg.solve(system, target)
    direction = np.zeros(n)
    for i in range(m):
        direction[free[i]] = solution[i]
    change = K @ direction
    slope, curvature = gradient @ direction, change @ direction
    if not slope < 0.0:
        return False
    # The ridge makes the direction inexact, so it needs a step length of its own.
    length, limited = -slope / max(curvature, 1e-300), False
    for i in range(n):
        if direction[i] != 0.0:
            end = y[i] * bound[i] if y[i] * direction[i] > 0.0 else 0.0
            if (end - b[i]) / direction[i] < length:
                length, limited = (end - b[i]) / direction[i], True
    for i in range(n):
        if direction[i] != 0.0:
            b[i] = _within(b[i] + length * direction[i], y[i], bound[i])
        gradient[i] += length * change[i]
    return limited


@njit(cache=True)
def _within(value, sign, bound):  # type: ignore[no-untyped-def]
    """The value, or the bound that it equals up to rounding: others compare with bounds exactly."""
    size = value * sign
    if size <= _ROUNDING * bound:
        return 0.0
    return sign * bound if size >= (1.0 - _ROUNDING) * bound else value


@njit(cache=True)
def _level(gradient, b, y, bound):  # type: ignore[no-untyped-def]
    """The gradient's common value on free samples; between the bounded ones if none is free."""
    total, count, smallest, largest = 0.0, 0, np.inf, -np.inf
    for i in range(len(y)):
        size = b[i] * y[i]
        if 0.0 < size < bound[i]:
            total += gradient[i]
            count += 1
        if (size < bound[i]) == (y[i] > 0):
            smallest = min(smallest, gradient[i])
        else:
            largest = max(largest, gradient[i])
    return total / count if count else (smallest + largest) / 2.0


@njit(cache=True)
def _start(K, y, b, bound, wider):  # type: ignore[no-untyped-def]
    """The last solution, or that times the growth of the bounds, whichever is better."""
    growth = wider[0] / bound[0]
    quadratic, linear = b @ (K @ b) / 2.0, y @ b
    if growth * growth * quadratic - growth * linear < quadratic - linear:
        for i in range(len(b)):
            # Not b * growth at the bound, which might miss the new one by a rounding error.
            b[i] = y[i] * wider[i] if abs(b[i]) == bound[i] else b[i] * growth
