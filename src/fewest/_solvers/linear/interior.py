"""A guess at the optimal vertex, by an interior-point method on a growing set of features.

Where samples or features are many, the simplex method takes thousands of steps. Two dozen Newton
steps on the dual come close instead:

    maximise    m sum_i alpha_i + s lambda
    subject to  sum_i y_i alpha_i + a0 lambda = 0                          (bias)
                -1 <= (sum_i y_i x_ij alpha_i + a_j lambda) / c_j <= 1     (feature j)
                0 <= alpha_i <= C_i                                        (sample i)

Each inequality has a distance to its bound and a multiplier; the steps let all their products fall
to zero together (Mehrotra's predictor and corrector). Columns can join at any time, because a
smaller alpha is inside again. A constraint belongs to the vertex if its multiplier is larger than
its distance. The simplex method goes on from there: nothing here needs to be exact.

A Newton step solves a system of as many equations as there are features or samples, whichever are
fewer. So a step costs about n k min(n, k) operations for n samples and k features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from fewest._solvers.certify import price_ratios
from fewest._solvers.columns import Columns
from fewest._solvers.columns.at_hand import AtHand
from fewest._solvers.problem import Problem, class_mean_vector
from fewest._solvers.watch import current_watch
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
# Below this gap, columns with a ratio below this one leave.
_LEAVE_BELOW, _LOOSE = 0.1, 0.5
# The part of the way to the nearest bound that a step goes.
_STAY_INSIDE = 0.99
# From a vertex with more features that may be tight, the simplex method takes longer than the way
# up to here.
_MANY_FEATURES = 300
# Where there is no time to find the vertex, smaller parts of the largest weight are left out.
_VISIBLE = 0.03
# The first multipliers are this part of the largest one away from zero.
_OFF = 0.3


@dataclass(frozen=True, eq=False)
class Vertex:
    """Which constraints are probably tight: one more sample between its bounds than tight features.

    `sides` of the features: 1 or -1 where tight, else 0. `places` of the samples: -1 at zero, 1 at
    the slack cost, 0 in between. `w` and `b` are the hyperplane nearby, with weights of tight
    features only; `alpha` and `multiplier` the dual solution nearby.
    """

    features: IndexArray
    sides: IndexArray
    places: IndexArray
    w: FloatArray
    b: float
    alpha: FloatArray
    multiplier: float

    @property
    def is_large(self) -> bool:
        """Whether the simplex method would take long from here."""
        return is_large(len(self.features))


def is_large(n_features: int) -> bool:
    """Whether a vertex of so many features is left to the interior point."""
    return n_features > _MANY_FEATURES


def has_interior(problem: Problem) -> bool:
    """Whether the method fits this program: slack for all samples, weights of either sign."""
    return problem.feature_sign is None and bool(np.all(np.isfinite(problem.slack_bounds())))


# Where there is hardly any interior, numbers outgrow their type, and there is no guess.
@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def guess_vertex(
    problem: Problem,
    columns: Columns,
    features: IndexArray,
    *,
    batch: int,
    close: float = _CLOSE,
    finish: float = _CLOSE,
) -> Vertex | None:
    """The vertex that an interior point close to the optimum suggests, or None if none was reached.

    `features` is what to begin with; at most `batch` of them, or as many as there are, join at a
    time. The point comes `close` to the optimum, or to `finish` where the vertex is large: that is
    its relative gap. If the time is up, the vertex is that of the point reached by then.
    """
    point = _InteriorPoint(problem, columns, features)
    watch = current_watch()
    priced_at = np.inf
    for _ in range(_MAX_STEPS):
        gap = point.gap()
        watch.tell(gap=gap)
        if not np.isfinite(gap):
            return None
        if watch.is_over:
            return point.vertex(_VISIBLE)
        if gap < max(priced_at / _PRICE_EVERY, close):
            ratios = price_ratios(problem, columns, point.dual_vector())
            ratios[point.features] = 0.0
            largest = float(ratios.max())
            if gap < close and largest < 1.0:
                if close <= finish or not point.vertex().is_large:
                    break
                close = finish
            priced_at = gap
            if gap < _LEAVE_BELOW and len(point.features) > batch:
                point.dismiss_loose()
            joining = np.flatnonzero(ratios > _NEARLY_TIGHT)
            if len(joining):
                most = max(batch, len(point.features))
                joining = joining[np.argsort(-ratios[joining], kind="stable")[:most]]
                point.admit(joining, shrink=_NEARLY_TIGHT / largest)
                priced_at = point.gap()
        try:
            point.step()
        except LinAlgError:  # the last digits are gone: as close as it gets
            break
    return point.vertex() if point.gap() < _TOO_FAR else None


_Direction = tuple[list[FloatArray], list[FloatArray], float, float]


class _InteriorPoint:
    """alpha and lambda strictly inside their constraints, with one multiplier per constraint."""

    def __init__(self, problem: Problem, columns: Columns, features: IndexArray) -> None:
        self._problem, self._columns = problem, columns
        self._y, self._cost = problem.y, problem.slack_bounds()
        self.features = features
        self._block = AtHand(problem.n_samples)
        self._costs, self._of_multiplier = np.empty(0), np.empty(0)
        self._take(features)
        self.alpha, self._multiplier = self._first_point()
        self._products = self._find_products()
        self._multipliers, self._b = self._first_multipliers(), 0.0

    def _first_point(self) -> tuple[FloatArray, float]:
        """Equal parts for the samples of a class, and half of what the features allow."""
        problem = self._problem
        positive = self._y > 0
        sizes = np.where(positive, positive.sum(), (~positive).sum())
        alpha = 0.5 * self._cost.min() * sizes.min() / sizes
        multiplier = 0.0
        if problem.equality is not None:
            # As much for the equality as for all samples of a class, and the balance restored.
            multiplier = float(np.sign(problem.rhs) * alpha[0] * sizes[0])
            surplus = multiplier * problem.bias_coefficient
            alpha = 0.5 * (alpha + np.where(positive == (surplus < 0), abs(surplus) / sizes, 0.0))
            multiplier *= 0.5
        products = self._price(alpha) + multiplier * self._of_multiplier
        shrink = min(1.0, 0.5 / max(np.abs(products).max(initial=0.0), 1e-300))
        return alpha * shrink, multiplier * shrink

    def _first_multipliers(self) -> list[FloatArray]:
        """Those of the direction of the class means, each a little larger: all above zero."""
        problem, distance = self._problem, self._problem.mean_distance
        w = self._of_multiplier
        if problem.equality is None:
            w = self._price(class_mean_vector(self._y) * self._y)
        projection = self._combine(w)
        reached = w @ w if problem.equality is not None else projection.mean()
        wanted = problem.rhs if problem.equality is not None else distance
        factor = wanted / max(reached, 1e-300) if w.any() else 0.0
        w = factor * w
        shortfall = problem.margin - factor * projection
        parts = [np.maximum(part, 0.0) for part in (w, -w, shortfall, -shortfall)]
        least = [_OFF * max(float(np.abs(w).max(initial=0.0)), _OFF)] * 2 + [_OFF * distance] * 2
        return [part + own for part, own in zip(parts, least, strict=True)]

    def _find_products(self) -> FloatArray:
        return self._price(self.alpha) + self._multiplier * self._of_multiplier

    def _take(self, features: IndexArray) -> None:
        """Hold these columns, too, and what the equality adds to each: a_j / c_j."""
        block, costs = self._columns.share(features), self._problem.costs(features)
        of_multiplier = np.zeros(len(features))
        if self._problem.equality is not None:
            of_multiplier = self._problem.equality @ block / costs
        self._block.join(block)
        self._costs = np.concatenate([self._costs, costs])
        self._of_multiplier = np.concatenate([self._of_multiplier, of_multiplier])

    def _price(self, values: FloatArray) -> FloatArray:
        """sum_i y_i x_ij values_i / c_j of the columns held."""
        return self._block.price(self._y * values) / self._costs

    def _combine(self, w: FloatArray) -> FloatArray:
        """y_i sum_j x_ij w_j / c_j."""
        return self._y * self._block.combine(w / self._costs)

    def dual_vector(self) -> FloatArray:
        v = self.alpha * self._y
        if self._problem.equality is not None:
            v += self._multiplier * self._problem.equality
        return v

    def _distances(self) -> list[FloatArray]:
        """To the upper and lower bounds of the features, then of the samples."""
        return [1.0 - self._products, 1.0 + self._products, self._cost - self.alpha, self.alpha]

    def gap(self) -> float:
        """Sum of all products, relative to the objective: the gap once the multipliers balance."""
        problem = self._problem
        value = problem.margin * float(self.alpha.sum()) + problem.rhs * self._multiplier
        least = 1.0 if problem.equality is None else 1e-6
        return self._mean_product() * self._n_products / max(least, abs(value))

    def admit(self, features: IndexArray, *, shrink: float) -> None:
        """Let features join; alpha shrinks until it satisfies their constraints too."""
        old = len(self.features)
        centre = self._mean_product()
        self.features = np.concatenate([self.features, features])
        self._take(features)
        self.alpha = self.alpha * min(1.0, shrink)
        self._multiplier *= min(1.0, shrink)
        self._products = self._find_products()
        for side in (0, 1):
            own = centre / self._distances()[side][old:]
            self._multipliers[side] = np.concatenate([self._multipliers[side], own])

    def dismiss_loose(self) -> None:
        """Let features go whose constraints will hardly be tight: every step gets cheaper."""
        kept = np.abs(self._products) > _LOOSE
        if kept.sum() > 0.8 * len(kept):
            return
        self.features, self._products = self.features[kept], self._products[kept]
        self._block.keep(np.flatnonzero(kept))
        self._costs, self._of_multiplier = self._costs[kept], self._of_multiplier[kept]
        for side in (0, 1):
            self._multipliers[side] = self._multipliers[side][kept]

    def _mean_product(self) -> float:
        pairs = zip(self._distances(), self._multipliers, strict=True)
        return float(sum(d @ m for d, m in pairs)) / self._n_products

    @property
    def _n_products(self) -> int:
        return 2 * (len(self.alpha) + len(self.features))

    def step(self) -> None:
        """Towards products of zero, then, knowing how far that leads, towards small equal ones."""
        distances, multipliers = self._distances(), self._multipliers
        by_features = len(self.features) < len(self.alpha)
        newton = self._newton_by_features() if by_features else self._newton_by_samples()
        moves, changes, _, _ = newton([np.zeros(len(d)) for d in distances])
        inward, outward = _longest(distances, moves), _longest(multipliers, changes)
        reached = sum(
            (d + inward * move) @ (m + outward * change)
            for d, move, m, change in zip(distances, moves, multipliers, changes, strict=True)
        )
        centre = self._mean_product()
        target = centre * (float(reached) / self._n_products / centre) ** 3
        corrected = [target - move * change for move, change in zip(moves, changes, strict=True)]
        moves, changes, b, multiplier = newton(corrected)
        inward, outward = _longest(distances, moves), _longest(multipliers, changes)
        self.alpha = self.alpha + inward * moves[3]
        self._products = self._products + inward * moves[1]
        self._multiplier += inward * multiplier
        self._multipliers = [
            m + outward * change for m, change in zip(multipliers, changes, strict=True)
        ]
        self._b += outward * (b - self._b)

    def _newton_by_features(self) -> Callable[[list[FloatArray]], _Direction]:
        """How everything changes for wanted products, by a system over the features and the bias.

        With S the slopes of the samples, W those of the features, and Z the block:
        (Z' S^-1 Z + W^-1) w - a dlambda = Z' S^-1 (m + wanted) + W^-1 q,  a . w = s.
        """
        distances, multipliers, y = self._distances(), self._multipliers, self._y
        slopes = [m / d for d, m in zip(distances, multipliers, strict=True)]
        of_features, of_samples = slopes[0] + slopes[1], slopes[2] + slopes[3]
        count = len(self.features)
        matrix = self._block.weighted_products(1.0 / of_samples)
        matrix /= np.outer(np.append(self._costs, 1.0), np.append(self._costs, 1.0))
        matrix[np.arange(count), np.arange(count)] += 1.0 / of_features
        border = np.append(self._of_multiplier, self._problem.bias_coefficient)
        solve = _solve_bordered(matrix, border, self._problem)

        def direction(products: list[FloatArray]) -> _Direction:
            wanted = [product / d for product, d in zip(products, distances, strict=True)]
            plain = wanted[0] - wanted[1]
            right = (self._problem.margin + wanted[3] - wanted[2]) / of_samples
            weights = np.append(self._price(right) + plain / of_features, y @ right)
            weights, multiplier = solve(weights)
            w, b = weights[:count], float(weights[count])
            along = (w - plain) / of_features
            step = right - (self._combine(w) + y * b) / of_samples
            return self._with_changes(wanted, slopes, along, step, b, multiplier)

        return direction

    def _newton_by_samples(self) -> Callable[[list[FloatArray]], _Direction]:
        """The same by a system over the samples, with the bias and lambda as its border."""
        distances, multipliers, y = self._distances(), self._multipliers, self._y
        slopes = [m / d for d, m in zip(distances, multipliers, strict=True)]
        weight = slopes[0] + slopes[1]
        counting = weight > 1e-9 * weight.max()
        scaled = self._block.take(np.flatnonzero(counting))
        scaled *= np.sqrt(weight[counting]) / self._costs[counting]
        scaled *= y[:, None]
        # No step leaves the balance: its column changes nothing but the conditioning.
        balance = y * np.sqrt(weight.mean())
        matrix = dsyrk(1.0, np.asfortranarray(np.column_stack([scaled, balance])), lower=1)
        matrix[np.diag_indices(len(y))] += slopes[2] + slopes[3]
        factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        border, corner = y[:, None], np.zeros((1, 1))
        if self._problem.equality is not None:
            a, a0 = self._of_multiplier, self._problem.bias_coefficient
            border = np.column_stack([y, self._combine(weight * a)])
            corner = np.array([[0.0, a0], [a0, a @ (weight * a)]])
        of_border = cho_solve(factor, border, check_finite=False)
        schur = border.T @ of_border - corner

        def direction(products: list[FloatArray]) -> _Direction:
            wanted = [product / d for product, d in zip(products, distances, strict=True)]
            plain = wanted[0] - wanted[1]
            right = self._problem.margin - self._combine(plain) + wanted[3] - wanted[2]
            step = cho_solve(factor, right, check_finite=False)
            bottom = np.zeros(len(corner))
            if len(bottom) == 2:
                bottom[1] = self._problem.rhs - self._of_multiplier @ plain
            free = np.linalg.solve(schur, border.T @ step - bottom)
            step -= of_border @ free
            multiplier = float(free[1]) if len(free) == 2 else 0.0
            along = self._price(step) + multiplier * self._of_multiplier
            return self._with_changes(wanted, slopes, along, step, float(free[0]), multiplier)

        return direction

    def _with_changes(
        self,
        wanted: list[FloatArray],
        slopes: list[FloatArray],
        along: FloatArray,
        step: FloatArray,
        b: float,
        multiplier: float,
    ) -> _Direction:
        """The moves of all distances, and what they do to the multipliers."""
        moves = [-along, along, -step, step]
        changes = [
            want - m - slope * move
            for want, m, slope, move in zip(wanted, self._multipliers, slopes, moves, strict=True)
        ]
        return moves, changes, b, multiplier

    def vertex(self, visible: float = 2.0) -> Vertex:
        """The vertex nearby; weights that are this part of the largest one count as tight too."""
        above, below, at_cost, at_zero = self._multipliers
        w = above - below
        tightness = np.abs(w) / (1.0 - np.abs(self._products))
        tightness[np.abs(w) > visible * np.abs(w).max(initial=0.0)] += 1.0
        freedom = np.minimum(self.alpha / at_zero, (self._cost - self.alpha) / at_cost)
        # Tight features first, then those that may become so; a vertex has one free sample more,
        # but for the multiplier of the equality.
        n_tight = min(int(np.sum(tightness > 1.0)), len(self.alpha) - 1)
        n_kept = max(n_tight, int(np.sum(np.abs(self._products) > _FAR_FROM_TIGHT)))
        order = np.argsort(-tightness, kind="stable")[:n_kept]
        sides = np.sign(w).astype(np.intp)
        sides[order[n_tight:]] = 0
        kept = np.sort(order)
        sides = sides[kept]
        places = np.where(self.alpha > self._cost / 2.0, 1, -1)
        n_free = n_tight + 1 - (self._problem.equality is not None)
        places[np.argsort(-freedom, kind="stable")[:n_free]] = 0
        features = self.features[kept]
        weights = np.where(sides != 0, w[kept], 0.0) / self._problem.costs(features)
        return Vertex(
            features=features,
            sides=sides,
            places=places.astype(np.intp),
            w=weights,
            b=self._b,
            alpha=self.alpha,
            multiplier=self._multiplier,
        )


def _solve_bordered(
    matrix: FloatArray, border: FloatArray, problem: Problem
) -> Callable[[FloatArray], tuple[FloatArray, float]]:
    """Solutions of matrix x - border t = right, with border . x = rhs where there is an equality.

    The lower triangle of the matrix is used, and scaled to a diagonal of ones before it is
    factorised: its entries differ by many orders of magnitude.
    """
    scale = 1.0 / np.sqrt(np.diagonal(matrix))
    matrix *= scale
    matrix *= scale[:, None]
    factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    of_border = scale * cho_solve(factor, scale * border, check_finite=False)
    bend = float(border @ of_border)
    if problem.equality is not None and not bend > 0.0:
        raise LinAlgError("no feature in the program differs between the classes")

    def solve(right: FloatArray) -> tuple[FloatArray, float]:
        found = scale * cho_solve(factor, scale * right, check_finite=False)
        if problem.equality is None:
            return found, 0.0
        multiplier = float((problem.rhs - border @ found) / bend)
        return found + multiplier * of_border, multiplier

    return solve


def _longest(values: list[FloatArray], changes: list[FloatArray]) -> float:
    """The longest step, at most one, that keeps all values positive."""
    shrinking = max(float((-c / v).max(initial=0.0)) for v, c in zip(values, changes, strict=True))
    return min(1.0, _STAY_INSIDE / shrinking) if shrinking > 0.0 else 1.0
