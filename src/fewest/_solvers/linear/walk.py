"""From vertex to vertex of a hard program that has an equality: the primal simplex method, dense.

    minimise    sum_j c_j |w_j|
    subject to  y_i (x_i . w + b) >= m,    a . w + a0 b = s

A vertex has as many features S with a weight as samples T on their limit. With the equality first,

    M = [ a0   a_S       ]         M (b, w_S) = (s, m, ..., m)
        [ y_T  y_T X_TS  ],        (lambda, alpha_T) M = (0, c_S sign(w_S)),

and all that is needed is the inverse of a matrix of the size of the solution, not of the data. One
step changes a row, a column, or both, which updates the inverse in O(|S|^2). For programs that
start near their optimum this is many times faster than a general solver. The result comes without
a guarantee: the caller checks its certificate.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SMALL = 1e-11  # pivots below this lose too many digits
_OPTIMAL = 1e-9  # violations of the dual constraints up to this are left alone
_FEASIBLE = 1e-7  # a start whose samples fall short by more is useless
_TIE = 1e-13  # obstacles that are this close together count as one
_YOUNG = 12  # updates after which all digits that matter are still right
FRESH = 80  # updates after which the inverse is computed again
_STUCK = 60  # steps of no length after which a walk is given up

FOUND, FAILED = 0, 1
# Sums may be taken in the order that suits the processor's vector units; infinities stay infinite.
REORDERED = {"reassoc", "contract", "nsz"}


@njit(cache=True, fastmath=REORDERED)
def walk(Z, y, a, a0, margin, rhs, cost, n_gone, penalties, level, features, samples, max_steps):  # type: ignore[no-untyped-def]
    """Walk to the optimum from the vertex with these features and samples.

    Z holds one standardised column per row; a feature of infinite cost cannot enter. The first
    `n_gone` rows are to leave the vertex: each of them that is part of it costs `penalties[level]`,
    and then the next of the penalties, until none of them is or the penalties are used up. Returns
    a status, the features and samples of the last vertex, (b, w) and (lambda, alpha) there, the
    level and the number of steps.
    """
    corner = stand_at(Z, features, samples)
    S, T, in_S = corner[:3]
    by_sample = np.ascontiguousarray(Z.T)
    k, age, steps = len(features), FRESH, 0
    while True:
        for j in range(n_gone):
            cost[j] = penalties[level] if in_S[j] else np.inf
        status, k, age, more, x, dual = descend(
            Z, by_sample, y, a, a0, margin, rhs, cost, corner, k, age, max_steps
        )
        steps += more
        remain = False
        for j in range(n_gone):
            remain = remain or in_S[j]
        if status != FOUND or not remain or level == len(penalties) - 1:
            return status, S[:k], T[:k], x[: k + 1], dual[: k + 1], level, steps
        level += 1


@njit(cache=True, fastmath=REORDERED)
def stand_at(Z, features, samples):  # type: ignore[no-untyped-def]
    """The vertex with these features and samples, with room for others.

    Features, samples, who is among them, signs of the weights, and the inverse, which is yet to be
    computed.
    """
    m, n = Z.shape
    room, k = min(n, m) + 2, len(features)
    S, T = np.empty(room, np.int64), np.empty(room, np.int64)
    S[:k], T[:k] = features, samples
    in_S, in_T = np.zeros(m, np.bool_), np.zeros(n, np.bool_)
    in_S[S[:k]], in_T[T[:k]] = True, True
    return S, T, in_S, in_T, np.ones(room), np.zeros((room + 1, room + 1))


@njit(cache=True, fastmath=REORDERED)
def descend(Z, by_sample, y, a, a0, margin, rhs, cost, corner, k, age, max_steps):  # type: ignore[no-untyped-def]
    """Walk on from a vertex of k features, whose inverse has been updated `age` times.

    The vertex is changed in place. Returns a status, the number of its features, the age of its
    inverse, the number of steps, (b, w) and (lambda, alpha).
    """
    m, n = Z.shape
    S, T, in_S, in_T, sign, inverse = corner
    room = len(S)
    x, dual, g = np.zeros(room + 1), np.zeros(room + 1), np.zeros(n)
    d, step_g = np.empty(room + 1), np.empty(n)
    best_d, best_g = np.empty(room + 1), np.empty(n)
    prices = np.empty(m)
    stuck, steps, is_new = 0, 0, True
    while steps < max_steps:
        size = k + 1
        if age >= FRESH:
            if not invert(Z, y, a, a0, S, T, k, inverse):
                break
            age, is_new = 0, True
        find_vertex(inverse, cost, S, sign, margin, rhs, k, x, dual)
        if is_new:
            is_new = False
            find_direction(Z, y, S, k, x, -1, 0.0, g)
            if _shortfall(g, in_T, margin) > _FEASIBLE:
                break
        find_prices(by_sample, y, a, T, k, dual, prices)
        candidates = (_best_feature(prices, cost, in_S), _worst_sample(dual, k))
        if candidates[0] < 0 and candidates[1] < 0:
            if age <= _YOUNG:
                return FOUND, k, age, steps, x, dual
            # Again, with all digits: is it still the optimum?
            _refine(Z, y, a, a0, S, T, k, inverse, cost, sign, margin, rhs, x, dual)
            find_prices(by_sample, y, a, T, k, dual, prices)
            if _best_feature(prices, cost, in_S) < 0 and _worst_sample(dual, k) < 0:
                find_direction(Z, y, S, k, x, -1, 0.0, g)
                if _shortfall(g, in_T, margin) <= _FEASIBLE:
                    return FOUND, k, age, steps, x, dual
            age = FRESH
            continue
        best_gain, best_t, best, best_place, best_pivot = -1.0, 0.0, -1, -1, 0.0
        for kind in range(2):  # of the two steps, the one that gains more
            chosen = candidates[kind]
            if chosen < 0:
                continue
            if kind == 0:
                tau = 1.0 if prices[chosen] > 0.0 else -1.0
                multiply_column(inverse, Z, y, a, T, k, chosen, -tau, d)
                find_direction(Z, y, S, k, d, chosen, tau, step_g)
                rate = abs(prices[chosen]) - cost[chosen]
            else:
                for r in range(size):
                    d[r] = inverse[r, chosen + 1]
                find_direction(Z, y, S, k, d, -1, 0.0, step_g)
                rate = -dual[chosen + 1]
            t, place, pivot = _first_obstacle(x, sign, d, g, step_g, in_T, k, margin)
            if place >= 0 and rate * t > best_gain:
                best_gain, best_t, best, best_place = rate * t, t, kind, place
                best_pivot = pivot
                best_d[:size], best_g[:] = d[:size], step_g
        if best < 0 or best_pivot < _SMALL:
            break
        stuck = stuck + 1 if best_t <= 1e-14 else 0
        if stuck > _STUCK or k + 1 >= room:
            break
        steps += 1
        age += 1
        for i in range(n):
            if not in_T[i]:
                g[i] += best_t * best_g[i]
        chosen, i, p = candidates[best], best_place - k, best_place
        if best == 0:
            tau = 1.0 if prices[chosen] > 0.0 else -1.0
            for r in range(size):
                best_d[r] *= -tau
            in_S[chosen] = True
            if i < 0:  # the feature takes the place of another
                change_column(inverse, best_d, p + 1, size)
                in_S[S[p]] = False
                S[p], sign[p] = chosen, tau
            else:  # a sample comes to its limit: one feature and one sample more
                _grow(inverse, Z, y, S, k, best_d, i, chosen, size)
                S[k], T[k], sign[k] = chosen, i, tau
                in_T[i], g[i] = True, margin
                k += 1
        else:
            in_T[T[chosen]], g[T[chosen]] = False, margin + best_t
            if i < 0:  # the sample leaves its limit, and a feature the vertex
                _shrink(inverse, p + 1, chosen + 1, size)
                in_S[S[p]] = False
                for q in range(p, k - 1):
                    S[q], sign[q] = S[q + 1], sign[q + 1]
                for q in range(chosen, k - 1):
                    T[q] = T[q + 1]
                k -= 1
            else:  # another sample takes its place
                _change_row(inverse, Z, y, S, k, i, chosen + 1, size)
                T[chosen] = i
                in_T[i], g[i] = True, margin
    return FAILED, k, FRESH, steps, x, dual


@njit(cache=True, fastmath=REORDERED)
def _add_rows(matrix, rows, weights, count, out, width):  # type: ignore[no-untyped-def]
    """Add some rows of a matrix, each times its weight; four at a time need fewer visits to out."""
    q = 0
    while q + 3 < count:
        i, j, k, m = rows[q], rows[q + 1], rows[q + 2], rows[q + 3]
        t, u, v, w = weights[q], weights[q + 1], weights[q + 2], weights[q + 3]
        for c in range(width):
            out[c] += t * matrix[i, c] + u * matrix[j, c] + v * matrix[k, c] + w * matrix[m, c]
        q += 4
    while q < count:
        i, t = rows[q], weights[q]
        for c in range(width):
            out[c] += t * matrix[i, c]
        q += 1


@njit(cache=True, fastmath=REORDERED)
def find_vertex(inverse, cost, S, sign, margin, rhs, k, x, dual):  # type: ignore[no-untyped-def]
    """(b, w), (lambda, alpha) and the signs of w."""
    size = k + 1
    for r in range(size):
        x[r] = rhs * inverse[r, 0]
        if margin != 0.0:
            x[r] += margin * np.sum(inverse[r, 1:size])
    dual[:size] = 0.0
    factor = np.empty(k)
    for q in range(k):
        if x[q + 1] != 0.0:
            sign[q] = 1.0 if x[q + 1] > 0.0 else -1.0
        factor[q] = cost[S[q]] * sign[q]
    _add_rows(inverse[1:], np.arange(k), factor, k, dual, size)


@njit(cache=True, fastmath=REORDERED)
def _refine(Z, y, a, a0, S, T, k, inverse, cost, sign, margin, rhs, x, dual):  # type: ignore[no-untyped-def]
    """Correct (b, w) and (lambda, alpha) by what the inverse makes of their residuals."""
    size = k + 1
    M = _matrix(Z, y, a, a0, S, T, k)
    of_x, of_dual = np.full(size, margin), np.zeros(size)
    of_x[0] = rhs
    for q in range(k):
        of_dual[q + 1] = cost[S[q]] * sign[q]
    for r in range(size):
        for c in range(size):
            of_x[r] -= M[r, c] * x[c]
            of_dual[c] -= dual[r] * M[r, c]
    for r in range(size):
        for c in range(size):
            x[r] += inverse[r, c] * of_x[c]
            dual[c] += of_dual[r] * inverse[r, c]


@njit(cache=True, fastmath=REORDERED)
def find_direction(Z, y, S, k, d, entering, tau, step_g):  # type: ignore[no-untyped-def]
    """Change of every margin when (b, w) changes by d, and the weight that enters by tau."""
    n = len(y)
    step_g[:] = d[0]
    _add_rows(Z, S, d[1:], k, step_g, n)
    if entering >= 0:
        for i in range(n):
            step_g[i] += tau * Z[entering, i]
    for i in range(n):
        step_g[i] *= y[i]


@njit(cache=True, fastmath=REORDERED)
def multiply_column(inverse, Z, y, a, T, k, j, factor, d):  # type: ignore[no-untyped-def]
    """The inverse times the column of feature j, times a factor."""
    column = np.empty(k + 1)
    column[0] = factor * a[j]
    for c in range(k):
        column[c + 1] = factor * y[T[c]] * Z[j, T[c]]
    for r in range(k + 1):
        total = 0.0
        for c in range(k + 1):
            total += inverse[r, c] * column[c]
        d[r] = total


@njit(cache=True, fastmath=REORDERED)
def find_prices(by_sample, y, a, T, k, dual, prices):  # type: ignore[no-untyped-def]
    weight = np.empty(k)
    for r in range(k):
        weight[r] = dual[r + 1] * y[T[r]]
    for j in range(len(a)):
        prices[j] = dual[0] * a[j]
    _add_rows(by_sample, T, weight, k, prices, len(a))


@njit(cache=True, fastmath=REORDERED)
def _best_feature(prices, cost, in_S):  # type: ignore[no-untyped-def]
    """The feature whose price exceeds its cost by the largest factor; -1 if none does."""
    best, at = 1.0 + _OPTIMAL, -1
    for j in range(len(prices)):
        if not in_S[j] and abs(prices[j]) > best * cost[j]:
            best, at = abs(prices[j]) / cost[j], j
    return at


@njit(cache=True, fastmath=REORDERED)
def _shortfall(g, in_T, margin):  # type: ignore[no-untyped-def]
    worst = 0.0
    for i in range(len(g)):
        if not in_T[i]:
            worst = max(worst, margin - g[i])
    return worst


@njit(cache=True, fastmath=REORDERED)
def _matrix(Z, y, a, a0, S, T, k):  # type: ignore[no-untyped-def]
    """M, whose inverse is kept."""
    M = np.empty((k + 1, k + 1))
    M[0, 0] = a0
    for q in range(k):
        M[0, q + 1] = a[S[q]]
        M[q + 1, 0] = y[T[q]]
        for r in range(k):
            M[r + 1, q + 1] = y[T[r]] * Z[S[q], T[r]]
    return M


@njit(cache=True, fastmath=REORDERED)
def invert(Z, y, a, a0, S, T, k, inverse):  # type: ignore[no-untyped-def]
    M = _matrix(Z, y, a, a0, S, T, k)
    try:
        inverse[: k + 1, : k + 1] = np.linalg.inv(M)
    except Exception:  # numba knows no finer ones; this is a singular matrix
        return False
    return True


@njit(cache=True, fastmath=REORDERED)
def _worst_sample(dual, k):  # type: ignore[no-untyped-def]
    largest = 0.0
    for r in range(k):
        largest = max(largest, abs(dual[r + 1]))
    worst, at = -_OPTIMAL * largest, -1
    for r in range(k):
        if dual[r + 1] < worst:
            worst, at = dual[r + 1], r
    return at


@njit(cache=True, fastmath=REORDERED)
def _first_obstacle(x, sign, d, g, step_g, in_T, k, margin):  # type: ignore[no-untyped-def]
    """How far one can go, and what ends it: the place of a feature, or k plus a sample, or -1."""
    t, place, pivot = np.inf, -1, 0.0
    for q in range(k):
        rate = -sign[q] * d[q + 1]
        if rate > _SMALL:
            limit = max(0.0, sign[q] * x[q + 1]) / rate
            if limit < t - _TIE or (limit < t + _TIE and rate > pivot):
                t, place, pivot = min(t, limit), q, rate
    for i in range(len(g)):
        if not in_T[i] and step_g[i] < -_SMALL:
            limit = max(0.0, g[i] - margin) / -step_g[i]
            if limit < t - _TIE or (limit < t + _TIE and -step_g[i] > pivot):
                t, place, pivot = min(t, limit), k + i, -step_g[i]
    return t, place, pivot


@njit(cache=True, fastmath=REORDERED)
def change_column(inverse, d, p, size):  # type: ignore[no-untyped-def]
    """Column p of the matrix becomes one whose product with the inverse is d."""
    pivot = d[p]
    for c in range(size):
        inverse[p, c] /= pivot
    for r in range(size):
        if r != p and d[r] != 0.0:
            factor = d[r]
            for c in range(size):
                inverse[r, c] -= factor * inverse[p, c]


@njit(cache=True, fastmath=REORDERED)
def _row_product(inverse, Z, y, S, k, i, size):  # type: ignore[no-untyped-def]
    """The row of sample i times the inverse."""
    product = np.empty(size)
    for c in range(size):
        product[c] = y[i] * inverse[0, c]
    for q in range(k):
        factor = y[i] * Z[S[q], i]
        for c in range(size):
            product[c] += factor * inverse[q + 1, c]
    return product


@njit(cache=True, fastmath=REORDERED)
def _change_row(inverse, Z, y, S, k, i, r, size):  # type: ignore[no-untyped-def]
    """Row r of the matrix becomes that of sample i."""
    product = _row_product(inverse, Z, y, S, k, i, size)
    pivot = product[r]
    for row in range(size):
        factor = inverse[row, r] / pivot
        for c in range(size):
            inverse[row, c] -= factor * product[c]
        inverse[row, r] = factor


@njit(cache=True, fastmath=REORDERED)
def _grow(inverse, Z, y, S, k, d, i, j, size):  # type: ignore[no-untyped-def]
    """One row (of sample i) and one column (of feature j, d times the matrix) more."""
    product = _row_product(inverse, Z, y, S, k, i, size)
    schur = y[i] * Z[j, i] - y[i] * d[0]
    for q in range(k):
        schur -= y[i] * Z[S[q], i] * d[q + 1]
    for r in range(size):
        factor = d[r] / schur
        for c in range(size):
            inverse[r, c] += factor * product[c]
        inverse[r, size] = -factor
    for c in range(size):
        inverse[size, c] = -product[c] / schur
    inverse[size, size] = 1.0 / schur


@njit(cache=True, fastmath=REORDERED)
def _shrink(inverse, p, r, size):  # type: ignore[no-untyped-def]
    """Column p (a row of the inverse) and row r (a column of it) of the matrix go."""
    pivot = inverse[p, r]
    for row in range(size):
        if row != p:
            factor = inverse[row, r] / pivot
            for c in range(size):
                inverse[row, c] -= factor * inverse[p, c]
    for row in range(p, size - 1):
        for c in range(size):
            inverse[row, c] = inverse[row + 1, c]
    for row in range(size - 1):
        for c in range(r, size - 1):
            inverse[row, c] = inverse[row, c + 1]
