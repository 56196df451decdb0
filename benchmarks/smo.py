"""Sequential minimal optimisation for the Potential SVM, as in Hochreiter & Obermayer (2004), app.
B.

A simple version: it shows that the library's solver finds the same optimum, and how long SMO would
take. The whole matrix Q = K^T K is stored, and variables come in pairs alpha = plus - minus.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def best_pair(q_00, q_01, q_11, slope_0, slope_1, low_0, high_0, low_1, high_1):
    """Steps (d_0, d_1) within a rectangle that minimise 1/2 d.Q d + slope.d (fig. 9 there)."""
    determinant = q_00 * q_11 - q_01 * q_01
    if determinant > 1e-12 * q_00 * q_11:
        d_0 = (q_01 * slope_1 - q_11 * slope_0) / determinant
        d_1 = (q_01 * slope_0 - q_00 * slope_1) / determinant
        if low_0 <= d_0 <= high_0 and low_1 <= d_1 <= high_1:
            return d_0, d_1
    best, best_0, best_1 = 0.0, 0.0, 0.0
    for edge in range(5):
        if edge < 2:
            d_0 = low_0 if edge == 0 else high_0
            d_1 = min(max(-(slope_1 + q_01 * d_0) / q_11, low_1), high_1)
        elif edge < 4:
            d_1 = low_1 if edge == 2 else high_1
            d_0 = min(max(-(slope_0 + q_01 * d_1) / q_00, low_0), high_0)
        else:
            d_0, d_1 = min(max(-slope_0 / q_00, low_0), high_0), 0.0
        if not (np.isfinite(d_0) and np.isfinite(d_1)):
            continue
        value = 0.5 * (q_00 * d_0 * d_0 + q_11 * d_1 * d_1) + q_01 * d_0 * d_1
        value += slope_0 * d_0 + slope_1 * d_1
        if value < best:
            best, best_0, best_1 = value, d_0, d_1
    return best_0, best_1


@njit(cache=True)
def smo(gram, linear, epsilon, C, tolerance, max_steps):
    """Minimise 1/2 a.Q a - l.a + epsilon |a|_1, |a_j| <= C, until no KKT condition is violated.

    Variable j < P is plus_j and variable P + j is minus_j; both lie in [0, C]. Returns the weights
    and the number of steps.
    """
    P = len(linear)
    value = np.zeros(2 * P)
    error = -linear.copy()  # F = Q alpha - l
    for step in range(max_steps):
        first = _worst(value, error, epsilon, C, tolerance, True)
        if first < 0:
            first = _worst(value, error, epsilon, C, tolerance, False)
        if first < 0:
            return value[:P] - value[P:], step
        second, d_0, d_1 = _partner(gram, value, error, epsilon, C, first)
        for variable, change in ((first, d_0), (second, d_1)):
            if change != 0.0:
                value[variable] = min(max(value[variable] + change, 0.0), C)
                signed = change if variable < P else -change
                error += signed * gram[variable % P]
    return value[:P] - value[P:], max_steps


@njit(cache=True)
def _worst(value, error, epsilon, C, tolerance, inside):
    """The variable that violates its KKT condition most, among those inside (or at) the bounds."""
    P = len(error)
    found, largest = -1, tolerance
    for variable in range(2 * P):
        if inside and not 0.0 < value[variable] < C:
            continue
        slope = epsilon + (error[variable] if variable < P else -error[variable - P])
        violation = max(-slope if value[variable] < C else 0.0, slope if value[variable] > 0 else 0)
        if violation > largest:
            found, largest = variable, violation
    return found


@njit(cache=True)
def _partner(gram, value, error, epsilon, C, first):
    """The second variable: the one whose joint update with the first moves farthest (app. B.3)."""
    P = len(error)
    j, sign_0 = first % P, 1.0 if first < P else -1.0
    slope_0 = epsilon + sign_0 * error[j]
    found, farthest, best_0, best_1 = first, -1.0, 0.0, 0.0
    for second in range(2 * P):
        k, sign_1 = second % P, 1.0 if second < P else -1.0
        # alpha_plus and alpha_minus of one feature are never both in use
        if k == j or (value[second] == 0.0 and value[(second + P) % (2 * P)] > 0.0):
            continue
        d_0, d_1 = best_pair(
            gram[j, j],
            sign_0 * sign_1 * gram[j, k],
            gram[k, k],
            slope_0,
            epsilon + sign_1 * error[k],
            -value[first],
            C - value[first],
            -value[second],
            C - value[second],
        )
        if max(abs(d_0), abs(d_1)) > farthest:
            farthest, found, best_0, best_1 = max(abs(d_0), abs(d_1)), second, d_0, d_1
    if farthest < 0.0:  # a single feature
        best_0 = min(max(-slope_0 / gram[j, j], -value[first]), C - value[first])
    return found, best_0, best_1
