"""Down to k features by a smooth loss that listens to every sample.

    minimise  sum_i c_i log(1 + sum_(k != y_i) exp(s_ik - s_(i, y_i)))  +  (r / 2) sum_jk w_jk^2

is the multinomial logistic loss of the scores s_i = x_i W + b with a strong ridge. From a set of
candidates, the feature that is missed least leaves, one after the other; then features are
exchanged for other candidates while the loss falls. A hinge looks at the samples near the border
only, and chooses worse among a handful of features than this does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# The ridge, as a part of the sum of all weights of samples.
_RIDGE = 0.05
# So many samples are enough to compare features; with more of them, some of every class are taken.
_ENOUGH = 4000
# Newton's method: most steps, and the gain relative to the loss below which it ends.
_STEPS, _SMALLEST_GAIN = 30, 1e-6
# Exchanges: how many features may go, those missed least, how many candidates are tried in place
# of each, how much the loss must fall by, and the most exchanges.
_MAY_GO, _TRIED, _WORTH_IT, _EXCHANGES = 5, 3, 1e-4, 30
_NONE: IndexArray = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Rivalry:
    """What decides between features beside the loss: prices, and groups of which one may be in.

    Features in no group have the number -1.
    """

    price: FloatArray
    groups: IndexArray | None = None

    def take(self, features: IndexArray) -> Rivalry:
        return Rivalry(self.price[features], None if self.groups is None else self.groups[features])

    def is_crowded(self) -> bool:
        """Whether two features share a group."""
        return bool(self.find_crowded(np.arange(len(self.price))).any())

    def find_crowded(self, features: IndexArray) -> NDArray[np.bool_]:
        """Which of these features share a group with another one of them."""
        if self.groups is None:
            return np.zeros(len(features), dtype=bool)
        groups = self.groups[features]
        counts = np.bincount(groups[groups >= 0], minlength=int(self.groups.max(initial=0)) + 1)
        return (groups >= 0) & (counts[groups] > 1)

    def may_replace(self, rest: IndexArray, old: int) -> NDArray[np.bool_]:
        """Which features may come for one that leaves the rest: not dearer, and of no group in."""
        allowed = self.price <= self.price[old]
        if self.groups is not None:
            allowed &= (self.groups < 0) | ~np.isin(self.groups, self.groups[rest])
        return allowed


def choose_features(
    block: FloatArray,
    codes: IndexArray,
    weight: FloatArray,
    most: int,
    always: IndexArray = _NONE,
    *,
    ridge: float = _RIDGE,
    rivalry: Rivalry | None = None,
) -> IndexArray:
    """Places of at most so many columns of a standardised block, some of them always in.

    Where prices differ, the feature that is missed least for its price leaves.
    """
    rivalry = Rivalry(np.ones(block.shape[1])) if rivalry is None else rivalry
    rows = draw_evenly(codes, _ENOUGH)
    loss = _Loss(block[rows], codes[rows], weight[rows], ridge)
    chosen = _Fit.start(loss, np.arange(block.shape[1]))
    while True:
        crowded = rivalry.find_crowded(chosen.features)
        if len(chosen.features) <= most and not crowded.any():
            break
        losses = _losses_for_price(chosen, always, rivalry)
        if crowded.any():
            losses[~crowded] = np.inf
        chosen = chosen.without(int(np.argmin(losses)))
    for _ in range(_EXCHANGES):
        exchanges = _exchanges(chosen, always, rivalry)
        better = next((one for one in exchanges if _is_better(one, chosen)), None)
        if better is None or current_watch().is_over:
            break
        chosen = better
    return np.sort(chosen.features)


def _is_better(one: _Fit, other: _Fit) -> bool:
    return one.value < other.value * (1.0 - _WORTH_IT)


def _losses_for_price(chosen: _Fit, always: IndexArray, rivalry: Rivalry) -> FloatArray:
    """How much each feature is missed, per price; infinite for those that are always in."""
    losses = chosen.losses()
    kept = np.isin(chosen.features, always)
    losses[~kept] /= rivalry.price[chosen.features[~kept]]
    losses[kept] = np.inf
    return losses


def _exchanges(chosen: _Fit, always: IndexArray, rivalry: Rivalry) -> Iterator[_Fit]:
    """Fits with one feature exchanged, those that are missed least first."""
    losses = _losses_for_price(chosen, always, rivalry)
    for place in np.argsort(losses, kind="stable")[: min(_MAY_GO, np.isfinite(losses).sum())]:
        rest = chosen.without(int(place))
        gains = rest.gains()
        gains[chosen.features] = -np.inf
        gains[~rivalry.may_replace(rest.features, int(chosen.features[place]))] = -np.inf
        tried = np.argsort(-gains, kind="stable")[:_TRIED]
        fits = [rest.with_one(int(new)) for new in tried if np.isfinite(gains[new])]
        if fits:
            yield min(fits, key=lambda fit: fit.value)


class _Loss:
    """The data of all fits."""

    def __init__(
        self, block: FloatArray, codes: IndexArray, weight: FloatArray, ridge: float
    ) -> None:
        self.block, self.codes = block, codes
        self.weight = weight / weight.mean()
        self.n_classes = int(codes.max()) + 1
        self.is_own: NDArray[np.bool_] = codes[:, None] == np.arange(self.n_classes)
        self.ridge = ridge * float(self.weight.sum())

    def rows(self, features: IndexArray) -> FloatArray:
        return np.column_stack([self.block[:, features], np.ones(len(self.block))])

    def value(self, Z: FloatArray, W: FloatArray) -> tuple[float, FloatArray]:
        """The loss, and the probabilities of the classes."""
        scores = Z @ W
        total = logsumexp(scores, axis=1, keepdims=True)
        own = scores[np.arange(len(scores)), self.codes]
        value = float(self.weight @ (total[:, 0] - own) + 0.5 * self.ridge * np.sum(W[:-1] ** 2))
        return value, np.exp(scores - total)

    def pull(self, probabilities: FloatArray) -> FloatArray:
        """What every sample adds to the gradient of the scores."""
        return self.weight[:, None] * (probabilities - self.is_own)

    def hessian(self, Z: FloatArray, probabilities: FloatArray) -> FloatArray:
        """One equation per class, feature and bias; the classes one after the other."""
        K, width = self.n_classes, Z.shape[1]
        matrix = np.empty((K * width, K * width))
        for one in range(K):
            for other in range(one + 1):
                curvature = probabilities[:, one] * ((one == other) - probabilities[:, other])
                part = Z.T @ (Z * (self.weight * curvature)[:, None])
                rows, columns = (
                    slice(one * width, (one + 1) * width),
                    slice(other * width, (other + 1) * width),
                )
                matrix[rows, columns] = part
                matrix[columns, rows] = part
        ridge = np.full(width, self.ridge)
        ridge[-1] = 1e-8 * self.ridge
        matrix[np.diag_indices(K * width)] += np.tile(ridge, K)
        # Equal biases for all classes change nothing: this only makes the matrix regular.
        biases = np.arange(K) * width + width - 1
        matrix[np.ix_(biases, biases)] += np.diagonal(matrix)[biases].mean()
        return matrix


@dataclass(frozen=True, eq=False)
class _Fit:
    """The minimum on some features, and around it; `W` has the biases in the last row."""

    loss: _Loss
    features: IndexArray
    W: FloatArray
    value: float
    probabilities: FloatArray
    factor: tuple[FloatArray, bool]

    @classmethod
    def start(cls, loss: _Loss, features: IndexArray, W: FloatArray | None = None) -> _Fit:
        """Newton's method, from other weights if there are any."""
        Z = loss.rows(features)
        W = np.zeros((Z.shape[1], loss.n_classes)) if W is None else W
        value, probabilities = loss.value(Z, W)
        for _ in range(_STEPS):
            gradient = Z.T @ loss.pull(probabilities)
            gradient[:-1] += loss.ridge * W[:-1]
            factor = cho_factor(loss.hessian(Z, probabilities), check_finite=False)
            flat = cho_solve(factor, gradient.T.ravel(), check_finite=False)
            direction = flat.reshape(loss.n_classes, -1).T
            gain = float(np.sum(gradient * direction))
            if gain < _SMALLEST_GAIN * value:
                break
            step = 1.0
            while True:
                reached, there = loss.value(Z, W - step * direction)
                if reached <= value - 1e-4 * step * gain or step < 1e-6:
                    break
                step /= 2.0
            W, value, probabilities = W - step * direction, reached, there
        return cls(loss, features, W, value, probabilities, factor)

    def without(self, place: int) -> _Fit:
        kept = np.delete(np.arange(len(self.features)), place)
        W = self.W[np.append(kept, len(self.features))]
        return _Fit.start(self.loss, self.features[kept], W)

    def with_one(self, feature: int) -> _Fit:
        W = np.insert(self.W, len(self.features), 0.0, axis=0)
        return _Fit.start(self.loss, np.append(self.features, feature), W)

    def losses(self) -> FloatArray:
        """How much the loss rises without each feature, as its curvature tells (Wald's test)."""
        K, width = self.loss.n_classes, len(self.features) + 1
        inverse = cho_solve(self.factor, np.eye(K * width), check_finite=False)
        blocks = inverse.reshape(K, width, K, width)
        return np.array(
            [
                0.5 * w @ np.linalg.solve(blocks[:, place, :, place], w)
                for place, w in enumerate(self.W[:-1])
            ]
        )

    def gains(self) -> FloatArray:
        """How much each candidate may lower the loss, from gradient and variance (a score test)."""
        loss = self.loss
        root = np.sqrt(loss.weight)[:, None]
        basis = np.linalg.qr(loss.rows(self.features) * root)[0]
        explained = np.sum((basis.T @ (loss.block * root)) ** 2, axis=0)
        variance = np.maximum(loss.weight @ loss.block**2 - explained, 1e-9) + loss.ridge
        gradient = loss.block.T @ loss.pull(self.probabilities)
        return np.asarray(np.sum(gradient**2, axis=1) / variance)


def draw_evenly(codes: IndexArray, enough: int) -> IndexArray:
    """All samples, or equally many of every class, evenly spaced, where there are too many."""
    if len(codes) <= enough:
        return np.arange(len(codes))
    counts = np.bincount(codes)
    share = _find_share(counts, enough)
    order, ends = np.argsort(codes, kind="stable"), np.cumsum(counts)
    parts = []
    for end, count in zip(ends, counts, strict=True):
        places = np.linspace(end - count, end - 1, min(share, count)).astype(np.intp)
        parts.append(order[np.unique(places)])
    return np.sort(np.concatenate(parts))


def _find_share(counts: IndexArray, enough: int) -> int:
    """How many samples of a class to take, so that all classes together give enough."""
    low, high = 1, int(counts.max())
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(counts, middle).sum() <= enough:
            low = middle
        else:
            high = middle - 1
    return low
