"""Away from a vertex whose features are set aside: the dual simplex method, dense.

Where a program loses features, its last dual solution still satisfies all constraints, and the
features of the vertex that are gone are weights that must become zero. Each step removes one of the
violations that are left from the vertex: a feature that is gone, a weight whose sign is not that of
its price, or a sample that falls short of its limit. What enters instead is what the dual solution
meets first: a feature whose price reaches its cost, or the end of a sample's alpha at zero. The
objective grows with every step until nothing is violated. Where no feature or sample ends a step,
the features that are left do not separate the classes.

Of the violations, the one is removed that is largest in units of the length of its row of the
inverse of the whole basis, slacks included (dual steepest edge; Forrest & Goldfarb 1992). This
takes a third of the steps. The lengths are at hand because the products of all samples with the
inverse are kept, and updated with it. Other symbols are those of `walk`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fewest._solvers.linear.walk import (
    FAILED,
    FOUND,
    FRESH,
    REORDERED,
    change_column,
    descend,
    find_direction,
    find_prices,
    find_vertex,
    invert,
    multiply_column,
    stand_at,
)

_SMALL = 1e-9  # rates below this are rounding
_DUAL = 1e-9  # by this much, relative to their costs, prices may exceed them during a walk
_START = 1e-6  # and by this much where a walk starts
_PRIMAL = 1e-9  # violations up to this are left alone
_STUCK = 60  # steps of no length after which a walk is given up

ENDLESS = 2  # beside FOUND and FAILED


@njit(cache=True, fastmath=REORDERED)
def walk_away(Z, y, a, a0, margin, rhs, cost, n_gone, features, samples, max_steps):  # type: ignore[no-untyped-def]
    """Walk to the optimum without the first `n_gone` rows from the one with them.

    Z holds one standardised column per row, and all of them cost what they did there. Returns a
    status, the features and samples of the last vertex, (b, w) and (lambda, alpha) there, and the
    number of steps. The features that are left do not separate the classes if it is endless.
    """
    corner = stand_at(Z, features, samples)
    by_sample = np.ascontiguousarray(Z.T)
    k = len(features)
    status, k, age, steps, _ = ascend(
        Z, by_sample, y, a, a0, margin, rhs, cost, n_gone, corner, k, max_steps
    )
    x, dual = np.zeros(k + 1), np.zeros(k + 1)
    if status == FOUND:  # up to rounding: the rest of the way, and the last digits
        cost[:n_gone] = np.inf
        status, k, age, more, x, dual = descend(
            Z, by_sample, y, a, a0, margin, rhs, cost, corner, k, age, max_steps
        )
        steps += more
    return status, corner[0][:k], corner[1][:k], x[: k + 1], dual[: k + 1], steps


@njit(cache=True, fastmath=REORDERED)
def ascend(Z, by_sample, y, a, a0, margin, rhs, cost, n_gone, corner, k, max_steps):  # type: ignore[no-untyped-def]
    """Walk from an optimal vertex of k features to one without the first `n_gone` rows of Z.

    The vertex is changed in place; all features cost what they did where it was optimal. Returns a
    status, the number of its features, the age of its inverse, the number of steps, and, if it is
    endless, the ray (lambda, alpha) that says so.
    """
    m, n = Z.shape
    ray = np.zeros(n + 1)
    S, T, in_S, in_T, sign, inverse = corner
    room = len(S)
    rows = np.empty((n, room + 1))  # the rows of all samples times the inverse
    x, dual, g = np.zeros(room + 1), np.zeros(room + 1), np.zeros(n)
    d, slope, step_g = np.empty(room + 1), np.empty(room + 1), np.empty(n)
    prices, step_p = np.empty(m), np.empty(m)
    age, stuck, steps = FRESH, 0, 0
    while steps < max_steps:
        size = k + 1
        if age >= FRESH:
            if not invert(Z, y, a, a0, S, T, k, inverse):
                break
            kept = sign.copy()
            find_vertex(inverse, cost, S, sign, margin, rhs, k, x, dual)
            if steps > 0:  # signs are those of the prices, not those of the weights
                sign[:] = kept
                _find_dual(inverse, cost, S, sign, k, dual)
            _find_rows(by_sample, y, S, k, inverse, rows)
            find_prices(by_sample, y, a, T, k, dual, prices)
            find_direction(Z, y, S, k, x, -1, 0.0, g)
            if steps == 0 and not _is_dual_feasible(prices, cost, n_gone, in_S, dual, k):
                break
            age = 0
        q, i = _worst(x, sign, S, g, in_T, n_gone, k, margin, inverse, rows)
        if q < 0 and i < 0:
            return FOUND, k, age, steps, ray
        if q >= 0:
            up = 1.0 if x[q + 1] > 0.0 else -1.0
            for c in range(size):
                slope[c] = up * inverse[q + 1, c]
        else:
            for c in range(size):
                slope[c] = -rows[i, c]
        find_prices(by_sample, y, a, T, k, slope, step_p)
        if q < 0:
            for j in range(m):
                step_p[j] += y[i] * by_sample[i, j]
        t, r, j = _first_end(dual, slope, prices, step_p, cost, n_gone, in_S, k)
        is_flip = q >= 0 and S[q] >= n_gone and 2.0 * cost[S[q]] <= t
        if is_flip:
            t = 2.0 * cost[S[q]]
        elif r < 0 and j < 0:
            ray[0] = slope[0]
            for c in range(k):
                ray[T[c] + 1] = slope[c + 1]
            if q < 0:
                ray[i + 1] += 1.0
            return ENDLESS, k, FRESH, steps, ray
        stuck = stuck + 1 if t <= 1e-14 else 0
        if stuck > _STUCK or k + 1 >= room:
            break
        steps += 1
        for c in range(size):
            dual[c] += t * slope[c]
        for c in range(m):
            prices[c] += t * step_p[c]
        if is_flip:
            sign[q] = -sign[q]
            continue
        age += 1
        if j >= 0:  # a weight of one, and what it changes
            multiply_column(inverse, Z, y, a, T, k, j, -1.0, d)
            find_direction(Z, y, S, k, d, j, 1.0, step_g)
        else:  # a sample one away from its limit
            for c in range(size):
                d[c] = inverse[c, r + 1]
            for c in range(n):
                step_g[c] = rows[c, r + 1]
        theta = -x[q + 1] / d[q + 1] if q >= 0 else (margin - g[i]) / step_g[i]
        for c in range(size):
            x[c] += theta * d[c]
        for c in range(n):
            g[c] += theta * step_g[c]
        if j >= 0:
            in_S[j] = True
            tau = 1.0 if step_p[j] > 0.0 else -1.0
            if q >= 0:  # the feature takes the place of another
                for c in range(size):
                    d[c] = -d[c]
                change_column(inverse, d, q + 1, size)
                _add_outer(rows, step_g, inverse[q + 1], 1.0, n, size)
                in_S[S[q]] = False
                S[q], sign[q], x[q + 1] = j, tau, theta
            else:  # a sample comes to its limit: one feature and one sample more
                pivot = step_g[i]
                product = rows[i, :size].copy()
                _add_outer(inverse, d, product, -1.0 / pivot, size, size)
                _add_outer(rows, step_g, product, -1.0 / pivot, n, size)
                for c in range(size):
                    inverse[c, size] = d[c] / pivot
                    inverse[size, c] = -product[c] / pivot
                inverse[size, size] = 1.0 / pivot
                for c in range(n):
                    rows[c, size] = step_g[c] / pivot
                S[k], T[k], sign[k], x[k + 1], dual[k + 1] = j, i, tau, theta, t
                in_T[i], g[i] = True, margin
                k += 1
        else:
            in_T[T[r]] = False
            pivot = d[q + 1] if q >= 0 else step_g[i]
            product = inverse[q + 1, :size].copy() if q >= 0 else rows[i, :size].copy()
            _add_outer(inverse, d, product, -1.0 / pivot, size, size)
            _add_outer(rows, step_g, product, -1.0 / pivot, n, size)
            if q >= 0:  # the sample leaves its limit, and the feature the vertex
                in_S[S[q]] = False
                k -= 1  # the last of either takes the free place
                S[q], sign[q], x[q + 1] = S[k], sign[k], x[size - 1]
                T[r], dual[r + 1] = T[k], dual[size - 1]
                inverse[q + 1, :size] = inverse[size - 1, :size]
                for c in range(size - 1):
                    inverse[c, r + 1] = inverse[c, size - 1]
                for c in range(n):
                    rows[c, r + 1] = rows[c, size - 1]
            else:  # another sample takes its place
                for c in range(size):
                    inverse[c, r + 1] = d[c] / pivot
                for c in range(n):
                    rows[c, r + 1] = step_g[c] / pivot
                T[r], dual[r + 1] = i, t
                in_T[i], g[i] = True, margin
    return FAILED, k, FRESH, steps, ray


@njit(cache=True, fastmath=REORDERED)
def _add_outer(matrix, left, right, factor, height, width):  # type: ignore[no-untyped-def]
    for r in range(height):
        scale = factor * left[r]
        for c in range(width):
            matrix[r, c] += scale * right[c]


@njit(cache=True, fastmath=REORDERED)
def _find_rows(by_sample, y, S, k, inverse, rows):  # type: ignore[no-untyped-def]
    n = len(y)
    R = np.empty((n, k + 1))
    for i in range(n):
        R[i, 0] = y[i]
        for q in range(k):
            R[i, q + 1] = y[i] * by_sample[i, S[q]]
    rows[:, : k + 1] = R @ np.ascontiguousarray(inverse[: k + 1, : k + 1])


@njit(cache=True, fastmath=REORDERED)
def _find_dual(inverse, cost, S, sign, k, dual):  # type: ignore[no-untyped-def]
    dual[: k + 1] = 0.0
    for q in range(k):
        factor = cost[S[q]] * sign[q]
        for c in range(k + 1):
            dual[c] += factor * inverse[q + 1, c]


@njit(cache=True, fastmath=REORDERED)
def _is_dual_feasible(prices, cost, n_gone, in_S, dual, k):  # type: ignore[no-untyped-def]
    largest = 0.0
    for r in range(k):
        largest = max(largest, abs(dual[r + 1]))
    for r in range(k):
        if dual[r + 1] < -_START * largest:
            return False
    for j in range(n_gone, len(prices)):
        if not in_S[j] and abs(prices[j]) > (1.0 + _START) * cost[j]:
            return False
    return True


@njit(cache=True, fastmath=REORDERED)
def _worst(x, sign, S, g, in_T, n_gone, k, margin, inverse, rows):  # type: ignore[no-untyped-def]
    """The place of the feature, or the sample, that violates most; -1 for the other one."""
    worst, q, i = 0.0, -1, -1
    for c in range(k):
        # What is gone leaves, even if it weighs nothing.
        size = abs(x[c + 1]) + 2.0 * _PRIMAL if S[c] < n_gone else -sign[c] * x[c + 1]
        if size > _PRIMAL:
            length = _sum_squares(inverse[c + 1], k + 1)
            if size * size > worst * length:
                worst, q = size * size / length, c
    for c in range(len(g)):
        size = margin - g[c]
        if size > _PRIMAL and not in_T[c]:
            length = 1.0 + _sum_squares(rows[c], k + 1)
            if size * size > worst * length:
                worst, q, i = size * size / length, -1, c
    return q, i


@njit(cache=True, fastmath=REORDERED)
def _sum_squares(values, size):  # type: ignore[no-untyped-def]
    total = 0.0
    for c in range(size):
        total += values[c] * values[c]
    return total


@njit(cache=True, fastmath=REORDERED)
def _first_end(dual, slope, prices, step_p, cost, n_gone, in_S, k):  # type: ignore[no-untyped-def]
    """How far the dual solution can go, and what ends it: the place of a sample, or a feature.

    Of those that end it at about the same length, the one with the largest rate.
    """
    largest = 0.0
    for r in range(k):
        largest = max(largest, dual[r + 1])
    limit = np.inf
    for r in range(k):
        if slope[r + 1] < -_SMALL:
            limit = min(limit, (max(0.0, dual[r + 1]) + _DUAL * largest) / -slope[r + 1])
    for j in range(n_gone, len(prices)):
        rate = abs(step_p[j])
        if rate > _SMALL and not in_S[j]:
            rest = cost[j] - prices[j] if step_p[j] > 0.0 else cost[j] + prices[j]
            limit = min(limit, (max(0.0, rest) + _DUAL * cost[j]) / rate)
    t, place, feature, pivot = limit, -1, -1, 0.0
    if limit == np.inf:
        return t, place, feature
    for r in range(k):
        rate = -slope[r + 1]
        if rate > _SMALL and rate > pivot and dual[r + 1] <= limit * rate:
            t, place, pivot = max(0.0, dual[r + 1]) / rate, r, rate
    for j in range(n_gone, len(prices)):
        rate = abs(step_p[j])
        if rate > _SMALL and not in_S[j] and rate > pivot:
            rest = cost[j] - prices[j] if step_p[j] > 0.0 else cost[j] + prices[j]
            if rest <= limit * rate:
                t, place, feature, pivot = max(0.0, rest) / rate, -1, j, rate
    return t, place, feature
