"""An interior-point method for many classes, on some of the features.

It keeps weights, their bounds t_j >= |w_jk|, slacks and surplus of all margins on one side, and the
multipliers alpha of the margins, u and l of the bounds on the other; they start with the weights of
the class means, and equal alpha for all pairs of classes. Mehrotra's predictor and corrector let
the products of what belongs together fall to zero. The system of a Newton step has one equation per
feature and class; its matrix is a sum over margins, of which those that are clearly kept, or
clearly missed, weigh next to nothing and are left out. The right hand side is always exact.

Means of classes that must be apart are rows like samples, of one rival and without slack and bias.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from fewest._solvers.joint.problem import JointProblem
from fewest._types import FloatArray, IndexArray

# The part of the way to the nearest bound that a step goes.
_STAY_INSIDE = 0.99
# How far the first point is away from its bounds, as a part of the largest value.
_OFF = 0.3
# Added to a matrix with ones on its diagonal where it is not positive definite any more.
_RIDGES = (0.0, 1e-14, 1e-13, 1e-12)
# Samples whose products are summed at a time: they should stay in the cache.
_ROWS = 4096
# Margins that weigh less than this part of the mean are left out of the matrix, and solutions are
# refined until so little is missing, or this many times.
_WEIGHTLESS, _EXACT, _REFINEMENTS = 1e-3, 1e-12, 10
# Refinement that misses more than this part is no use, and one that gets so much worse ends.
_TOO_ROUGH, _ASTRAY = 1e-6, 100.0
# Smaller parts of the largest weight are zero.
_NOTHING = 1e-9
# Classes with fewer samples are not worth it.
_MANY = 1000


class _Values(NamedTuple):
    """What must stay positive (or how it changes): four primal values and their multipliers."""

    above: FloatArray  # t - w
    below: FloatArray  # t + w
    surplus: FloatArray
    slack: FloatArray
    upper: FloatArray  # multiplier of t - w
    lower: FloatArray  # of t + w
    alpha: FloatArray  # of the surplus
    room: FloatArray  # C - alpha, of the slack


class JointInterior:
    """A point inside all constraints of a program over a block of features, divided by their costs.

    `W` holds weights, features in rows, with the biases in the last row; `t` bounds their sizes.
    """

    def __init__(self, problem: JointProblem, block: FloatArray) -> None:
        self._problem = problem
        first, second = problem.pairs
        self._n_pairs = len(first)
        codes = np.concatenate([problem.codes, first])
        # Samples of a class, and the pairs of which it is the first, become neighbours.
        self._order = np.argsort(codes, kind="stable")
        self._codes = codes[self._order]
        ends = np.cumsum(np.bincount(codes, minlength=problem.n_classes))
        self._members = [slice(int(a), int(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        rivals = np.vstack([~problem.is_own, np.arange(problem.n_classes) == second[:, None]])
        self._is_rival = rivals[self._order]
        bounds = np.concatenate([problem.bounds, np.full(self._n_pairs, np.inf)])[self._order]
        self._is_soft = self._is_rival & np.isfinite(bounds)[:, None]
        self._cost = np.where(np.isfinite(bounds), bounds, 1.0)[:, None]
        margin = np.full(problem.n_samples, problem.margin)
        self._margin = np.concatenate([margin, np.ones(self._n_pairs)])[self._order, None]
        self._bias = np.concatenate([np.ones(problem.n_samples), np.zeros(self._n_pairs)])[
            self._order
        ]
        self._block = self._rows(block)
        self._leaves_out = True
        alpha = self._first_alpha()
        prices = self.prices(alpha)
        spare = 2.0 - np.abs(prices).sum(axis=1, keepdims=True)
        share = np.abs(prices) + spare / problem.n_classes
        self.W, self.t = self._first_weights()
        ahead = self._ahead(self.W)
        missing = np.where(self._is_soft, np.maximum(self._margin - ahead, 0.0), 0.0)
        self._values = _Values(
            above=self.t[:, None] - self.W[:-1],
            below=self.t[:, None] + self.W[:-1],
            surplus=np.maximum(ahead - self._margin, 0.0) + _OFF,
            slack=np.where(self._is_soft, missing + _OFF, 1.0),
            upper=(share + prices) / 2.0,
            lower=(share - prices) / 2.0,
            alpha=np.where(self._is_rival, alpha, 1.0),
            room=np.where(self._is_soft, self._cost - alpha, 1.0),
        )

    def _rows(self, block: FloatArray) -> FloatArray:
        """Samples and differences of class means, in their order, with the biases' column."""
        first, second = self._problem.pairs
        means = self._problem.mean_vectors.T @ block if self._n_pairs else block[:0]
        rows = np.vstack([block, means[first] - means[second]]) if self._n_pairs else block
        return np.ascontiguousarray(np.column_stack([rows[self._order], self._bias]))

    def _first_alpha(self) -> FloatArray:
        """Equal sums for all ordered pairs of classes, and half of what the features allow."""
        problem = self._problem
        sizes = np.bincount(problem.codes)[self._codes]
        cheapest = self._cost[self._is_soft.any(axis=1), 0]
        of_class = sizes[self._is_soft.any(axis=1)]
        total = 0.5 * float((cheapest * of_class).min(initial=np.inf))
        total = total if np.isfinite(total) else 1.0
        equal = np.where(self._bias > 0.0, total / sizes, total)
        alpha = np.where(self._is_rival, equal[:, None], 0.0)
        largest = np.abs(self.prices(alpha)).sum(axis=1).max(initial=0.0)
        return alpha * min(1.0, 1.0 / max(largest, 1e-300))

    def _first_weights(self) -> tuple[FloatArray, FloatArray]:
        """The nearest class mean decides, on the scale on which margins are one on average."""
        is_sample = self._bias > 0.0
        means = np.array(
            [self._block[rows][is_sample[rows], :-1].mean(axis=0) for rows in self._members]
        ).T
        means -= means.mean(axis=1, keepdims=True)
        W = np.vstack([means, -0.5 * np.sum(means * means, axis=0)])
        reached = self._ahead(W)[self._is_rival].mean()
        W /= max(float(reached), 1e-12)
        size = np.abs(W[:-1]).max(axis=1)
        return W, size * (1.0 + _OFF) + _OFF**2 * max(float(size.max(initial=0.0)), 1e-12)

    def _ahead(self, W: FloatArray) -> FloatArray:
        """By how much the own class of every row is ahead of the others."""
        scores = self._block @ W
        return np.asarray(np.take_along_axis(scores, self._codes[:, None], axis=1) - scores)

    def prices(self, alpha: FloatArray) -> FloatArray:
        """x_j . v_k for the features of the block; alpha is zero where there is no rival."""
        return self._price(alpha)[:-1]

    def _price(self, alpha: FloatArray) -> FloatArray:
        v = -alpha
        v[np.arange(len(v)), self._codes] += alpha.sum(axis=1)
        return np.asarray(self._block.T @ v)

    @property
    def _alpha(self) -> FloatArray:
        return np.where(self._is_rival, self._values.alpha, 0.0)

    @property
    def multipliers(self) -> tuple[FloatArray, FloatArray]:
        """Of the margins, zero for the own class, and of the pairs of classes."""
        alpha = np.empty_like(self._values.alpha)
        alpha[self._order] = self._alpha
        n = self._problem.n_samples
        return alpha[:n], alpha[n:][np.arange(self._n_pairs), self._problem.pairs[1]]

    def negligible(self, ratios: FloatArray) -> FloatArray:
        """Up to which part of the largest weight those of a feature are zero, given its price.

        Either the weights of a feature vanish or what its price lacks: the larger one does not.
        """
        return np.maximum(1.0 - ratios, _NOTHING)

    @property
    def value(self) -> float:
        """What the multipliers prove, if they fit all columns."""
        return float(np.sum(self._margin * self._alpha))

    def gap(self) -> float:
        """Relative to the value of the dual."""
        return self._mean_product() * self._n_products / max(1e-9, self.value)

    @property
    def _n_products(self) -> int:
        pairs = np.count_nonzero(self._is_rival) + np.count_nonzero(self._is_soft)
        return 2 * self._values.above.size + int(pairs)

    def _products(self, values: _Values) -> float:
        return float(
            np.sum(values.above * values.upper)
            + np.sum(values.below * values.lower)
            + np.sum(values.surplus * values.alpha, where=self._is_rival)
            + np.sum(values.slack * values.room, where=self._is_soft)
        )

    def _mean_product(self) -> float:
        return self._products(self._values) / self._n_products

    def step(self) -> None:
        """Towards products of zero, then, knowing how far that leads, towards small equal ones.

        Raises LinAlgError where the last digits are gone.
        """
        with np.errstate(all="ignore"):
            try:
                self._step()
            except _TooRoughError:  # margins that seemed to weigh nothing matter in some direction
                self._leaves_out = False
                self._step()
                self._leaves_out = True

    def _step(self) -> None:
        newton = self._newton()
        change, _, _ = newton(_Targets(0.0, 0.0, 0.0, 0.0))
        reached = self._products(self._moved(change, *self._lengths(change)))
        centre = self._mean_product()
        target = centre * (reached / self._n_products / centre) ** 3
        change, dW, dt = newton(
            _Targets(
                target - change.above * change.upper,
                target - change.below * change.lower,
                target - change.surplus * change.alpha,
                target - change.slack * change.room,
            )
        )
        if not np.all(np.isfinite(dW)):
            raise LinAlgError("the last digits are gone")
        primal, dual = self._lengths(change)
        self._values = self._moved(change, primal, dual)
        self.W = self.W + primal * dW
        self.t = self.t + primal * dt

    def admit(self, block: FloatArray, *, shrink: float) -> None:
        """Let features join; all multipliers shrink until they satisfy the new constraints too.

        What this leaves over is shared by the bounds of all classes.
        """
        values, n_classes = self._values, self._problem.n_classes
        shrink = min(1.0, shrink)
        centre = self._mean_product()
        rows = self._rows(block)
        self._block = np.ascontiguousarray(
            np.column_stack([self._block[:, :-1], rows[:, :-1], self._bias])
        )
        alpha = np.where(self._is_rival, values.alpha * shrink, values.alpha)
        prices = self.prices(np.where(self._is_rival, alpha, 0.0))[len(self.t) :]
        spare = 2.0 - np.abs(prices).sum(axis=1, keepdims=True)
        share = np.abs(prices) + spare / n_classes
        left = (1.0 - shrink) / n_classes
        size = np.full(block.shape[1], 2.0 * n_classes * centre)
        self.t = np.concatenate([self.t, size])
        zeros = np.zeros((block.shape[1], n_classes))
        self.W = np.vstack([self.W[:-1], zeros, self.W[-1:]])
        bounds = zeros + size[:, None]
        self._values = values._replace(
            above=np.vstack([values.above, bounds]),
            below=np.vstack([values.below, bounds]),
            upper=np.vstack([values.upper * shrink + left, (share + prices) / 2.0]),
            lower=np.vstack([values.lower * shrink + left, (share - prices) / 2.0]),
            alpha=alpha,
            room=np.where(self._is_soft, self._cost - alpha, 1.0),
        )

    def dismiss(self, kept: NDArray[np.bool_]) -> None:
        """Let features go whose weights will hardly stay: every step gets cheaper.

        The scores lose what they had from them; slack and surplus take that up.
        """
        values = self._values
        before = self._ahead(self.W)
        self._block = np.ascontiguousarray(self._block[:, np.append(kept, True)])
        self.W, self.t = self.W[np.append(kept, True)], self.t[kept]
        change = self._ahead(self.W) - before
        self._values = values._replace(
            above=values.above[kept],
            below=values.below[kept],
            upper=values.upper[kept],
            lower=values.lower[kept],
            surplus=values.surplus + np.maximum(change, 0.0),
            slack=values.slack + np.where(self._is_soft, np.maximum(-change, 0.0), 0.0),
        )

    def _lengths(self, change: _Values) -> tuple[float, float]:
        """The longest primal and dual steps, at most one, that keep everything positive."""
        shrinking = [float((-c / v).max()) for v, c in zip(self._values, change, strict=True)]
        longest = [max(shrinking[:4]), max(shrinking[4:])]
        primal, dual = (min(1.0, _STAY_INSIDE / most) if most > 0.0 else 1.0 for most in longest)
        return primal, dual

    def _moved(self, change: _Values, primal: float, dual: float) -> _Values:
        lengths = (primal,) * 4 + (dual,) * 4
        return _Values(
            *(v + by * c for v, c, by in zip(self._values, change, lengths, strict=True))
        )

    def _newton(self) -> Callable[[_Targets], tuple[_Values, FloatArray, FloatArray]]:
        """How everything changes for wanted products."""
        values, rival, soft = self._values, self._is_rival, self._is_soft
        of_upper, of_lower = values.upper / values.above, values.lower / values.below
        both, skew = of_upper + of_lower, of_lower - of_upper
        of_sizes = both.sum(axis=1)
        of_surplus = values.surplus / values.alpha
        of_slack = np.where(soft, values.slack / values.room, 0.0)
        softness = np.where(rival, 1.0 / (of_surplus + of_slack), 0.0)
        solve = self._factorise(softness, both, skew, of_sizes)
        missing = self._margin - self._ahead(self.W)
        prices = self._price(self._alpha)

        def direction(targets: _Targets) -> tuple[_Values, FloatArray, FloatArray]:
            upper, lower = targets.upper / values.above, targets.lower / values.below
            surplus = targets.surplus / values.alpha
            slack = np.where(soft, targets.slack / values.room, 0.0)
            pull = np.where(rival, (surplus - slack + missing) * softness, 0.0)
            right = prices + self._price(pull)
            free = (upper + lower).sum(axis=1) - 2.0
            right[:-1] -= upper - lower + skew * (free / of_sizes)[:, None]
            dW = solve(right)
            dt = (free - np.sum(skew * dW[:-1], axis=1)) / of_sizes
            alpha = np.where(rival, pull - self._ahead(dW) * softness, 0.0)
            above, below = dt[:, None] - dW[:-1], dt[:, None] + dW[:-1]
            change = _Values(
                above=above,
                below=below,
                surplus=np.where(rival, surplus - values.surplus - of_surplus * alpha, 0.0),
                slack=np.where(soft, slack - values.slack + of_slack * alpha, 0.0),
                upper=upper - values.upper - of_upper * above,
                lower=lower - values.lower - of_lower * below,
                alpha=alpha,
                room=np.where(soft, -alpha, 0.0),
            )
            return change, dW, dt

        return direction

    def _factorise(
        self, softness: FloatArray, both: FloatArray, skew: FloatArray, of_sizes: FloatArray
    ) -> Callable[[FloatArray], FloatArray]:
        """Solutions of the Newton system; the sizes t are eliminated, class after class."""
        n_classes, width = self._problem.n_classes, self._block.shape[1]
        matrix = np.zeros((n_classes * width, n_classes * width))
        places = [slice(one * width, (one + 1) * width) for one in range(n_classes)]
        for one in range(n_classes):
            for other in range(one + 1, n_classes):
                part = self._sum_products(one, softness[:, other])
                part += self._sum_products(other, softness[:, one])
                matrix[places[one], places[one]] += part
                matrix[places[other], places[other]] += part
                matrix[places[other], places[one]] -= part
        features = np.arange(width - 1)
        for one in range(n_classes):
            for other in range(one + 1):
                entries = -skew[:, one] * skew[:, other] / of_sizes
                if one == other:
                    entries = entries + both[:, one]
                matrix[one * width + features, other * width + features] += entries
        # Equal biases for all classes change nothing: this only makes the matrix regular.
        biases = np.arange(n_classes) * width + width - 1
        matrix[np.ix_(biases, biases)] += np.diagonal(matrix)[biases].mean()
        scale = 1.0 / np.sqrt(np.diagonal(matrix))
        matrix *= scale
        matrix *= scale[:, None]
        factor = _factorise_regular(matrix)
        between = skew / np.sqrt(of_sizes)[:, None]

        def size_of(right: FloatArray) -> float:
            return float(np.linalg.norm(scale * right.T.ravel()))

        def approach(right: FloatArray) -> FloatArray:
            found = scale * cho_solve(factor, scale * right.T.ravel(), check_finite=False)
            return np.asarray(found.reshape(n_classes, width).T)

        def multiply(dW: FloatArray) -> FloatArray:
            product = self._price(softness * self._ahead(dW))
            product[:-1] += both * dW[:-1]
            product[:-1] -= between * np.sum(between * dW[:-1], axis=1, keepdims=True)
            return product

        def solve(right: FloatArray) -> FloatArray:
            """Conjugate gradients with a factor that is nearly right: a few steps at most."""
            wanted = size_of(right)
            dW, rest, along, before = np.zeros_like(right), right, np.zeros_like(right), 1.0
            best, smallest = dW, wanted
            for _ in range(_REFINEMENTS):
                near = approach(rest)
                product = float(np.sum(rest * near))
                along = near + (product / before) * along
                forth = multiply(along)
                curvature = float(np.sum(along * forth))
                if not curvature > 0.0:
                    break
                length, before = product / curvature, product
                dW, rest = dW + length * along, rest - length * forth
                left = size_of(rest)
                if left < smallest:
                    best, smallest = dW, left
                if left < _EXACT * wanted or not left < _ASTRAY * smallest:
                    break
            if smallest > _TOO_ROUGH * wanted and self._leaves_out:
                raise _TooRoughError
            return best

        return solve

    def _sum_products(self, code: int, weight: FloatArray) -> FloatArray:
        """Z' diag(weight) Z over the rows of a class."""
        width, block = self._block.shape[1], self._block[self._members[code]]
        weight = weight[self._members[code]]
        rows: IndexArray = np.arange(len(weight))
        if len(weight) > _MANY and self._leaves_out:
            rows = np.flatnonzero(weight > _WEIGHTLESS * weight.mean())
        total = np.zeros((width, width), order="F")
        for start in range(0, len(rows), _ROWS):
            part = rows[start : start + _ROWS]
            scaled = block[part] * np.sqrt(weight[part])[:, None]
            total = dsyrk(1.0, scaled.T, beta=1.0, c=total, lower=1, overwrite_c=1)
        return np.asarray(total + np.tril(total, -1).T)


class _TooRoughError(Exception):
    """The matrix without margins that weigh next to nothing is not near enough to the whole one."""


class _Targets(NamedTuple):
    """Wanted products."""

    upper: FloatArray | float
    lower: FloatArray | float
    surplus: FloatArray | float
    slack: FloatArray | float


def _factorise_regular(matrix: FloatArray) -> tuple[FloatArray, bool]:
    """A Cholesky factor; the last steps may need a little more on the diagonal."""
    for ridge in _RIDGES:
        matrix[np.diag_indices(len(matrix))] += ridge
        with suppress(LinAlgError):
            factor: tuple[FloatArray, bool] = cho_factor(matrix, lower=True, check_finite=False)
            return factor
    raise LinAlgError("the last digits are gone")
