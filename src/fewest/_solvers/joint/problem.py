"""The linear program for many classes, in which a feature is paid once.

    minimise    sum_j c_j (max_k w_jk - min_k w_jk)  +  sum_i sum_(k != y_i) C_i xi_ik
    subject to  (w_(y_i) - w_k) . x_i + b_(y_i) - b_k >= m - xi_ik,    xi_ik >= 0
                [ (w_k - w_l) . (mu_k - mu_l) >= 1  for every pair of classes ]

Every sample has a margin to each rival class. A feature costs as much as the largest difference of
its weights; shifted so that the smallest is minus the largest, that is 2 max_k |w_jk|.
With m = 0, the means of every two classes must be apart; without these constraints, W = 0 would do.
The dual has a variable per sample and rival, and one per pair of classes:

    maximise    m sum_ik alpha_ik  +  sum_kl lambda_kl
    subject to  0 <= alpha_ik <= C_i,   lambda_kl >= 0,   sum_i v_ik = 0 for every class,
                sum_k |x_j . v_k| <= 2 c_j for every feature,

where v_ik = -alpha_ik for rivals, v_(i, y_i) = sum_k alpha_ik, and lambda_kl adds its multiple of
the vector whose price is mu_k - mu_l to v_k and subtracts it from v_l. Two classes have the program
of Liknon and Weston (m = 1) or that of the Support Feature Machine (m = 0), with w = w_1 - w_0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class JointProblem:
    """See the module docstring; `codes` are the classes 0, 1, ... of the samples.

    The margin is 1, or 0 with `means_apart`. With `slack_cost=None` no sample may be on the wrong
    side. `sample_weight` counts in the means of the classes.
    """

    codes: IndexArray
    slack_cost: FloatArray | None
    feature_cost: FloatArray | None = None
    means_apart: bool = False
    sample_weight: FloatArray | None = None

    def __post_init__(self) -> None:
        if len(np.unique(self.codes)) != self.n_classes or self.n_classes < 2:
            raise ValueError("every class needs a sample, and there must be two classes or more")
        if self.slack_cost is not None and not np.all(self.slack_cost > 0):
            raise ValueError("slack costs must be positive")

    @property
    def n_samples(self) -> int:
        return len(self.codes)

    @property
    def margin(self) -> float:
        return 0.0 if self.means_apart else 1.0

    @property
    def mean_distance(self) -> float:
        """How far samples are from the middle between two classes, on average; slacks' unit."""
        return 0.5 if self.means_apart else 1.0

    @cached_property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    @cached_property
    def is_own(self) -> NDArray[np.bool_]:
        """Which class of a sample is its own, and no rival."""
        return np.arange(self.n_classes) == self.codes[:, None]

    @cached_property
    def pairs(self) -> tuple[IndexArray, IndexArray]:
        """First and second class of every pair whose means must be apart."""
        if not self.means_apart:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        first, second = np.triu_indices(self.n_classes, 1)
        return first, second

    @cached_property
    def mean_vectors(self) -> FloatArray:
        """Vectors whose prices are the means of the classes, one column per class."""
        weight = np.ones(self.n_samples) if self.sample_weight is None else self.sample_weight
        vectors = np.where(self.is_own, weight[:, None], 0.0)
        return vectors / vectors.sum(axis=0)

    @property
    def bounds(self) -> FloatArray:
        """Upper bounds of alpha."""
        return np.full(self.n_samples, np.inf) if self.slack_cost is None else self.slack_cost

    def costs(self, features: IndexArray) -> FloatArray:
        if self.feature_cost is None:
            return np.ones(len(features))
        return self.feature_cost[features]

    def with_costs(
        self, feature_cost: FloatArray | None, slack_cost: FloatArray | None
    ) -> JointProblem:
        return replace(self, feature_cost=feature_cost, slack_cost=slack_cost)

    def margins(self, scores: FloatArray) -> FloatArray:
        """How far the own class of a sample is ahead of every rival; zero for itself."""
        own = np.take_along_axis(scores, self.codes[:, None], axis=1)
        return own - scores

    def slacks(self, scores: FloatArray) -> FloatArray:
        """What the margins to the rivals lack."""
        return np.where(self.is_own, 0.0, np.maximum(0.0, self.margin - self.margins(scores)))

    def dual_vectors(self, alpha: FloatArray, apart: FloatArray) -> FloatArray:
        """v, one column per class; alpha is zero for the own class, `apart` is lambda."""
        v = -alpha
        v[np.arange(self.n_samples), self.codes] = alpha.sum(axis=1)
        first, second = self.pairs
        for k, other, size in zip(first, second, apart, strict=True):
            difference = size * (self.mean_vectors[:, k] - self.mean_vectors[:, other])
            v[:, k] += difference
            v[:, other] -= difference
        return v
