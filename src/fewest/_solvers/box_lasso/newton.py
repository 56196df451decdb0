"""Semismooth Newton steps for a box lasso that is given by its Gram matrix.

Coordinate descent is slow if the Gram matrix is badly conditioned, as that of a smooth kernel is.
Here each outer step adds |a - centre|^2 / (2 sigma), which makes the program strongly convex; its
dual is differentiable, and Newton's method solves it in a few steps, each a linear system in the
free variables alone. The next centre is the solution; as sigma grows, the addition vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from fewest._solvers.box_lasso.bound import dual_value
from fewest._types import FloatArray, IndexArray

# Measured on kernel matrices: a slower growth with fewer Newton steps each takes fewer in all.
FIRST_SIGMA = 30.0
_GROWTH, _LAST_SIGMA = 3.0, 1e10
# Newton's method ends where it can close no more than this part of the gap.
_ENOUGH = 0.9
_NEWTON_STEPS, _MANY_STEPS = 20, 12
_MOST_STEPS = 200
# A full step counts as good if it leaves at most this part of the slope.
_SLOPE_LEFT = 0.5
# Below this squared distance of residual and dual vector, in units of |t|^2, what does not halve
# any more is rounding.
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class GramProblem:
    """Minimise 1/2 a.G a - c.a + 1/2 |t|^2 + sum_j penalty_j |a_j| over |a_j| <= cap_j.

    G is the Gram matrix of the columns, c their inner products with the target t.
    """

    gram: FloatArray
    correlation: FloatArray
    target_square: float
    penalty: FloatArray
    cap: FloatArray

    def proximal(self, point: FloatArray, sigma: float) -> FloatArray:
        """Minimiser of the penalty plus |a - point|^2 / (2 sigma) within the box."""
        size = np.minimum(np.maximum(np.abs(point) - sigma * self.penalty, 0.0), self.cap)
        return np.asarray(np.copysign(size, point))

    def is_free(self, point: FloatArray, sigma: float) -> IndexArray:
        size = np.abs(point) - sigma * self.penalty
        return np.flatnonzero((size > 0.0) & (size < self.cap))


def newton(
    problem: GramProblem, alpha: FloatArray, goal: float, sigma: float
) -> tuple[FloatArray, float, bool]:
    """Weights whose duality gap is at most `goal`, or the best that rounding allows.

    Also returns a sigma for a similar program to begin with, and whether the goal was reached.
    """
    state = _State(problem, alpha)
    best, best_gap = alpha, np.inf
    stalled = total = 0
    while True:
        state.recentre(sigma)
        gap, steps = state.minimise(goal)
        total += steps
        stalled = 0 if gap < 0.5 * best_gap else stalled + 1
        if gap < best_gap:
            best, best_gap = state.alpha, gap
        hopeless = total >= _MOST_STEPS or (stalled >= 3 and sigma >= _LAST_SIGMA)
        if best_gap <= goal or hopeless:
            break
        # Many Newton steps mean that sigma has grown too fast.
        growth = _GROWTH if steps < _MANY_STEPS else 1.0 / _GROWTH
        sigma = min(sigma * growth, _LAST_SIGMA)
    return best, max(FIRST_SIGMA, sigma / _GROWTH**2), best_gap <= goal


class _State:
    """Iterates of one solve; the dual vector is u = t - K c, known by its coordinates c."""

    def __init__(self, problem: GramProblem, alpha: FloatArray) -> None:
        self.problem = problem
        self.alpha = alpha
        self.c = alpha.copy()

    def recentre(self, sigma: float) -> None:
        self.sigma = sigma
        self.centre = self.alpha
        self.prices = self.problem.correlation - self.problem.gram @ self.c

    def minimise(self, goal: float) -> tuple[float, int]:
        """Newton's method for one centre; returns the duality gap of the program, and the steps."""
        gap, steps, nearest = np.inf, 0, np.inf
        while True:
            self.alpha = self._weights(self.prices)
            error = self.alpha - self.c
            image = self.problem.gram @ error
            # The residual of the weights is u - K error: as Newton's method converges they agree.
            gap = self._gap(self.alpha, image, self.alpha, self.prices - image)
            apart = 0.5 * float(error @ image)
            rounding = apart <= _ROUNDING * self.problem.target_square and apart > 0.5 * nearest
            if gap <= goal or rounding:
                break
            nearest = apart
            reached = self._gap(self.alpha, image, self.c, self.prices)
            if reached > goal and apart <= _ENOUGH * reached:
                break
            if steps == _NEWTON_STEPS or not self._step(error, image):
                break
            steps += 1
        return gap, steps

    def _weights(self, prices: FloatArray) -> FloatArray:
        return self.problem.proximal(self.centre + self.sigma * prices, self.sigma)

    def _step(self, error: FloatArray, image: FloatArray) -> bool:
        """One Newton step; False if rounding has made the system indefinite."""
        gram = self.problem.gram
        free = self.problem.is_free(self.centre + self.sigma * self.prices, self.sigma)
        correction = np.zeros_like(error)
        if len(free):
            system = gram[np.ix_(free, free)]
            system.flat[:: len(free) + 1] += 1.0 / self.sigma
            # It is symmetric: the transpose has the column order that LAPACK wants.
            _, correction[free], failed = dposv(system.T, image[free], overwrite_a=True)
            if failed:
                return False
        step = error - correction
        change = gram @ correction - image
        length = self._step_length(step, change)
        self.c = self.c + length * step
        self.prices = self.prices + length * change
        return True

    def _step_length(self, step: FloatArray, change: FloatArray) -> float:
        """One where the slope has fallen enough there, else the zero of the increasing slope."""

        def slope(length: float) -> float:
            weights = self._weights(self.prices + length * change)
            return float(change @ (weights - self.c - length * step))

        first, low, high = slope(0.0), 0.0, 1.0
        at_high = slope(high)
        if abs(at_high) <= _SLOPE_LEFT * abs(first):
            return 1.0
        while at_high < 0.0 and high < 1e6:
            low, high = high, 2.0 * high
            at_high = slope(high)
        for _ in range(40):
            middle = 0.5 * (low + high)
            at_middle = slope(middle)
            if abs(at_middle) <= 0.1 * abs(first):
                return middle
            if at_middle < 0.0:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)

    def _gap(
        self, alpha: FloatArray, image: FloatArray, dual: FloatArray, prices: FloatArray
    ) -> float:
        """Objective of alpha minus the bound that t - K dual proves; K^T of that is `prices`."""
        problem = self.problem
        square = problem.target_square
        gram_alpha = problem.correlation - self.prices + image
        loss = 0.5 * (square + alpha @ (gram_alpha - 2.0 * problem.correlation))
        objective = float(loss + problem.penalty @ np.abs(alpha))
        product = float(square - problem.correlation @ dual)
        norm = float(product - dual @ prices)
        return objective - dual_value(product, norm, prices, problem.penalty, problem.cap)
