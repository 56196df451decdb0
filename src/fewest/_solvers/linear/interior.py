"""A guess at the optimal vertex, by an interior-point method on a growing set of features.

Where a solution has nearly as many features as there are samples, the simplex method takes
thousands of steps, each with a dense basis. Two dozen Newton steps on the dual come close instead:

    maximise    m sum_i alpha_i
    subject to  sum_i y_i alpha_i = 0,   -1 <= sum_i y_i x_ij alpha_i / c_j <= 1,
                0 <= alpha_i <= C_i

Each inequality has a distance to its bound and a multiplier; the steps let all their products fall
to zero together (Mehrotra's predictor and corrector). Columns can join at any time, because a
smaller alpha is inside again. A constraint belongs to the vertex if its multiplier is larger than
its distance. The simplex method goes on from there: nothing here needs to be exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from fewest._solvers.certify import price_ratios
from fewest._solvers.columns import Columns
from fewest._solvers.problem import Problem
from fewest._types import FloatArray, IndexArray

# The relative gap at which nearly all constraints show their side, and a number of steps that only
# programs with hardly any interior need.
_CLOSE, _MAX_STEPS = 1e-4, 60
# A guess at a larger gap is worse than none.
_TOO_FAR = 0.05
# All columns are priced whenever the gap has shrunk by this factor.
_PRICE_EVERY = 4.0
# Columns with a larger ratio join, and alpha shrinks until no ratio is larger.
_NEARLY_TIGHT = 0.97
# Columns with a smaller ratio are left out of the guess.
_FAR_FROM_TIGHT = 0.9
# The part of the way to the nearest bound that a step goes.
_STAY_INSIDE = 0.99


@dataclass(frozen=True, eq=False)
class Vertex:
    """Which constraints are probably tight: one more sample between its bounds than tight features.

    `sides` of the features: 1 or -1 where tight, else 0. `places` of the samples: -1 at zero, 1 at
    the slack cost, 0 in between.
    """

    features: IndexArray
    sides: IndexArray
    places: IndexArray


def has_interior(problem: Problem) -> bool:
    """Whether the method fits this program: slack for all samples, and no equality."""
    return problem.equality is None and bool(np.all(np.isfinite(problem.slack_bounds())))


def guess_vertex(
    problem: Problem, columns: Columns, features: IndexArray, *, batch: int
) -> Vertex | None:
    """The vertex that an interior point close to the optimum suggests, or None if none was reached.

    `features` is what to begin with; at most `batch` of them join at a time.
    """
    point = _InteriorPoint(problem, columns, features)
    priced_at = np.inf
    for _ in range(_MAX_STEPS):
        gap = point.gap()
        if gap < max(priced_at / _PRICE_EVERY, _CLOSE):
            ratios = price_ratios(problem, columns, point.alpha * problem.y)
            ratios[point.features] = 0.0
            largest = float(ratios.max())
            if gap < _CLOSE and largest < 1.0:
                break
            priced_at = gap
            joining = np.flatnonzero(ratios > _NEARLY_TIGHT)
            if len(joining):
                joining = joining[np.argsort(-ratios[joining], kind="stable")[:batch]]
                point.admit(joining, shrink=_NEARLY_TIGHT / largest)
                priced_at = point.gap()
        try:
            point.step()
        except LinAlgError:  # the last digits are gone: as close as it gets
            break
    return point.vertex() if point.gap() < _TOO_FAR else None


class _InteriorPoint:
    """alpha strictly inside its constraints, with one multiplier per constraint."""

    def __init__(self, problem: Problem, columns: Columns, features: IndexArray) -> None:
        self._problem, self._columns = problem, columns
        self._y, self._cost = problem.y, problem.slack_bounds()
        self.features = features
        self._block = self._signed(features)
        positive = self._y > 0
        sizes = np.where(positive, positive.sum(), (~positive).sum())
        alpha = 0.5 * self._cost.min() * sizes.min() / sizes
        largest = np.abs(self._block.T @ alpha).max(initial=0.0)
        self.alpha = alpha * min(1.0, 0.5 / max(largest, 1e-300))
        self._products = self._block.T @ self.alpha
        centre = problem.margin * self.alpha.sum() / self._n_products
        self._multipliers = [centre / distance for distance in self._distances()]
        self._b = 0.0

    def _signed(self, features: IndexArray) -> FloatArray:
        block = self._columns.take(features) / self._problem.costs(features)
        block *= self._y[:, None]
        return block

    def _distances(self) -> list[FloatArray]:
        """To the upper and lower bounds of the features, then of the samples."""
        return [1.0 - self._products, 1.0 + self._products, self._cost - self.alpha, self.alpha]

    def gap(self) -> float:
        """Sum of all products, relative to the objective: the gap once the multipliers balance."""
        value = self._problem.margin * float(self.alpha.sum())
        return self._mean_product() * self._n_products / max(1.0, value)

    def admit(self, features: IndexArray, *, shrink: float) -> None:
        """Let features join; alpha shrinks until it satisfies their constraints too."""
        old = len(self.features)
        centre = self._mean_product()
        self.features = np.concatenate([self.features, features])
        self._block = np.asfortranarray(np.hstack([self._block, self._signed(features)]))
        self.alpha = self.alpha * min(1.0, shrink)
        self._products = self._block.T @ self.alpha
        for side in (0, 1):
            own = centre / self._distances()[side][old:]
            self._multipliers[side] = np.concatenate([self._multipliers[side], own])

    def _mean_product(self) -> float:
        pairs = zip(self._distances(), self._multipliers, strict=True)
        return float(sum(d @ m for d, m in pairs)) / self._n_products

    @property
    def _n_products(self) -> int:
        return 2 * (len(self.alpha) + len(self.features))

    def step(self) -> None:
        """Towards products of zero, then, knowing how far that leads, towards small equal ones."""
        distances, multipliers = self._distances(), self._multipliers
        newton = self._newton()
        moves, changes, _ = newton([np.zeros(len(d)) for d in distances])
        inward, outward = _longest(distances, moves), _longest(multipliers, changes)
        reached = sum(
            (d + inward * move) @ (m + outward * change)
            for d, move, m, change in zip(distances, moves, multipliers, changes, strict=True)
        )
        centre = self._mean_product()
        target = centre * (float(reached) / self._n_products / centre) ** 3
        corrected = [target - move * change for move, change in zip(moves, changes, strict=True)]
        moves, changes, b = newton(corrected)
        inward, outward = _longest(distances, moves), _longest(multipliers, changes)
        self.alpha = self.alpha + inward * moves[3]
        self._products = self._products + inward * moves[1]
        self._multipliers = [
            m + outward * change for m, change in zip(multipliers, changes, strict=True)
        ]
        self._b += outward * (b - self._b)

    def _newton(
        self,
    ) -> Callable[[list[FloatArray]], tuple[list[FloatArray], list[FloatArray], float]]:
        """How distances and multipliers change, and the new b, for wanted products of the two."""
        distances, multipliers, y = self._distances(), self._multipliers, self._y
        slopes = [m / d for d, m in zip(distances, multipliers, strict=True)]
        weight = slopes[0] + slopes[1]
        counting = weight > 1e-9 * weight.max()
        scaled = self._block[:, counting] * np.sqrt(weight[counting])
        # No step leaves the balance: its column changes nothing but the conditioning.
        balance = y * np.sqrt(weight.mean())
        matrix = dsyrk(1.0, np.asfortranarray(np.column_stack([scaled, balance])), lower=1)
        matrix[np.diag_indices(len(y))] += slopes[2] + slopes[3]
        factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        of_balance = cho_solve(factor, y, check_finite=False)

        def direction(
            products: list[FloatArray],
        ) -> tuple[list[FloatArray], list[FloatArray], float]:
            wanted = [product / d for product, d in zip(products, distances, strict=True)]
            right = self._problem.margin - self._block @ (wanted[0] - wanted[1])
            right += wanted[3] - wanted[2]
            step = cho_solve(factor, right, check_finite=False)
            b = float(y @ step) / float(y @ of_balance)
            step -= b * of_balance
            along = self._block.T @ step
            moves = [-along, along, -step, step]
            changes = [
                want - m - slope * move
                for want, m, slope, move in zip(wanted, multipliers, slopes, moves, strict=True)
            ]
            return moves, changes, b

        return direction

    def vertex(self) -> Vertex:
        above, below, at_cost, at_zero = self._multipliers
        tightness = np.abs(above - below) / (1.0 - np.abs(self._products))
        freedom = np.minimum(self.alpha / at_zero, (self._cost - self.alpha) / at_cost)
        # Tight features first, then those that may become so; a vertex has one free sample more.
        n_tight = min(int(np.sum(tightness > 1.0)), len(self.alpha) - 1)
        n_kept = max(n_tight, int(np.sum(np.abs(self._products) > _FAR_FROM_TIGHT)))
        kept = np.argsort(-tightness, kind="stable")[:n_kept]
        sides = np.sign(self._products[kept]).astype(np.intp)
        sides[n_tight:] = 0
        places = np.where(self.alpha > self._cost / 2.0, 1, -1)
        places[np.argsort(-freedom, kind="stable")[: n_tight + 1]] = 0
        return Vertex(self.features[kept], sides, places.astype(np.intp))


def _longest(values: list[FloatArray], changes: list[FloatArray]) -> float:
    """The longest step, at most one, that keeps all values positive."""
    shrinking = max(float((-c / v).max(initial=0.0)) for v, c in zip(values, changes, strict=True))
    return min(1.0, _STAY_INSIDE / shrinking) if shrinking > 0.0 else 1.0
