"""k features whose least squares with a ridge fit the classes best.

    minimise  |Y - X_S W|^2 + r k |W|^2    over sets S of k standardised columns, and W

with a column of Y per class: its centred indicator, divided by the root of the class's share. For
k = 1 that is the largest F (or t) statistic. Without the ridge it would be the largest canonical
correlation, which follows the noise of few samples; with an infinite one, the k largest F
statistics, which all say the same. In between, weights are shrunk as if k features together
explained a part of the classes that does not depend on k. What part that is says the best single
feature: r grows with its noise per signal, once the part is taken off that the best of so many
columns of noise would explain.

Features join one after the other, those that help most; then features are exchanged while that
helps. All that is needed are rows of the Gram matrix X'X, one pass over X for every feature that
ever joins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import betaincinv

from fewest._solvers.columns import Columns
from fewest._solvers.joint.smooth import Rivalry
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# The ridge per feature where signal and noise are equal (docs/methods/panel_sizes.md), and the
# shares of signal between which the estimate is trusted.
_RIDGE, _LEAST_SIGNAL, _MOST_SIGNAL = 10.0, 0.05, 0.95
# Exchanges: how many features may go, those missed least, how much better the fit must become, and
# the most exchanges.
_MAY_GO, _WORTH_IT, _EXCHANGES = 5, 1e-9, 30
# Most values of the Gram matrix that are kept.
_KEPT_VALUES = 1 << 25
# Columns that are other columns' sums up to rounding add nothing.
_NOTHING = 1e-9
_NONE: IndexArray = np.empty(0, dtype=np.intp)


class PanelChooser:
    """Chooses panels of several sizes from the same columns; what they share is computed once.

    `class_cost` says what the classes count: equal values for equal classes. Columns with an
    inverse scale of zero are never chosen, unless they are always in.
    """

    def __init__(
        self,
        columns: Columns,
        codes: IndexArray,
        *,
        weight: FloatArray | None = None,
        class_cost: FloatArray | None = None,
    ) -> None:
        self._columns = columns
        self._weight = np.ones(len(codes)) if weight is None else weight / weight.mean()
        targets, scale = _encode(codes, self._weight, class_cost)
        self._products = columns.price_all(self._weight[:, None] * targets) * scale
        self._means = columns.price(self._weight) / len(codes)
        self._norms = self._measure_norms()
        self._usable = columns.inverse_scale != 0.0
        self._rows: dict[int, FloatArray] = {}
        self.ridge = self._find_ridge(self._products / scale)

    def choose(
        self, size: int, always: IndexArray = _NONE, *, rivalry: Rivalry | None = None
    ) -> IndexArray:
        """So many features, in ascending order, or all that may be in if these are fewer.

        Where prices differ, the feature that helps most for its price joins.
        """
        rivalry = Rivalry(np.ones(self._columns.n_features)) if rivalry is None else rivalry
        price = np.where(rivalry.price > 0.0, rivalry.price, 1.0)
        fit = _Fit.start(self, always, self.ridge * size)
        while len(fit.features) < size:
            gains = fit.gains() / price
            if rivalry.groups is not None:
                used = rivalry.groups[fit.features]
                gains[np.isin(rivalry.groups, used[used >= 0])] = -np.inf
            new = int(np.argmax(gains))
            if not np.isfinite(gains[new]):
                break
            fit = fit.with_one(new)
        for _ in range(_EXCHANGES):
            better = fit.exchange_one(always, rivalry)
            if better is None or current_watch().is_over:
                break
            fit = better
        return np.sort(fit.features)

    def row(self, feature: int) -> FloatArray:
        """The products of a column with all columns, centred."""
        if feature not in self._rows:
            while self._rows and len(self._rows) * self._columns.n_features > _KEPT_VALUES:
                del self._rows[next(iter(self._rows))]
            column = self._columns.take(np.array([feature]))[:, 0] - self._means[feature]
            self._rows[feature] = self._columns.price(self._weight * column)
        return self._rows[feature]

    def _find_ridge(self, products: FloatArray) -> float:
        """Noise per signal of the best column; the best of as many columns of noise has no signal.

        The part of a column of noise that the classes explain is beta distributed.
        """
        n_samples, n_classes = len(self._weight), products.shape[1]
        norms = np.where(self._usable, self._norms, np.inf)
        explained = np.einsum("ij,ij->i", products, products) / (n_samples * norms)
        freedom = 0.5 * (n_classes - 1), 0.5 * max(n_samples - n_classes, 1)
        by_chance = betaincinv(*freedom, 0.5 ** (1.0 / max(self._usable.sum(), 1)))
        signal = (explained.max(initial=0.0) - by_chance) / max(1.0 - by_chance, _NOTHING)
        signal = float(np.clip(signal, _LEAST_SIGNAL, _MOST_SIGNAL))
        return _RIDGE * (1.0 - signal) / signal

    def _measure_norms(self) -> FloatArray:
        """Sum of squares of every centred column."""
        norms = np.empty(self._columns.n_features)
        for index, block in self._columns.blocks():
            norms[index] = self._weight @ (block - self._means[index]) ** 2
        return norms


@dataclass(frozen=True, eq=False)
class _Fit:
    """The weights `W` on some features, and how much of the classes they fit (`value`)."""

    chooser: PanelChooser
    features: IndexArray
    ridge: float
    gram: FloatArray  # a row per feature, a column per column of X
    factor: tuple[FloatArray, bool]
    W: FloatArray
    value: float

    @classmethod
    def start(cls, chooser: PanelChooser, features: IndexArray, ridge: float) -> _Fit:
        gram = np.array([chooser.row(int(j)) for j in features])
        gram = gram.reshape(len(features), len(chooser._norms))
        matrix = gram[:, features] + ridge * np.eye(len(features))
        factor = cho_factor(matrix, lower=True, check_finite=False)
        products = chooser._products[features]
        W = cho_solve(factor, products, check_finite=False)
        return cls(chooser, features, ridge, gram, factor, W, float(np.sum(W * products)))

    def gains(self) -> FloatArray:
        """How much better the fit becomes with each column; minus infinity for those in use."""
        chooser = self.chooser
        rest = chooser._products - self.gram.T @ self.W
        explained = 0.0
        if len(self.features):
            half = solve_triangular(self.factor[0], self.gram, lower=True, check_finite=False)
            explained = np.einsum("ij,ij->j", half, half)
        unexplained = np.maximum(chooser._norms - explained, _NOTHING * chooser._norms)
        gains = np.einsum("ij,ij->i", rest, rest) / (unexplained + self.ridge)
        gains[~chooser._usable] = -np.inf
        gains[self.features] = -np.inf
        return np.asarray(gains)

    def losses(self) -> FloatArray:
        """How much worse the fit becomes without each feature."""
        inverse = cho_solve(self.factor, np.eye(len(self.features)), check_finite=False)
        return np.asarray(np.einsum("ij,ij->i", self.W, self.W) / np.diagonal(inverse))

    def with_one(self, feature: int) -> _Fit:
        return _Fit.start(self.chooser, np.append(self.features, feature), self.ridge)

    def exchange_one(self, always: IndexArray, rivalry: Rivalry) -> _Fit | None:
        """A better fit with one feature exchanged, those that are missed least first."""
        losses = self.losses()
        kept = np.isin(self.features, always)
        losses[kept] = np.inf
        losses[~kept] /= rivalry.price[self.features[~kept]]
        for place in np.argsort(losses, kind="stable")[:_MAY_GO]:
            if not np.isfinite(losses[place]):
                break
            rest = _Fit.start(self.chooser, np.delete(self.features, place), self.ridge)
            gains = rest.gains()
            gains[~rivalry.may_replace(rest.features, int(self.features[place]))] = -np.inf
            new = int(np.argmax(gains))
            if rest.value + gains[new] > self.value * (1.0 + _WORTH_IT):
                return rest.with_one(new)
        return None


def _encode(
    codes: IndexArray, weight: FloatArray, class_cost: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """The centred indicator of every class by the root of its share, and the root of its cost."""
    indicator = (codes[:, None] == np.arange(int(codes.max()) + 1)).astype(np.float64)
    shares = weight @ indicator / len(codes)
    cost = np.ones(len(shares)) if class_cost is None else class_cost / class_cost.mean()
    return (indicator - shares) / np.sqrt(shares), np.sqrt(cost)
