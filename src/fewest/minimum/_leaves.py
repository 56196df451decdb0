"""One set of columns: a hyperplane that separates the classes, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import SolverError
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest.minimum._exact import (
    Integers,
    as_integers,
    decide,
    farkas_on_support,
    is_farkas,
    separates,
)

# Shares below this fraction of the largest are rounding of the simplex method.
ZERO_SHARE = 1e-9


@dataclass(frozen=True)
class Separation:
    """Columns and whole-number weights whose weighted sum separates the classes strictly."""

    columns: tuple[int, ...]
    weights: tuple[int, ...]

    def holds(self, X: FloatArray, y: FloatArray) -> bool:
        """Check it on the data, in whole numbers."""
        return separates(as_integers(X[:, self.columns]), y, self.weights)


@dataclass(frozen=True)
class RuledOut:
    """Columns that separate nothing, with a Farkas vector.

    Whole-number shares of some samples: their sums over both classes are equal, and so are the
    points to which they average either class.
    """

    columns: tuple[int, ...]
    samples: tuple[int, ...]
    shares: tuple[int, ...]

    def holds(self, X: FloatArray, y: FloatArray) -> bool:
        """Check it on the data, in whole numbers."""
        chosen = list(self.samples)
        block = as_integers(X[np.ix_(chosen, self.columns)])
        return is_farkas(block, y[chosen], self.shares)

    def bad_on(self, X: FloatArray, y: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For every column of X, whether it is bad on this vector with sign + and with sign -.

        What rounding leaves open is computed in whole numbers.
        """
        chosen = list(self.samples)
        signed = [
            share if y[i] > 0 else -share
            for share, i in zip(self.shares, self.samples, strict=True)
        ]
        largest = max(self.shares)
        v = np.array([share / largest for share in signed])
        rows = X[chosen]
        price = v @ rows
        doubt = (len(v) + 4) * np.finfo(float).eps * (np.abs(v) @ np.abs(rows))
        sign = np.sign(price)
        for column in np.flatnonzero(np.abs(price) <= doubt):
            whole = as_integers(rows[:, column])[0]
            total = sum(share * x for share, x in zip(signed, whole, strict=True))
            sign[column] = (total > 0) - (total < 0)
        return sign <= 0, sign >= 0


def settle(X: FloatArray, y: FloatArray, columns: Iterable[int]) -> Separation | RuledOut:
    """Decide by a linear program, and put the decision into whole numbers.

    Where the program's answer does not survive that (margins near zero, degenerate vertices), the
    simplex method runs again in fractions.
    """
    columns = tuple(sorted(int(column) for column in columns))
    values = X[:, columns]
    block = as_integers(values)
    answer = _from_program(values, block, y, columns)
    if answer is not None:
        return answer
    separable, proof = decide(block, y)
    return Separation(columns, tuple(proof)) if separable else _rule_out(columns, proof)


def _from_program(
    values: FloatArray, block: Integers, y: FloatArray, columns: tuple[int, ...]
) -> Separation | RuledOut | None:
    scaled = scale_columns(values)
    try:
        result = solve(unit_margin(y), scaled)
    except SolverError:
        return None
    if result.status is Status.INFEASIBLE:
        support = np.flatnonzero(result.alpha > ZERO_SHARE * result.alpha.max())
        shares = farkas_on_support(block, y, support.tolist())
        return None if shares is None else _rule_out(columns, shares)
    if not np.isfinite(result.objective):
        return None
    weights = np.zeros(len(columns))
    weights[result.features] = result.w * scaled.inverse_scale[result.features]
    whole = as_integers(weights)[0]
    return Separation(columns, tuple(whole)) if separates(block, y, whole) else None


def _rule_out(columns: tuple[int, ...], shares: list[int]) -> RuledOut:
    samples = tuple(i for i, share in enumerate(shares) if share)
    return RuledOut(columns, samples, tuple(shares[i] for i in samples))
