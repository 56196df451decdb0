"""Certified searches that end too early, wherever that is, against all subsets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from fewest import PriceFront, error_front, minimum_features, near_optimal_sets
from fewest.minimum import _features, _front, _general_errors, _near
from fewest.minimum._clock import Clock
from fuzzing.data import stretch_values
from fuzzing.kinds import minima
from fuzzing.oracles.errors import random_labelled
from fuzzing.oracles.errors_ruled import price_all, random_many, random_ruled
from fuzzing.oracles.fractions import separates_all
from fuzzing.oracles.ruled import random_rules, separating_sets
from fuzzing.outcome import require

_MOST_LOOKS = 3.5  # as a power of ten: most searches end before


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng([6, case])
    looks = int(10.0 ** rng.uniform(0.0, _MOST_LOOKS))
    checks = (_check_plain, _check_ruled, _check_near, _check_errors, _check_front)
    checks[int(rng.integers(len(checks)))](case, rng, looks)


@contextmanager
def _end_after(looks: int) -> Iterator[None]:
    """Searches that end after so many looks at the clock: the same place on every computer."""

    def make_clock(*_: Any, **__: Any) -> Clock:
        return Clock(most_looks=looks)

    with ExitStack() as patches:
        for module in (_features, _front, _general_errors, _near):
            patches.enter_context(patch.object(module, "Clock", make_clock))
        yield


def _check_plain(case: int, rng: np.random.Generator, looks: int) -> None:
    X, y = minima.draw(case)
    wanted = separating_sets(X, y, {}, separates_all)
    several = None if rng.random() < 0.5 else 1
    with _end_after(looks):
        found = minimum_features(X, y, n_solutions=several)
    said = f"after {looks} looks"
    size = min(map(len, wanted), default=X.shape[1] + 1)
    require(found.lower_bound <= size, f"{said}: lower bound {found.lower_bound}, minimum {size}")
    _check_listed(found, set(wanted), said)
    if found.size is not None:
        require(found.size >= size, f"{said}: size {found.size}, minimum {size}")
        require(found.certified == (found.lower_bound == found.size), f"{said}: certified")
    if found.complete and several is None:
        best = sorted(one for one in wanted if len(one) == size)
        require(found.n_found == len(best), f"{said}: n_found {found.n_found} of {len(best)}")
    require(found.verify(X, y, search=True), f"{said}: its own proof does not hold")


def _check_ruled(case: int, rng: np.random.Generator, looks: int) -> None:
    X, y, rules = random_rules(case)
    X = stretch_values(case, X, 47)
    wanted = separating_sets(X, y, rules, separates_all)
    several = None if rng.random() < 0.5 else 1
    with _end_after(looks):
        found = minimum_features(X, y, n_solutions=several, **rules)
    said = f"after {looks} looks"
    price = min(wanted.values(), default=np.inf)
    require(found.price_bound <= float(price), f"{said}: bound {found.price_bound}, {price}")
    _check_listed(found, set(wanted), said)
    if found.price is not None:
        require(found.price >= float(price), f"{said}: price {found.price}, minimum {price}")
        is_best = found.price == found.price_bound
        require(found.certified == is_best, f"{said}: certified is {found.certified}")
    require(found.verify(X, y, search=True), f"{said}: its own proof does not hold")


def _check_near(case: int, rng: np.random.Generator, looks: int) -> None:
    X, y, rules = random_rules(case)
    X = stretch_values(case, X, 47)
    wanted = separating_sets(X, y, rules, separates_all)
    extra = float(rng.choice([0.0, 0.5, 1.0]))
    with _end_after(looks):
        found = near_optimal_sets(X, y, extra=extra, **rules)
    said = f"after {looks} looks"
    listed = {tuple(subset.tolist()) for subset in found.subsets}
    require(listed <= set(wanted), f"{said}: {sorted(listed - set(wanted))} separate nothing")
    for columns, price in zip(found.subsets, found.prices, strict=True):
        cost = wanted[tuple(columns.tolist())]
        require(price == float(cost), f"{said}: {columns} costs {cost}, not {price}")
    if found.minimum.certified:
        parts = {one for one in listed for other in wanted if set(other) < set(one)}
        require(not parts, f"{said}: parts of {sorted(parts)} separate")
    require(found.verify(X, y), f"{said}: its own proof does not hold")


def _check_errors(case: int, rng: np.random.Generator, looks: int) -> None:
    X, y, rules, known = _count_errors(case, rng)
    most = int(rng.integers(1, 4))
    enough = {columns: price for columns, (price, errors) in known.items() if errors <= most}
    with _end_after(looks):
        found = minimum_features(X, y, max_errors=most, n_solutions=None, **rules)
    said = f"with {most} errors, after {looks} looks"
    lowest = min(enough.values(), default=np.inf)
    bound = found.price_bound if rules else found.lower_bound
    if enough:
        require(bound <= float(lowest), f"{said}: bound {bound}, minimum {lowest}")
    _check_listed(found, set(enough), said)
    for subset in found.subsets:
        cost = enough[tuple(subset.tolist())]
        require(cost >= lowest, f"{said}: {subset} costs {cost}, minimum {lowest}")
    require(found.verify(X, y, search=True), f"{said}: its own proof does not hold")


def _check_front(case: int, rng: np.random.Generator, looks: int) -> None:
    X, y, rules, known = _count_errors(case, rng)
    largest = int(rng.integers(1, 5))
    with _end_after(looks):
        front = error_front(X, y, max_features=largest, n_solutions=None, **rules)
    said = f"after {looks} looks"
    n_included = len(rules.get("include", []))
    if isinstance(front, PriceFront):
        allowed = [one for c, one in known.items() if len(c) - n_included <= largest]
        _check_prices(front, allowed, said)
    else:
        for point in front.points:
            own = [e for c, (_, e) in known.items() if len(c) - n_included <= point.size]
            bounds = f"{said}, {point.size} features: {point.lower_bound} to {point.errors}"
            is_between = point.lower_bound <= min(own) <= point.errors
            require(is_between, f"{bounds}, by brute force {min(own)}")
    for point in front.points:
        for subset in point.subsets:
            left = known[tuple(subset.tolist())][1]
            require(left <= point.errors, f"{said}: {subset} leaves {left}, not {point.errors}")
    require(front.verify(X, y, search=True), f"{said}: the proof of the front does not hold")


def _check_prices(front: PriceFront, known: list[tuple[Fraction, int]], said: str) -> None:
    """Nothing below the bound of a price leaves as few errors as that point, or fewer."""
    for point in front.points:
        lowest = float(min(price for price, errors in known if errors <= point.errors))
        text = f"{said}, {point.errors} errors: price {point.price_bound} to {point.price}"
        is_between = point.price_bound <= lowest <= point.price
        require(is_between, f"{text}, by brute force {lowest}")
    fewest = min(errors for _, errors in known)
    if front.complete:
        require(front.points[-1].errors == fewest, f"{said}: complete, but {fewest} is possible")


_Known = dict[tuple[int, ...], tuple[Fraction, int]]


def _count_errors(
    case: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, dict[str, Any], _Known]:
    """Data of two or many classes, rules or none, and the price and errors of all sets."""
    rules: dict[str, Any] = {}
    match rng.integers(4):
        case 0:
            X, y, rules = random_ruled(case)
        case 1:
            X, y, rules = random_ruled(case, prices=True)
        case 2:
            X, y = random_many(case)
        case _:
            X, y = random_labelled(case)
            X = X[:, :4]
    X = stretch_values(case, X, 47)
    return X, y, rules, price_all(X, y, rules)


def _check_listed(found: Any, allowed: set[tuple[int, ...]], said: str) -> None:
    """Every set that is listed is one, and is listed once."""
    listed = [tuple(subset.tolist()) for subset in found.subsets]
    require(set(listed) <= allowed, f"{said}: sets {sorted(set(listed) - allowed)} are none")
    require(len(listed) == len(set(listed)), f"{said}: a set is listed twice: {listed}")
    if found.size is None and found.certified:
        require(not allowed, f"{said}: called impossible, but {sorted(allowed)[:1]} will do")
