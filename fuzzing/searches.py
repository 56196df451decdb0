"""Certified searches under any rules, checked against all subsets: exactly, with no tolerance.

A price is read as the decimal that it prints as; sums are fractions, and what a result says is the
nearest double.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from fewest import PriceFront, error_front, minimum_features, near_optimal_sets
from fuzzing.oracles.errors_ruled import pareto, price_all
from fuzzing.oracles.fractions import separates_all
from fuzzing.oracles.ruled import paid_for, separating_sets
from fuzzing.outcome import Failure, require

Rules = dict[str, Any]
Sets = dict[tuple[int, ...], Fraction]


def check_minimum(X: np.ndarray, y: np.ndarray, rules: Rules, most: int = 0) -> None:
    """The lowest price (or size) and all sets that cost it, with up to `most` errors."""
    if _is_refused(y, rules, with_errors=most > 0):
        _require_refusal(lambda: minimum_features(X, y, max_errors=most, **rules))
        return
    if most:
        known = price_all(X, y, rules)
        wanted = {columns: price for columns, (price, errors) in known.items() if errors <= most}
    else:
        wanted = separating_sets(X, y, rules, separates_all)
    found = minimum_features(X, y, max_errors=most, n_solutions=None, **rules)
    require(found.certified, "not certified")
    require(found.verify(X, y, search=True), "its own proof does not hold")
    if not wanted:
        require(found.size is None, f"{found.subsets}, but no set will do")
        if rules:
            require(found.price is None, f"price {found.price}, but no set will do")
            require(np.isinf(found.price_bound), f"price bound {found.price_bound}")
        return
    lowest = min(wanted.values())
    if rules:
        _require_same("price", found.price, lowest)
        _require_same("price bound", found.price_bound, lowest)
    else:
        require(found.lower_bound == found.size == lowest, f"size {found.size}, not {lowest}")
    best = {columns for columns, price in wanted.items() if price == lowest}
    _check_listed(_as_tuples(found.subsets), best, rules, X.shape[1])
    n_missing = len(found.subsets) - found.n_found
    require(not n_missing, f"n_found {found.n_found}, but {len(found.subsets)} are listed")


def check_near(X: np.ndarray, y: np.ndarray, rules: Rules, extra: float) -> None:
    """All minimal sets whose price is within `extra` of the lowest."""
    if _is_refused(y, rules, with_errors=False):
        _require_refusal(lambda: near_optimal_sets(X, y, extra=extra, **rules))
        return
    wanted = separating_sets(X, y, rules, separates_all)
    found = near_optimal_sets(X, y, extra=extra, **rules)
    require(found.complete, "not complete")
    require(found.verify(X, y), "its own proof does not hold")
    listed = _as_tuples(found.subsets)
    if not wanted:
        require(not listed, f"sets {listed}, but none separates")
        return
    lowest = min(wanted.values())
    _require_same("price of the minimum", found.minimum.price, lowest)
    _require_same("its price bound", found.minimum.price_bound, lowest)
    minimal = {one for one in wanted if not any(set(other) < set(one) for other in wanted)}
    near = {one for one in minimal if wanted[one] <= lowest + Fraction(repr(extra))}
    _check_listed(listed, near, rules, X.shape[1], partly=True)
    for columns, price in zip(listed, found.prices.tolist(), strict=True):
        _require_same(f"price of {columns}", price, wanted[columns])
    exact = [wanted[columns] for columns in listed]
    require(exact == sorted(exact), f"the cheapest sets are not first: {found.prices}")


def check_front(X: np.ndarray, y: np.ndarray, rules: Rules, largest: int) -> None:
    """The front of errors against the number of features, or, where prices differ, the price."""
    if _is_refused(y, rules, with_errors=True):
        _require_refusal(lambda: error_front(X, y, max_features=largest, **rules))
        return
    front = error_front(X, y, max_features=largest, n_solutions=None, **rules)
    require(front.proven, "the front is not proven")
    require(front.verify(X, y, search=True), "the proof of the front does not hold")
    known = price_all(X, y, rules, largest)
    for point in front.points:
        for columns in _as_tuples(point.subsets):
            require(columns in known, f"{columns} follows no rules")
            left = known[columns][1]
            require(left == point.errors, f"{columns} leaves {left}, not {point.errors}")
    if isinstance(front, PriceFront):
        _check_prices(front, known)
    else:
        _check_sizes(front, known, len(rules.get("include", [])))


def _check_prices(front: PriceFront, known: dict[tuple[int, ...], tuple[Fraction, int]]) -> None:
    wanted = pareto(known)
    said = f"front {[(p.price, p.errors) for p in front.points]}"
    both = [(float(price), errors) for price, errors in wanted]
    require([(p.price, p.errors) for p in front.points] == both, f"{said}, by brute force {both}")
    for point, (price, _) in zip(front.points, wanted, strict=True):
        _require_same("price bound", point.price_bound, price)
        for columns in _as_tuples(point.subsets):
            require(known[columns][0] == price, f"{columns} costs {known[columns][0]}, not {price}")


def _check_sizes(
    front: Any, known: dict[tuple[int, ...], tuple[Fraction, int]], n_included: int
) -> None:
    for point in front.points:
        own = {c: e for c, (_, e) in known.items() if len(c) - n_included <= point.size}
        fewest = min(own.values())
        said = f"{point.size} features: {point.errors} errors"
        require(point.errors == fewest, f"{said}, by brute force {fewest}")
        best = [columns for columns, errors in own.items() if errors == fewest]
        smallest = sorted(c for c in best if len(c) == min(map(len, best)))
        listed = sorted(_as_tuples(point.subsets))
        require(listed == smallest, f"{said}: sets {listed}, by brute force {smallest}")
    for one, other in pairwise(front.points):
        require(other.size == one.size + 1, "a number of features is missing")
    fewest = min(errors for _, errors in known.values())
    require(front.points[-1].errors == fewest, f"the front ends above {fewest} errors")


def _check_listed(
    listed: list[tuple[int, ...]],
    wanted: set[tuple[int, ...]],
    rules: Rules,
    d: int,
    *,
    partly: bool = False,
) -> None:
    """All of them, once each; of groups that are paid for once, one set for each choice.

    `partly` says that a choice may be listed by a part of it that separates.
    """
    require(len(listed) == len(set(listed)), f"a set is listed twice: {listed}")
    strange = sorted(set(listed) - wanted)
    require(not strange, f"sets {strange} are not among {sorted(wanted)}")
    if "feature_groups" not in rules or rules.get("one_per_group"):
        require(set(listed) == wanted, f"missing: {sorted(wanted.difference(listed))}")
        return
    kinds = [paid_for(columns, rules, d) for columns in listed]
    require(len(kinds) == len(set(kinds)), f"a choice of groups is listed twice: {listed}")
    for columns in wanted:
        kind = paid_for(columns, rules, d)
        is_there = any(one <= kind for one in kinds) if partly else kind in kinds
        require(is_there, f"the choice of {columns} is missing")


def _require_same(what: str, found: float | None, wanted: Fraction) -> None:
    require(found == float(wanted), f"{what} {found!r}, by brute force {float(wanted)!r}")


def _as_tuples(subsets: Any) -> list[tuple[int, ...]]:
    return [tuple(subset.tolist()) for subset in subsets]


def _is_refused(y: np.ndarray, rules: Rules, *, with_errors: bool) -> bool:
    """Signs of many classes, and groups that are paid for once where errors are allowed."""
    included = rules.get("include", [])
    signs = [sign for column, sign in rules.get("signs", {}).items() if column not in included]
    if any(signs) and len(np.unique(y)) > 2:
        return True
    return with_errors and "feature_groups" in rules and not rules.get("one_per_group")


def _require_refusal(search: Callable[[], object]) -> None:
    try:
        search()
    except ValueError as error:
        require(len(str(error)) > 20, f"no sentence: {error}")
    else:
        raise Failure("wrong", "rules that the search cannot keep are accepted")
