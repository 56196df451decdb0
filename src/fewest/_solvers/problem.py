"""The one linear program behind the whole family of methods.

    minimise    sum_j c_j |w_j|  +  sum_i C_i xi_i
    subject to  y_i (x_i . w + b) >= m - xi_i,    xi_i >= 0
                [ a . w + a0 b = s ]

The equality is always an average over samples, so it is stored as the sample vector `u`
it comes from: a = X^T u and a0 = sum(u). So the program needs no vector over features, and its
dual a single vector over samples, v = alpha * y + lambda * u, whose entries sum to zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray

# Smaller slack costs vanish in the solver's feasibility tolerance of 1e-9; with larger ones the
# features' share of the objective is lost in its last digits.
SMALLEST_SLACK_COST, LARGEST_SLACK_COST = 1e-8, 1e6

EQUALITY_FORMS = ("class_means", "mean_margin")


@dataclass(frozen=True, eq=False)
class Problem:
    """One member of the family; see the module docstring for the symbols.

    With `slack_cost=None` no sample may be on the wrong side (an infinite entry says the same of
    one sample); with `feature_cost=None` every feature costs one. `feature_sign` is 1 for features
    whose weight must not be negative, -1 for those where it must not be positive, 0 for others.
    """

    y: FloatArray
    margin: float
    equality: FloatArray | None = None
    rhs: float = 1.0
    slack_cost: FloatArray | None = None
    feature_cost: FloatArray | None = None
    feature_sign: NDArray[np.int8] | None = None

    def __post_init__(self) -> None:
        if not np.all(np.abs(self.y) == 1.0):
            raise ValueError("labels must be +1 or -1")
        if self.equality is None and self.margin <= 0:
            raise ValueError("without an equality the margin must be positive, or w = 0 solves it")
        if self.slack_cost is not None and not np.all(self.slack_cost > 0):
            raise ValueError("slack costs must be positive")
        if self.feature_cost is not None and not np.all(self.feature_cost > 0):
            raise ValueError("feature costs must be positive")

    @property
    def n_samples(self) -> int:
        return len(self.y)

    @property
    def bias_coefficient(self) -> float:
        """a0, what the bias contributes to the equality."""
        return 0.0 if self.equality is None else float(np.sum(self.equality))

    @property
    def mean_distance(self) -> float:
        """How far samples are from the hyperplane, on average, on their side of it.

        It is what the equality sets, or the margin where there is none. Slacks are compared with
        it: their unit depends on how the equality is written, and the answer must not.
        """
        if self.equality is None:
            return self.margin
        return abs(self.rhs) / float(np.abs(self.equality).sum())

    def slack_bounds(self) -> FloatArray:
        """Upper bounds of the dual variables alpha: the slack costs, infinite where hard."""
        if self.slack_cost is None:
            return np.full(self.n_samples, np.inf)
        return self.slack_cost

    def costs(self, features: NDArray[np.intp]) -> FloatArray:
        if self.feature_cost is None:
            return np.ones(len(features))
        return self.feature_cost[features]

    def sides(self, features: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Factors of the costs that limit the price of each feature from below and above.

        A weight that must not be negative is not worth having at any negative price.
        """
        ones = np.ones(len(features))
        if self.feature_sign is None:
            return -ones, ones
        sign = self.feature_sign[features]
        return np.where(sign > 0, -np.inf, -ones), np.where(sign < 0, np.inf, ones)

    def in_own_unit(self) -> tuple[Problem, float]:
        """The same program with every cost divided by a unit, and that unit.

        It is the smallest feature cost, as a power of two: changing units is exact then.
        """
        if self.feature_cost is None or not len(self.feature_cost):
            return self, 1.0
        unit = float(2.0 ** np.floor(np.log2(self.feature_cost.min())))
        slack_cost = None if self.slack_cost is None else self.slack_cost / unit
        return self.with_costs(self.feature_cost / unit, slack_cost), unit

    def with_rhs(self, rhs: float) -> Problem:
        return replace(self, rhs=rhs)

    def with_slack_cost(self, slack_cost: FloatArray | None) -> Problem:
        return replace(self, slack_cost=slack_cost)

    def with_costs(self, feature_cost: FloatArray, slack_cost: FloatArray | None) -> Problem:
        return replace(self, feature_cost=feature_cost, slack_cost=slack_cost)


def visible_slack_cost(cost: FloatArray) -> FloatArray:
    """The costs within the range that the solver can distinguish from zero and from infinity.

    Where they are too large, all shrink by one factor, and the classes keep their balance.
    """
    factor = min(1.0, LARGEST_SLACK_COST / float(cost.max()))
    return np.maximum(cost * factor, SMALLEST_SLACK_COST)


def class_mean_vector(y: FloatArray) -> FloatArray:
    """The vector whose price is the difference of the class means."""
    return np.where(y > 0, 1.0 / np.sum(y > 0), -1.0 / np.sum(y < 0))


def starting_direction(problem: Problem) -> FloatArray:
    """The dual vector to begin with: prices are differences of (weighted) class means."""
    return class_mean_vector(problem.y) if problem.equality is None else problem.equality


def support_feature_machine(
    y: FloatArray,
    *,
    form: str = "class_means",
    slack_cost: FloatArray | None = None,
    sample_weight: FloatArray | None = None,
) -> Problem:
    """Zero margin, and an equality that excludes w = 0.

    With `class_means` the distance of the projected class means is one (Klement, Anders & Martinetz
    2013); with `mean_margin` the mean of y_i (x_i . w + b) is one (Klement & Martinetz 2010).
    Weights turn both into weighted means.
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight / sample_weight.max()
    if form == "class_means":
        totals = np.where(y > 0, weight[y > 0].sum(), weight[y < 0].sum())
    elif form == "mean_margin":
        totals = weight.sum()
    else:
        raise ValueError(f"form must be one of {EQUALITY_FORMS}, not {form!r}")
    return Problem(y=y, margin=0.0, equality=y * weight / totals, slack_cost=slack_cost)


def unit_margin(y: FloatArray, *, slack_cost: FloatArray | None = None) -> Problem:
    """Margin one and no equality: Weston's first program (hard or soft) and Liknon (soft)."""
    return Problem(y=y, margin=1.0, slack_cost=slack_cost)
