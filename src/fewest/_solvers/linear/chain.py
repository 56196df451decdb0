"""The loop of reweighted programs as one walk; hard, with an equality.

Each program of the loop begins at the vertex where the last one ended, over the features that the
last one left, and differs from it in its costs only. So the inverse of the vertex serves them all,
and the whole loop is compiled. The certificate of every program is computed from the data: columns,
weights and dual vector, and nothing else that the walk knows.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numba import njit

from fewest._solvers.linear.judge import SHORTFALL, ZERO
from fewest._solvers.linear.vertex import STEPS_PER_SAMPLE, ctrl_c
from fewest._solvers.linear.walk import FOUND, FRESH, descend, stand_at
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result, Status, WarmStart
from fewest._types import FloatArray

# Weights that change by less, in one program, stand still.
_RELATIVE, _ABSOLUTE = 1e-4, 1e-8


def walk_on(
    problem: Problem, first: Result, block: FloatArray, *, tol: float, max_programs: int
) -> tuple[list[Result], bool]:
    """The programs that follow a first one, and whether the weights stand still after them.

    They end early, or there is none, where the walk does not arrive at a proven optimum.

    Parameters
    ----------
    problem : Problem
        The first program, without slacks and with an equality.
    first : Result
        Its solution, with the vertex.
    block : array of shape (n_samples, n_features)
        The standardised columns of the features that have a weight in it.
    tol : float
        Relative duality gap at which a program counts as solved.
    max_programs : int
        Most programs.
    """
    started = perf_counter()
    with ctrl_c():
        count, stands_still, weights, alphas, duals, numbers = reweight(
            np.ascontiguousarray(block.T), problem.y, problem.equality, problem.bias_coefficient,
            problem.margin, problem.rhs, first.w, first.vertex, float(tol), max_programs,
            STEPS_PER_SAMPLE * problem.n_samples, 0.0,
        )  # fmt: skip
    seconds = (perf_counter() - started) / max(1, count)
    no_slack, samples = np.zeros(problem.n_samples), np.arange(problem.n_samples)
    every, results = np.arange(len(first.w)), []
    for place, of_program in enumerate(numbers[:count].tolist()):
        bias, multiplier, objective, bound, violation = of_program
        w = weights[place]
        left = w.nonzero()[0]
        results.append(
            Result(
                features=left,
                w=w[left],
                b=bias,
                slack=no_slack,
                alpha=alphas[place],
                multiplier=multiplier,
                dual=duals[place],
                objective=objective,
                bound=bound,
                violation=violation,
                status=Status.OPTIMAL,
                rounds=1,
                seconds=seconds,
                warm=WarmStart(every, samples, w, bias),
            )
        )
        if len(left) < len(w):  # the next program counts what this one left
            weights, every = weights[:, left], every[: len(left)]
    return results, stands_still


@njit(cache=True)
def reweight(Z, y, u, a0, margin, rhs, w, samples, tol, max_programs, max_steps, least_gain):  # type: ignore[no-untyped-def]
    """How many programs were solved, whether the last changed nothing, and their solutions.

    With a `least_gain` above zero, a program that keeps all features and lowers the objective by a
    smaller part changes nothing; otherwise one that leaves the weights where they are.
    """
    m, n = Z.shape
    a, by_sample = Z @ u, np.ascontiguousarray(Z.T)
    corner = stand_at(Z, np.arange(m), samples)
    S, T = corner[0], corner[1]
    weights, numbers = np.zeros((max_programs, m)), np.empty((max_programs, 5))
    alphas, duals = np.zeros((max_programs, n)), np.empty((max_programs, n))
    last, cost = w.copy(), np.empty(m)
    k, age = m, FRESH
    for count in range(max_programs):
        for j in range(m):
            cost[j] = 1.0 / abs(last[j]) if last[j] != 0.0 else np.inf
        unit = 2.0 ** np.floor(np.log2(cost.min()))  # a power of two: exact
        cost /= unit
        status, k, age, _, x, dual = descend(
            Z, by_sample, y, a, a0, margin, rhs, cost, corner, k, age, max_steps
        )
        if status != FOUND:
            return count, False, weights, alphas, duals, numbers
        now, alpha = weights[count], alphas[count]
        for q in range(k):
            now[S[q]], alpha[T[q]] = x[q + 1], dual[q + 1]
        objective, bound, violation = certify_plane(
            Z, y, u, a0, margin, rhs, cost, now, x[0], alpha, dual[0], duals[count]
        )
        is_closed = objective - bound <= tol * max(1.0, objective)
        if not (is_closed and violation <= 10 * SHORTFALL):
            return count, False, weights, alphas, duals, numbers
        alpha *= unit
        duals[count] *= unit
        numbers[count] = x[0], dual[0] * unit, objective * unit, bound * unit, violation
        n_left, n_before, stands_still = 0, 0, True
        smallest = ZERO * np.abs(now).max()
        for j in range(m):
            if abs(now[j]) <= smallest:
                now[j] = 0.0
            n_left += now[j] != 0.0
            n_before += last[j] != 0.0
            stands_still &= abs(now[j] - last[j]) <= _ABSOLUTE + _RELATIVE * abs(last[j])
        if least_gain > 0.0:  # the last weights cost one each
            stands_still = objective * unit > n_before * (1.0 - least_gain)
        if n_left == n_before and stands_still:
            return count + 1, True, weights, alphas, duals, numbers
        if n_left < k:  # a weight too small to count is part of the vertex
            return count + 1, False, weights, alphas, duals, numbers
        last[:] = now
    return max_programs, False, weights, alphas, duals, numbers


@njit(cache=True)
def certify_plane(Z, y, u, a0, margin, rhs, cost, w, b, alpha, multiplier, v):  # type: ignore[no-untyped-def]
    """Objective, proven bound and largest violation of a solution, as `certify` has them.

    `alpha` becomes the nearest dual vector that respects bounds and balance, and `v` is made of it.
    """
    m, n = Z.shape
    plus, minus = 0.0, 0.0
    for i in range(n):
        alpha[i] = max(alpha[i], 0.0)
        if y[i] > 0.0:
            plus += alpha[i]
        else:
            minus += alpha[i]
    wanted = -multiplier * a0  # what plus - minus must be
    of_plus, of_minus = 1.0, 1.0
    if plus > minus + wanted and plus > 0.0:
        of_plus = max(0.0, minus + wanted) / plus
    elif plus < minus + wanted and minus > 0.0:
        of_minus = max(0.0, plus - wanted) / minus
    value, balance, size, violation = rhs * multiplier, 0.0, 0.0, 0.0
    projection = w @ Z
    for i in range(n):
        alpha[i] *= of_plus if y[i] > 0.0 else of_minus
        v[i] = alpha[i] * y[i] + multiplier * u[i]
        value += margin * alpha[i]
        balance += v[i]
        size += abs(v[i])
        violation = max(violation, margin - y[i] * (projection[i] + b))
    prices = Z @ v
    largest, objective = 0.0, 0.0
    for j in range(m):
        largest = max(largest, abs(prices[j]) / cost[j])
        if w[j] != 0.0:
            objective += cost[j] * abs(w[j])
    bound = 0.0
    if abs(balance) <= 1e-9 * max(1.0, size) and value > 0.0:
        bound = np.inf if largest == 0.0 else value / largest
    return objective, bound, violation
