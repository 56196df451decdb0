"""What the search under rules about features returns, and its check without a solver."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted
from fewest.minimum._claims import (
    find_idle,
    margins_are_right,
    names_inseparable,
    proofs_hold,
)
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins
from fewest.minimum._errors_check import (
    Claim,
    few_are_wrong,
    impossibility_holds,
    nothing_within,
)
from fewest.minimum._group_search import GroupSearch, make_search
from fewest.minimum._leaves import Separation
from fewest.minimum._prices import HIGHEST, LOWEST, Prices
from fewest.minimum._result import MinimumResult, UnprovenError
from fewest.minimum._ruled_search import RuledSearch, describe_candidates, make_bits
from fewest.minimum._threads import limit_threads


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RuledMinimum(MinimumResult):
    """The smallest separating sets that follow rules; see `minimum_features`.

    It has all attributes of `MinimumResult`. Subsets have the included features, which `size` and
    `lower_bound` do not count. Where features differ in price, `certified` and `complete` are about
    prices, and `lower_bound` says next to nothing: see `price_bound`.

    Sets of one price may differ in size: `size` is that of the first.

    Attributes
    ----------
    price : float or None
        What the best known set costs; None if there is no set.
    price_bound : float
        Proven: no set that follows the rules and separates all classes costs less. Infinite if
        there is none.
    rules : Rules
        The rules, as they were read.
    """

    price: float | None
    price_bound: float
    rules: Rules = field(repr=False)

    def _headline(self) -> str:
        if self.price is None or not self.has_prices:
            return super()._headline()
        price = f"price {self.price:g}, {counted(int(self.size or 0), 'feature')}"
        if self.certified:
            return f"{price}; proven to be the cheapest"
        return f"{price}; proven: at least {self.price_bound:g}"

    @property
    def has_prices(self) -> bool:
        """Whether `price` is anything but the number of features: they, or groups, differ."""
        return not self._prices.are_equal or self._prices.unit != 1

    @cached_property
    def _prices(self) -> Prices:
        return Prices.read(self.rules)

    def _limit_below(self) -> int:
        """Up to how many units the result says that there is no set, or none but its own."""
        if self.certified and len(self.subsets):
            return self._prices.total(self.subsets[0]) - 1
        return self._prices.count_below(self.price_bound)

    def _is_counted_again(self, *, search: bool) -> bool:
        """Sets of one price are not counted again."""
        return False

    def _proofs_hold(
        self, X: FloatArray, classes: NDArray[Any], codes: IndexArray, *, search: bool
    ) -> bool:
        """Besides, sets follow the rules, and weights have the signs that they must have."""
        rules = self.rules
        if not are_sound(rules, self.n_features, paid_once=not self.max_errors):
            return False
        signs = rules.weight_signs
        if not proofs_hold([*self.separations, *self.ruled_out], X, codes, signs):
            return False
        everything = tuple(np.flatnonzero(~rules.excluded).tolist())
        if (
            not names_inseparable(self, everything, classes, codes)
            or not impossibility_holds(self, everything, len(codes))
            or not few_are_wrong(self)
            or not margins_are_right(X, codes, self.margins, self.separations, signs)
            or not _is_consistent(self, rules)
        ):
            return False
        if not search or len(self.inseparable):
            return True
        with limit_threads(1):
            return _finds_nothing_below(self, rules, X, codes)


def as_ruled(found: MinimumResult, rules: Rules, prices: Prices, bound: int) -> RuledMinimum:
    """A result with its price, and the bound that is proven of it, in units."""
    known = {one.name: getattr(found, one.name) for one in fields(MinimumResult)}
    price, shown = None, prices.show(bound)
    if not prices.are_equal:
        known["lower_bound"] = int(bound > 0)
    if found.subsets:
        total = prices.total(found.subsets[0])
        price, shown = prices.show(total), prices.show_bound(bound, total)
        known["size"] = len(found.subsets[0]) - rules.n_included
    elif found.certified:
        known["lower_bound"], shown = found.n_features + 1, np.inf
    return RuledMinimum(**known, price=price, price_bound=shown, rules=rules)


def _is_consistent(result: RuledMinimum, rules: Rules) -> bool:
    """Whether size, price and bounds are those of sets that follow the rules."""
    prices, bound = result._prices, result.price_bound
    if result.size is None and result.certified:
        # Without a proof for all features there is only the repeated search.
        is_known = len(result.inseparable) > 0 or rules.one_per_group
        return is_known and result.price is None and bound == np.inf
    if prices.are_equal and bound != prices.show(result.lower_bound):
        return False
    if not prices.are_equal and result.lower_bound != int(bound > 0):
        return False
    if result.size is None:
        return result.price is None and 0 <= bound <= prices.show(prices.above_all)
    sets = [np.array(one.columns, dtype=np.intp) for one in result.separations]
    price = prices.total(sets[0])
    return (
        result.price == prices.show(price)
        and result.certified == (bound == result.price)
        and 0 <= bound <= result.price
        and result.size == len(sets[0]) - rules.n_included
        and all(follows(rules, one) and prices.total(one) == price for one in sets)
        and not any(_costs_less(one, result) for one in result.separations)
    )


def _costs_less(one: Separation, result: RuledMinimum) -> bool:
    """Whether a set separates without some of its columns, and that is said to be impossible."""
    idle = [column for column in find_idle(one) if not result.rules.included[column]]
    rest = np.setdiff1d(one.columns, idle)
    return bool(idle) and result._prices.total(rest) <= result._limit_below()


def are_sound(rules: Rules, n_features: int, *, paid_once: bool = False) -> bool:
    """Whether these are rules that a search keeps, about so many features.

    `paid_once`: it may have groups that are paid once.
    """
    columns = [rules.price, rules.included, rules.excluded, rules.groups, rules.signs]
    if any(one is not None and np.shape(one) != (n_features,) for one in columns):
        return False
    priced = ~rules.included & ~rules.excluded
    return bool(
        not (rules.included & rules.excluded).any()
        and not rules.price[rules.included].any()
        and np.all((rules.price[priced] >= LOWEST) & (rules.price[priced] <= HIGHEST))
        and (not rules.one_per_group if rules.groups is None else rules.one_per_group or paid_once)
        and (rules.groups is None or np.all(rules.groups >= -1))
        and (rules.signs is None or np.isin(rules.signs, [-1, 0, 1]).all())
    )


def follows(rules: Rules, columns: IndexArray) -> bool:
    """Whether a set has all that is always in, nothing that stays out, and no two of a group."""
    return bool(
        not rules.excluded[columns].any()
        and np.isin(np.flatnonzero(rules.included), columns).all()
        and not len(rules.find_crowded(columns, np.ones(len(columns))))
    )


class _WithoutSolver(RuledSearch):
    """What passes all rows of a pair of classes counts as separating it; nothing may pass all."""

    def separates(self, columns: tuple[int, ...], pair: int) -> bool:
        if not self.may_separate(columns, [pair]):
            return False
        # Very many columns are not tested against the rows: they need a proof of their own.
        labels, wanted = self.bits.pairs[pair].labels, set(columns)
        return not any(
            wanted.issubset(leaf.columns) and leaf.classes(self.y) == labels
            for leaf in self.ruled_out
        )

    def _report(self, columns: tuple[int, ...], missing: int) -> bool:
        raise UnprovenError(columns)


class _GroupsWithoutSolver(_WithoutSolver, GroupSearch):
    """The same for groups that are paid once."""


def _finds_nothing_below(result: RuledMinimum, rules: Rules, X: FloatArray, y: IndexArray) -> bool:
    """Whether a second search finds no set below the bound."""
    prices, limit = result._prices, result._limit_below()
    if limit < 0:
        return True
    if result.max_errors:
        n_free = int(np.sum(~rules.excluded & ~rules.included))
        claims = [Claim(size, result.max_errors, limit) for size in range(n_free + 1)]
        return nothing_within(X, y, rules, claims, result.ruled_out)
    bits = make_bits(X, y, rules, Twins(X, describe_candidates(rules), rules.weight_signs))
    kind = _WithoutSolver if prices.groups is None else _GroupsWithoutSolver
    known = list(result.ruled_out)
    cover = make_search(X, y, bits, rules, prices=prices, known=known, kind=kind)
    try:
        return cover.find_within(limit, Clock(), bool)
    except UnprovenError:
        return False
