"""What the search under rules about features returns, and its check without a solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted
from fewest.minimum._claims import (
    find_idle,
    margins_are_right,
    numbers_agree,
    sets_are_proven,
)
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins
from fewest.minimum._errors_check import (
    Claim,
    impossibility_holds,
    nothing_within,
    proofs_hold,
    sets_hold,
)
from fewest.minimum._group_search import GroupSearch, make_search
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._result import MinimumResult, UnprovenError, is_about
from fewest.minimum._ruled_search import (
    RuledSearch,
    count_prices,
    describe_candidates,
    find_highest_price,
    find_tolerance,
    find_unit,
    make_bits,
)
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
        return find_unit(self.rules) != 1.0

    def _check(
        self, X: FloatArray, classes: NDArray[Any], codes: IndexArray, *, search: bool
    ) -> tuple[bool, bool]:
        """Besides, sets follow the rules, and weights have the signs that they must have.

        Sets of one price are not counted again.
        """
        if X.shape[1] != self.n_features:
            return False, False
        return self._proofs_hold(X, classes, codes, search=search), False

    def _proofs_hold(
        self, X: FloatArray, classes: NDArray[Any], codes: IndexArray, *, search: bool
    ) -> bool:
        rules = self.rules
        if not numbers_agree(self) or not sets_are_proven(self.subsets, self.separations):
            return False
        if self.max_errors:
            return _holds_with_errors(self, rules, X, codes, search=search)
        if any(one.wrong for one in self.separations):
            return False
        proofs: list[Separation | RuledOut] = [*self.separations, *self.ruled_out]
        if not all(
            is_about(proof, X) and proof.holds(X, codes, rules.weight_signs) for proof in proofs
        ):
            return False
        if not margins_are_right(X, codes, self.margins, self.separations, rules.weight_signs):
            return False
        everything = tuple(np.flatnonzero(~rules.excluded).tolist())
        proven = {leaf.classes(codes) for leaf in self.ruled_out if leaf.columns == everything}
        claimed = [tuple(pair) for pair in self.inseparable.tolist()]
        if not {tuple(classes[list(pair)].tolist()) for pair in proven}.issuperset(claimed):
            return False
        consistent = _is_consistent(self, rules, bool(claimed))
        if not consistent or not search or claimed:
            return consistent
        with limit_threads(1):
            return _finds_nothing_below(self, rules, X, codes)


def _holds_with_errors(
    result: RuledMinimum, rules: Rules, X: FloatArray, y: IndexArray, *, search: bool
) -> bool:
    """The same where some samples may be wrong."""
    if not proofs_hold([*result.separations, *result.ruled_out], X, y, rules.weight_signs):
        return False
    if not margins_are_right(X, y, result.margins, result.separations, rules.weight_signs):
        return False
    everything = tuple(np.flatnonzero(~rules.excluded).tolist())
    if not impossibility_holds(result, everything, len(y)):
        return False
    is_impossible = len(result.inseparable) > 0
    consistent = _is_consistent(result, rules, is_impossible) and (
        result.size is None or sets_hold(result, rules.n_included)
    )
    if not consistent or not search or is_impossible:
        return consistent
    unit, n_free = find_unit(rules), X.shape[1] - int((rules.excluded | rules.included).sum())
    if unit is None:
        limit = min(result.price_bound, find_highest_price(rules))
        limit -= find_tolerance(rules, limit)
        claims = [Claim(size, result.max_errors, limit) for size in range(n_free + 1)]
    else:
        sizes = range(min(result.lower_bound, n_free + 1))
        claims = [Claim(size, result.max_errors) for size in sizes]
    with limit_threads(1):
        return nothing_within(X, y, rules, claims, result.ruled_out)


def _is_consistent(result: RuledMinimum, rules: Rules, is_impossible: bool) -> bool:
    """Whether size, price and bounds are those of sets that follow the rules."""
    if result.size is None:
        # Without a proof for all features there is only the repeated search.
        return (
            result.certified == np.isinf(result.price_bound)
            and result.price is None
            and (is_impossible or not result.certified or rules.one_per_group)
        )
    if result.price is None or is_impossible:
        return False
    close = find_tolerance(rules, result.price)
    sets = [np.array(one.columns, dtype=np.intp) for one in result.separations]
    return (
        len(sets) == len(result.subsets) > 0
        and result.certified == (result.price <= result.price_bound + close)
        and result.size == len(sets[0]) - rules.n_included
        and all(follows(rules, one) for one in sets)
        and not any(_costs_less(rules, one, result, close) for one in result.separations)
        and all(abs(rules.terms.total(one) - result.price) <= close for one in sets)
    )


def _costs_less(rules: Rules, one: Separation, result: RuledMinimum, close: float) -> bool:
    """Whether a set separates without some of its columns, and that is said to be impossible."""
    idle = [column for column in find_idle(one) if not rules.included[column]]
    rest = np.setdiff1d(one.columns, idle).astype(np.intp)
    return bool(idle) and bool(rules.terms.total(rest) < result.price_bound - close)


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
    unit = find_unit(rules)
    price = count_prices(rules)
    if unit is None:
        limit = min(result.price_bound, find_highest_price(rules))
        limit -= find_tolerance(rules, limit)
    else:
        limit = min(result.lower_bound, len(price) + 1) - 0.5
    if limit < 0:
        return True
    bits = make_bits(X, y, rules, Twins(X, describe_candidates(rules), rules.weight_signs))
    kind = _WithoutSolver if rules.groups is None or rules.one_per_group else _GroupsWithoutSolver
    known = list(result.ruled_out)
    cover = make_search(X, y, bits, rules, price=price, known=known, kind=kind)
    try:
        return cover.find_within(limit, Clock(), bool)
    except UnprovenError:
        return False
