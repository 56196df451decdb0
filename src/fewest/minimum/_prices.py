"""What sets of features cost, in whole numbers: sums are compared as they are, without rounding.

A price is the decimal number that it is printed as, so 0.1 and 0.2 together cost as much as 0.3.
All prices are whole multiples of one unit, and what a search may spend is a number of units.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, gcd, inf, lcm, nextafter
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted

LOWEST, HIGHEST = 1e-150, 1e150  # sums, and prices divided by one another, stay within doubles
_EXACT = 2**53  # whole numbers below it, and their sums, are exact in doubles
_ROUNDING = 1e-12  # relative: more than what sums of thousands of prices are off


@dataclass(frozen=True, eq=False)
class Prices:
    """How many units each column costs; none where it is always in, or never.

    Python's own numbers where sums are too large for doubles. `floats` are what compiled loops add
    up: the units then, or else prices, whose sums have small relative errors. Each of the `groups`
    is paid once, by its most expensive member (-1: in no group).
    """

    unit: Fraction
    units: NDArray[Any]
    floats: FloatArray
    groups: IndexArray | None = None

    @classmethod
    def read(cls, rules: Rules) -> Prices:
        """The prices of features that may be selected."""
        selectable = ~rules.excluded & ~rules.included
        floats, places = np.unique(rules.price[selectable], return_inverse=True)
        exact = [Fraction(repr(price)) for price in floats.tolist()]
        denominator = lcm(*(price.denominator for price in exact))
        whole = [price.numerator * (denominator // price.denominator) for price in exact]
        common = gcd(*whole) or denominator
        units = np.zeros(len(rules.price), dtype=object)
        units[selectable] = np.array([one // common for one in whole], dtype=object)[places.ravel()]
        paid = np.where(selectable, rules.price, 0.0)
        if units.sum() < _EXACT:
            units, paid = units.astype(np.int64), units.astype(np.float64)
        groups = None if rules.one_per_group else rules.groups
        return cls(Fraction(common, denominator), units, paid, groups)

    @classmethod
    def equal(cls, n_features: int) -> Prices:
        """One unit for each feature."""
        return cls(Fraction(1), np.ones(n_features, dtype=np.int64), np.ones(n_features))

    @property
    def are_equal(self) -> bool:
        """Whether a set costs as many units as it has features besides those that are always in."""
        return self.groups is None and not np.any(self.units > 1)

    @cached_property
    def above_all(self) -> int:
        """More than any set costs."""
        return int(self.units.sum()) + 1

    def limit_floats(self, limit: int) -> float:
        """What sums of `floats` may be where sums of units may be up to `limit`, or a bit more."""
        return float(limit) if self.units.dtype != object else self.show(limit) * (1 + _ROUNDING)

    def total(self, columns: Any) -> int:
        """What a set costs, in units."""
        chosen = np.array(columns, dtype=np.intp)
        if self.groups is None:
            return int(self.units[chosen].sum())
        groups = self.groups[chosen]
        return int(self.units[chosen[groups < 0]].sum() + self.pay_groups(chosen).sum())

    def pay_groups(self, chosen: IndexArray) -> NDArray[Any]:
        """What a set pays for each group; the last entry is 0, for columns in no group."""
        assert self.groups is not None
        paid = np.zeros(int(self.groups.max()) + 2, dtype=self.units.dtype)
        np.maximum.at(paid, self.groups[chosen], self.units[chosen])
        paid[-1] = 0
        return paid

    def show(self, total: int) -> float:
        """The price that people see: the double nearest to so many units."""
        return float(total * self.unit)

    def show_bound(self, bound: int, price: int) -> float:
        """A bound that people see: below a price that is not proven to be the lowest."""
        shown, full = self.show(bound), self.show(price)
        return full if bound >= price else min(shown, nextafter(full, 0.0))

    def count(self, amount: float) -> int:
        """How many units an amount of money buys."""
        exact = Fraction(amount) if isinstance(amount, Integral) else Fraction(repr(float(amount)))
        return floor(exact / self.unit)

    def count_below(self, bound: float) -> int:
        """The most units that people see as a price below a bound; -1 where there are none."""
        if bound <= 0.0:
            return -1
        if bound == inf:
            return self.above_all
        midway = (Fraction(bound) + Fraction(nextafter(bound, 0.0))) / 2
        count = floor(midway / self.unit)
        return min(count if self.show(count) < bound else count - 1, self.above_all)


def check_prices(rules: Rules) -> None:
    """Refuse prices that cannot be added up together."""
    wrong = ~rules.excluded & ~rules.included
    wrong &= (rules.price < LOWEST) | (rules.price > HIGHEST)
    places = np.flatnonzero(wrong)
    if len(places):
        raise ValueError(
            f"feature_cost must be between {LOWEST:g} and {HIGHEST:g} for the certified minimum, "
            f"but that of {counted(len(places), 'feature')} is not: feature {places[0]} costs "
            f"{rules.price[places[0]]:g}. Put features that are not available into exclude"
        )
