"""A slow peer: the whole linear program, dense, in `scipy.optimize.linprog`.

Nothing here calls fewest. Columns are standardised with plain numpy, the equality is written from
the definition of each method, and solutions are judged by weak duality from X and y alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

_TOLERANCE = 1e-9
_LARGE_MEAN = 100.0  # standard deviations
_KNOWN = 1e-7
METHODS = ("class_means", "mean_margin", "unit_margin")


class UndecidedError(RuntimeError):
    """The peer solver does not know either."""


@dataclass(frozen=True, repr=False)
class Case:
    """Data and one member of the family. A slack cost of None, or infinite, is a hard sample.

    X may be sparse. `weight` turns the means of the equality into weighted ones. `sign` is 1 for
    features whose weight must not be negative, -1 where it must not be positive.
    """

    X: np.ndarray
    y: np.ndarray
    method: str = "class_means"
    rhs: float = 1.0
    slack_cost: np.ndarray | None = None
    feature_cost: np.ndarray | None = None
    weight: np.ndarray | None = None
    sign: np.ndarray | None = None

    def __repr__(self) -> str:  # hypothesis prints failing cases
        optional = ("slack_cost", "feature_cost", "weight", "sign")
        costs = [name for name in optional if getattr(self, name) is not None]
        return f"Case({self.shape}, {self.method}, rhs={self.rhs}, {costs})"

    def replace(self, **changes) -> Case:
        return replace(self, **changes)

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    @property
    def margin(self) -> float:
        return 1.0 if self.method == "unit_margin" else 0.0

    @property
    def C(self) -> np.ndarray:
        return np.full(len(self.y), np.inf) if self.slack_cost is None else self.slack_cost

    @property
    def c(self) -> np.ndarray:
        return np.ones(self.X.shape[1]) if self.feature_cost is None else self.feature_cost

    @property
    def signs(self) -> np.ndarray:
        return np.zeros(self.X.shape[1]) if self.sign is None else self.sign

    @property
    def u(self) -> np.ndarray | None:
        """The sample weights of the equality, written from the definition of the method."""
        weight = np.ones(len(self.y)) if self.weight is None else self.weight
        if self.method == "class_means":
            plus = self.y > 0
            return np.where(plus, weight / weight[plus].sum(), -weight / weight[~plus].sum())
        if self.method == "mean_margin":
            return self.y * weight / weight.sum()
        return None


def standardise(X) -> np.ndarray:
    """(X - mean) / standard deviation in float64; a constant column becomes zero.

    So does one whose standard deviation is within the rounding of its mean, a sum of n numbers.
    """
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    centred = X - X[0]  # exact for equal values, whatever their size
    centred = centred - centred.mean(axis=0)
    scale = centred.std(axis=0)
    rounding = len(X) * np.finfo(float).eps * np.abs(X.mean(axis=0))
    constant = (np.ptp(X, axis=0) == 0.0) | (scale <= rounding)
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, scale))


def column_rounding(X) -> float:
    """How far a standardised column may be off because its mean and its unit are rounded.

    A variance comes from a sum of squares unless the mean is so large that more than four digits
    are lost; its last digits only change the unit in which the column is measured.
    """
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    varies = standardise(X).any(axis=0)
    centred = X[:, varies] - X[0, varies]
    offset = np.abs(X[:, varies].mean(axis=0)) / (centred - centred.mean(axis=0)).std(axis=0)
    unit = np.where(offset < _LARGE_MEAN, np.square(offset), 0.0)
    return float(np.finfo(float).eps * (offset + unit).max(initial=0.0))


def are_known(X) -> bool:
    """Whether two solvers see the same columns, or means so large that each rounds its own."""
    return column_rounding(X) < _KNOWN


@dataclass(frozen=True)
class Optimum:
    """What the peer finds; infinite if it finds the program infeasible.

    `uncertainty` is by how much the value changes if constraints are violated by the peer's own
    tolerance: where multipliers are huge, its last digits decide.
    """

    value: float
    uncertainty: float = 0.0

    @property
    def is_certain(self) -> bool:
        return self.uncertainty <= 1e-6 * max(1.0, abs(self.value))


def full_objective(case: Case, Z: np.ndarray | None = None) -> float:
    """Optimal value of the full program over (w+, w-, b, xi); infinite when infeasible."""
    return full_optimum(case, Z).value


def full_optimum(case: Case, Z: np.ndarray | None = None) -> Optimum:
    Z = standardise(case.X) if Z is None else Z
    n = len(Z)
    hard = np.isinf(case.C)
    signed = case.y[:, None] * Z
    at_least = sparse.hstack([signed, -signed, case.y[:, None], sparse.eye_array(n)], "csc")
    cost = np.concatenate([case.c, case.c, [0.0], np.where(hard, 0.0, case.C)])
    equality, rhs = None, None
    if case.u is not None:
        a = case.u @ Z
        equality = np.concatenate([a, -a, [case.u.sum()], np.zeros(n)])[None]
        rhs = [case.rhs]
    bounds = [(0, 0 if sign < 0 else None) for sign in case.signs]
    bounds += [(0, 0 if sign > 0 else None) for sign in case.signs]
    bounds += [(None, None)] + [(0, 0 if h else None) for h in hard]
    return ask_peer(
        cost,
        A_ub=-at_least,
        b_ub=np.full(n, -case.margin),
        A_eq=equality,
        b_eq=rhs,
        bounds=bounds,
    )


def ask_peer(cost: np.ndarray, **program: Any) -> Optimum:
    """The optimum of a program by linprog; UndecidedError if it does not find out."""
    for method in ("highs", "highs-ipm"):  # the second where the simplex does not find out
        answer = linprog(
            cost,
            method=method,
            options=dict.fromkeys(
                ("primal_feasibility_tolerance", "dual_feasibility_tolerance"), _TOLERANCE
            ),
            **program,
        )
        if answer.status == 2:
            return Optimum(np.inf)
        if answer.status == 0:
            multipliers = np.append(answer.ineqlin.marginals, answer.eqlin.marginals)
            return Optimum(float(answer.fun), _TOLERANCE * float(np.abs(multipliers).sum()))
    raise UndecidedError(answer.message)


@dataclass(frozen=True)
class Primal:
    """What (w, b) costs when every sample buys the slack it needs."""

    objective: float
    slack: np.ndarray
    violation: float


def primal_value(case: Case, Z: np.ndarray, result) -> Primal:
    """Objective, slacks and the worst violated hard constraint of (w, b)."""
    w = np.zeros(Z.shape[1])
    w[result.features] = result.w
    shortfall = np.maximum(0.0, case.margin - case.y * (Z @ w + result.b))
    hard = np.isinf(case.C)
    violation = shortfall[hard].max(initial=0.0)
    if case.u is not None:
        violation = max(violation, abs(case.u @ (Z @ w + result.b) - case.rhs))
    slack = np.where(hard, 0.0, shortfall)
    paid = case.C[~hard] @ slack[~hard]
    return Primal(float(case.c @ np.abs(w) + paid), slack, float(violation))


@dataclass(frozen=True)
class Dual:
    """What alpha and lambda prove, before any repair."""

    value: float
    imbalance: float
    ratio: float
    v: np.ndarray

    @property
    def bound(self) -> float:
        """Shrunk until every |x_j . v| <= c_j, which only lowers what is proven."""
        return self.value / max(1.0, self.ratio)


def exact_bound(case: Case, Z: np.ndarray, result) -> float:
    """What the multipliers prove about the program on Z, in fractions: huge ones round nothing off.

    What is left of them where they should cancel out counts with the bias that was found.
    """
    alpha = [Fraction(float(value)) for value in result.alpha]
    multiplier = Fraction(float(result.multiplier))
    v = [Fraction(int(sign)) * value for sign, value in zip(case.y, alpha, strict=True)]
    value = Fraction(case.margin) * sum(alpha)
    if case.u is not None:
        v = [one + multiplier * Fraction(float(u)) for one, u in zip(v, case.u, strict=True)]
        value += multiplier * Fraction(case.rhs)
    ratio = Fraction(1)
    for column, price, sign in zip(Z.T, case.c, case.signs, strict=True):
        pull = sum(one * Fraction(float(z)) for one, z in zip(v, column, strict=True))
        ratio = max(ratio, (abs(pull) if sign == 0 else int(sign) * pull) / Fraction(float(price)))
    return float((value - abs(sum(v)) * Fraction(abs(float(result.b)))) / ratio)


def dual_value(case: Case, Z: np.ndarray, result) -> Dual:
    """Value of the dual point, and how far it is from feasible."""
    assert np.all(result.alpha >= 0.0)
    assert np.all(result.alpha <= case.C)
    v, value = result.alpha * case.y, case.margin * result.alpha.sum()
    if case.u is None:
        assert result.multiplier == 0.0
    else:
        v = v + result.multiplier * case.u
        value += case.rhs * result.multiplier
    size = result.alpha.sum() + abs(result.multiplier)  # v itself may cancel to nothing
    imbalance = abs(v.sum()) / max(size, np.finfo(float).tiny)
    ratio = usable_prices(case, v @ Z / case.c).max(initial=0.0)
    return Dual(float(value), float(imbalance), float(ratio), v)


def usable_prices(case: Case, prices: np.ndarray) -> np.ndarray:
    """How much a weight would gain per unit, in the better one of the directions it may take."""
    up, down = np.where(case.signs < 0, 0.0, prices), np.where(case.signs > 0, 0.0, -prices)
    return np.maximum(up, down)
