"""The small programs of many problems, compiled, and able to run in threads.

Each is the hard program with the equality of the class means over a few features:

    minimise    sum_j |w_j|
    subject to  y_i (x_i . w + b) >= 0,    u . (X w) = 1,    sum(u) = 0

It starts from the one feature whose class means differ most. With it, and any sample on the
hyperplane, the dual solution alpha = 0, lambda = 1 / |a_j| satisfies all constraints, and the dual
simplex method walks on from there. Where features join later, the last vertex still satisfies the
constraints of the samples, and the primal simplex method walks on.

Only what is certain is returned: where the optimum may not be the only one, or a number is so close
to a threshold that rounding would decide, the problem is doubtful, and somebody else solves it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fewest._solvers.linear.chain import certify_plane, reweight
from fewest._solvers.linear.dual_walk import ENDLESS, ascend
from fewest._solvers.linear.judge import ZERO
from fewest._solvers.linear.walk import FAILED, FOUND, FRESH, descend, stand_at

# Prices above this part of a cost may belong to another optimum.
TIGHT = 1.0 - 1e-6
# Weights and alphas below this part of the largest may be rounding; above ZERO they would count.
_DOUBTFUL = 1e2 * ZERO
# Distance between the classes, relative to the largest projection, that is certainly not rounding.
_STRICT = 1e-6


@njit(cache=True, nogil=True)
def solve_master(Z, y, u, features, samples, max_steps):  # type: ignore[no-untyped-def]
    """Walk to the optimum from a vertex, or from the largest difference of the class means.

    Z holds one standardised column per row; `features` and `samples` are the vertex, both empty
    where there is none yet. Returns a status, the vertex, weights, bias, alpha, lambda, the dual
    vector v, the objective, and how many samples fall short by how much at most. If the status is
    ENDLESS, alpha, lambda and v are a ray: these features do not separate the classes.
    """
    m, n = Z.shape
    a, by_sample = np.zeros(m), np.ascontiguousarray(Z.T)
    for i in range(n):
        for j in range(m):
            a[j] += u[i] * by_sample[i, j]
    cost, status, k, age = np.ones(m), FOUND, len(features), FRESH
    weights, alpha, v = np.zeros(m), np.zeros(n), np.zeros(n)
    if k == 0:
        corner = stand_at(Z, np.array([np.argmax(np.abs(a))]), np.zeros(1, np.int64))
        status, k, age, _, ray = ascend(
            Z, by_sample, y, a, 0.0, 0.0, 1.0, cost, 0, corner, 1, max_steps
        )
        if status == ENDLESS:
            alpha[:] = ray[1:]
            certify_plane(Z, y, u, 0.0, 0.0, 1.0, cost, weights, 0.0, alpha, ray[0], v)
            return status, features, samples, weights, 0.0, alpha, ray[0], v, np.inf, 0.0
    else:
        corner = stand_at(Z, features, samples)
    x, dual = np.zeros(1), np.zeros(1)
    if status == FOUND:
        status, k, age, _, x, dual = descend(
            Z, by_sample, y, a, 0.0, 0.0, 1.0, cost, corner, k, age, max_steps
        )
    if status != FOUND:
        return FAILED, features, samples, weights, 0.0, alpha, 0.0, v, np.inf, 0.0
    S, T = corner[0][:k], corner[1][:k]
    for q in range(k):
        weights[S[q]], alpha[T[q]] = x[q + 1], dual[q + 1]
    objective, _, violation = certify_plane(
        Z, y, u, 0.0, 0.0, 1.0, cost, weights, x[0], alpha, dual[0], v
    )
    return FOUND, S, T, weights, x[0], alpha, dual[0], v, objective, violation


@njit(cache=True, nogil=True)
def finish_loop(Z, y, u, w, b, samples, tol, max_programs, max_steps, least_gain):  # type: ignore[no-untyped-def]
    """The reweighted programs after a first one whose only features are the rows of Z.

    `w` and `b` are its solution and `samples` those whose alpha is not zero. Returns whether every
    program has one optimum, found with certainty; whether the features that are left certainly
    separate the classes by more than nothing; weights (zero for features that are gone) and bias
    after the last program; how many programs there were, and whether the last changed nothing.
    """
    count, stands_still, weights, alphas, duals, numbers = reweight(
        Z, y, u, 0.0, 0.0, 1.0, w, samples, tol, max_programs, max_steps, least_gain
    )
    if not stands_still and count < max_programs:
        return False, False, w, b, count, False
    last = w
    alpha = np.zeros(Z.shape[1])
    alpha[samples] = 1.0
    for place in range(count):
        now, alpha, v = weights[place], alphas[place], duals[place]
        if not _is_only_optimum(Z, last, now, alpha, v):
            return False, False, w, b, count, False
        last, b = now, numbers[place, 0]
    is_strict = _separates_strictly(Z, y, u, last, b, alpha)
    return True, is_strict, last, b, count, stands_still


@njit(cache=True, nogil=True)
def is_vertex(w, alpha):  # type: ignore[no-untyped-def]
    """Whether as many weights as alphas are clearly above zero, and all others clearly zero."""
    most_w, most_alpha = np.abs(w).max(), np.abs(alpha).max()
    n_weights, n_alphas = 0, 0
    for size in np.abs(w):
        n_weights += size > _DOUBTFUL * most_w
        if 0.0 < size <= _DOUBTFUL * most_w:
            return False
    for size in np.abs(alpha):
        n_alphas += size > _DOUBTFUL * most_alpha
        if 0.0 < size <= _DOUBTFUL * most_alpha:
            return False
    return n_weights == n_alphas


@njit(cache=True, nogil=True)
def _is_only_optimum(Z, last, now, alpha, v):  # type: ignore[no-untyped-def]
    """Whether strict complementarity shows that no other weights are as good."""
    if not is_vertex(now, alpha):
        return False
    for j in range(len(last)):
        if last[j] != 0.0 and now[j] == 0.0:
            price = 0.0
            for i in range(len(v)):
                price += Z[j, i] * v[i]
            if abs(price) * abs(last[j]) > TIGHT:
                return False
    return True


@njit(cache=True, nogil=True)
def _separates_strictly(Z, y, u, w, b, alpha):  # type: ignore[no-untyped-def]
    """Whether these features separate the classes with a distance that is not rounding.

    From the vertex, whose samples lie on the hyperplane, a step that moves all of them to their
    side, and no other sample across.
    """
    S, T = np.flatnonzero(w), np.flatnonzero(alpha)
    k, n = len(S), Z.shape[1]
    M, right = np.empty((k + 1, k + 1)), np.ones(k + 1)
    right[0] = 0.0
    M[0, 0] = 0.0
    for q in range(k):
        M[0, q + 1] = 0.0
        for i in range(n):
            M[0, q + 1] += u[i] * Z[S[q], i]
        M[q + 1, 0] = y[T[q]]
        for r in range(k):
            M[r + 1, q + 1] = y[T[r]] * Z[S[q], T[r]]
    step = np.linalg.solve(M, right)
    at_limit = np.zeros(n, np.bool_)
    at_limit[T] = True
    margins, change = np.empty(n), np.empty(n)
    length = np.inf
    for i in range(n):
        projection, moved = b, step[0]
        for q in range(k):
            projection += w[S[q]] * Z[S[q], i]
            moved += step[q + 1] * Z[S[q], i]
        margins[i], change[i] = y[i] * projection, y[i] * moved
        if at_limit[i]:
            margins[i] = 0.0
        elif change[i] < 1.0:  # where it would be as far away as those of the vertex
            length = min(length, margins[i] / (1.0 - change[i]))
    if length == np.inf:
        length = 1.0
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(margins[i] + length * change[i]))
    return length > _STRICT * largest
