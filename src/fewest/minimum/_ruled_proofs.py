"""Checks a result that was found under rules about features, without a solver."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock, limit_threads
from fewest.minimum._data import Twins
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._result import MinimumResult, UnprovenError, is_about
from fewest.minimum._ruled import describe_candidates, find_unit, make_bits
from fewest.minimum._ruled_search import GroupSearch, RuledSearch, make_search

_ROUNDING = 1e-9


def verify_ruled(
    result: MinimumResult,
    rules: Rules,
    X: FloatArray,
    classes: NDArray[Any],
    y: IndexArray,
    *,
    search: bool,
) -> bool:
    """Whether every set follows the rules and separates, and every proof holds.

    With `search`, the search below the proven bound is repeated, with the Farkas vectors as given.
    """
    proofs: list[Separation | RuledOut] = [*result.separations, *result.ruled_out]
    if not all(is_about(proof, X) and proof.holds(X, y, rules.signs) for proof in proofs):
        return False
    everything = tuple(np.flatnonzero(rules.allowed).tolist())
    proven = {leaf.classes(y) for leaf in result.ruled_out if leaf.columns == everything}
    claimed = [tuple(pair) for pair in result.inseparable.tolist()]
    if not {tuple(classes[list(pair)].tolist()) for pair in proven}.issuperset(claimed):
        return False
    consistent = _is_consistent(result, rules, bool(claimed))
    if not consistent or not search or claimed:
        return consistent
    with limit_threads(1):
        return _finds_nothing_below(result, rules, X, y)


def _is_consistent(result: MinimumResult, rules: Rules, is_impossible: bool) -> bool:
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
    close = _ROUNDING * max(result.price, float(rules.price.max()))
    sets = [np.array(one.columns, dtype=np.intp) for one in result.separations]
    return (
        len(sets) == len(result.subsets) > 0
        and result.certified == (result.price <= result.price_bound + close)
        and result.size == min(len(one) for one in sets[:1]) - rules.n_included
        and all(_follows(rules, one) for one in sets)
        and all(abs(rules.total(one) - result.price) <= close for one in sets)
    )


def _follows(rules: Rules, columns: IndexArray) -> bool:
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


def _finds_nothing_below(
    result: MinimumResult, rules: Rules, X: FloatArray, y: IndexArray
) -> bool:
    """Whether a second search finds no set below the bound."""
    unit = find_unit(rules)
    price = rules.price if unit is None else (rules.price > 0) * 1.0
    if unit is None:
        limit = result.price_bound
        if np.isinf(limit):
            limit = 2.0 * float(price.sum())
        limit -= _ROUNDING * max(limit, float(price.max()))
    else:
        limit = min(result.lower_bound, len(price) + 1) - 0.5
    if limit < 0:
        return True
    bits = make_bits(X, y, rules, Twins(X, describe_candidates(rules), rules.signs))
    kind = _WithoutSolver if rules.groups is None or rules.one_per_group else _GroupsWithoutSolver
    known = list(result.ruled_out)
    cover = make_search(X, y, bits, rules, price=price, known=known, kind=kind)
    try:
        return cover.find_within(limit, Clock(), bool)
    except UnprovenError:
        return False
