"""The largest margin between many classes on a few given features.

    minimise  sum_jk w_jk^2  +  sum_i sum_(k != y_i) (c_i / 2) max(0, 1 - margin_ik)^2

where margin_ik is how far the own class of sample i is ahead of class k. Two classes have the soft
margin of `margin.py`, with w = w_1 - w_0. Newton's method on this piecewise quadratic function has
one equation per feature and class.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from fewest._solvers.margin import scale_cost
from fewest._types import FloatArray, IndexArray

_NEWTON_STEPS = 100
# Samples whose products are summed at a time.
_ROWS = 1 << 13
# A step that lowers the function by less, relative to it, is the last.
_SMALLEST_GAIN = 1e-14
# Without slack: the cost, how often the margins wanted are corrected, and what may be missing.
_HARD, _CORRECTIONS, _KEPT = 1e3, 60, 1e-12


def joint_margin(
    Z: FloatArray,
    codes: IndexArray,
    cost: FloatArray,
    sample_weight: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Weights (features x classes) and biases; `cost` is meant for samples of norm one, as C is.

    Infinite costs stand for no shortfall; where that cannot be, a large cost takes their place.
    """
    is_hard = bool(np.all(np.isinf(cost)))
    c = np.full(len(codes), _HARD) if is_hard else scale_cost(cost, Z.shape[1], sample_weight)
    machine = _JointMargin(Z, codes, c)
    W = machine.minimise(np.zeros((Z.shape[1] + 1, codes.max() + 1)))
    for _ in range(_CORRECTIONS if is_hard else 0):
        if machine.correct(W) < _KEPT:
            break
        W = machine.minimise(W)
    return W[:-1] - W[:-1].mean(axis=1, keepdims=True), W[-1] - W[-1].mean()


class _JointMargin:
    """The function to minimise, for weights with the biases in the last row."""

    def __init__(self, Z: FloatArray, codes: IndexArray, c: FloatArray) -> None:
        self._order = np.argsort(codes, kind="stable")
        self._codes, self._c = codes[self._order], c[self._order]
        self._Z = np.column_stack([Z[self._order], np.ones(len(Z))])
        ends = np.cumsum(np.bincount(codes))
        self._members = [slice(int(a), int(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        self._rows = np.arange(len(codes))
        self._wanted = np.ones((len(codes), len(self._members)))  # the margins

    def minimise(self, W: FloatArray) -> FloatArray:
        """Newton's method from these weights."""
        scores = self.score(W)
        value = self.value(W, scores)
        for _ in range(_NEWTON_STEPS):
            direction = self.target(scores) - W
            along = self.score(direction)
            step, before = 1.0, value
            while True:
                value = self.value(W + step * direction, scores + step * along)
                if value < before or step < 1e-6:
                    break
                step /= 2.0
            if value >= before:
                break
            W, scores = W + step * direction, scores + step * along
            if before - value <= _SMALLEST_GAIN * before:
                break
        return W

    def correct(self, W: FloatArray) -> float:
        """Raise the margins wanted by what is missing; returns the largest of that."""
        shortfall = self._shortfall(self.score(W))
        missing = self._wanted - 1.0
        self._wanted = 1.0 + shortfall
        return float(np.max(np.abs(shortfall - missing)))

    def score(self, W: FloatArray) -> FloatArray:
        return np.asarray(self._Z @ W)

    def _shortfall(self, scores: FloatArray) -> FloatArray:
        """What margins lack of those wanted, towards every rival."""
        own = scores[self._rows, self._codes]
        shortfall = np.maximum(0.0, self._wanted - own[:, None] + scores)
        shortfall[self._rows, self._codes] = 0.0
        return shortfall

    def value(self, W: FloatArray, scores: FloatArray) -> float:
        shortfall = self._shortfall(scores)
        return float(np.sum(W[:-1] ** 2) + 0.5 * self._c @ np.sum(shortfall**2, axis=1))

    def target(self, scores: FloatArray) -> FloatArray:
        """The minimum of the quadratic function that holds around these scores."""
        n_classes, width = len(self._members), self._Z.shape[1]
        active = np.where(self._shortfall(scores) > 0.0, self._c[:, None], 0.0)
        matrix = np.zeros((n_classes * width, n_classes * width))
        places = [slice(one * width, (one + 1) * width) for one in range(n_classes)]
        for one in range(n_classes):
            for other in range(one + 1, n_classes):
                part = self._sum_products(one, active[:, other])
                part += self._sum_products(other, active[:, one])
                matrix[places[one], places[one]] += part
                matrix[places[other], places[other]] += part
                matrix[places[one], places[other]] -= part
                matrix[places[other], places[one]] -= part
        ridge = np.full(width, 2.0)
        ridge[-1] = 1e-10  # for a class whose margins are all kept
        matrix[np.diag_indices(len(matrix))] += np.tile(ridge, n_classes)
        # Equal biases for all classes change nothing: this only makes the matrix regular.
        biases = np.arange(n_classes) * width + width - 1
        matrix[np.ix_(biases, biases)] += np.diagonal(matrix)[biases].mean()
        pull = -active * self._wanted
        pull[self._rows, self._codes] = -pull.sum(axis=1)
        right = (self._Z.T @ pull).T.ravel()
        found = cho_solve(cho_factor(matrix, check_finite=False), right, check_finite=False)
        return np.asarray(found.reshape(n_classes, width).T)

    def _sum_products(self, code: int, weight: FloatArray) -> FloatArray:
        """Z' diag(weight) Z over the samples of a class."""
        members = self._members[code]
        rows = members.start + np.flatnonzero(weight[members])
        total = np.zeros((self._Z.shape[1], self._Z.shape[1]))
        for start in range(0, len(rows), _ROWS):
            part = rows[start : start + _ROWS]
            block = self._Z[part]
            total += block.T @ (block * weight[part, None])
        return total
