"""Results in which one field was changed: `verify` refuses them, or says that it did not look."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fewest import (
    MinimumResult,
    Separability,
    decide_separability,
    error_front,
    minimum_features,
    near_optimal_sets,
)
from fuzzing.data import draw_small
from fuzzing.outcome import Failure, require
from fuzzing.rules import draw_rules

# Evidence for what a result claims: where other evidence holds, the claims are as before.
_EVIDENCE = {"ruled_out", "weights", "features", "samples", "shares"}
# What claims less than before may be as true.
_CLAIMS_LESS: dict[str, Callable[[Any, Any], bool]] = {
    "lower_bound": lambda old, new: new < old,
    "price_bound": lambda old, new: new < old,
    "complete": lambda old, new: not new,
    "margins": lambda old, new: np.isnan(new).sum() == 1,  # there was no time for it
    # Another question, to which the answer, if it is accepted, is as true.
    "max_errors": lambda old, new: True,
    "max_features": lambda old, new: True,
    "intercept": lambda old, new: True,
    "inseparable": lambda old, new: not len(new),  # that no set was found says enough
    "points": lambda old, new: new == old[: len(new)],  # of fewer features
}
_TRIES = 8
_NAMES = ("a", "b", "c", "d")


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng([16, case])
    X, y = draw_small(rng)
    result, y = draw_result(rng, X, y)
    for _ in range(_TRIES):
        forgery = forge(rng, result)
        if forgery.changes_claims:
            check_forgery(result, forgery, X, y)


def check_forgery(result: Any, forgery: Forgery, X: np.ndarray, y: np.ndarray) -> None:
    """Whether `verify`, with and without the search, refuses it or names the field."""
    said = f"{type(result).__name__}.{forgery}"
    is_searched = not isinstance(result, Separability)
    for options in ({}, {"search": True}) if is_searched else ({},):
        try:
            found = forgery.forged.verify(X, y, **options)
        except Exception:
            message = f"{said}, verify({options})\n{traceback.format_exc()}"
            raise Failure("traceback", message) from None
        is_named = bool({*forgery.path} & {*getattr(found, "unchecked_fields", ())})
        require(not found or is_named, f"{said}, and verify({options}) accepts it: {found}")


@dataclass(frozen=True)
class Forgery:
    """A result with one other value, and where that is: the names of fields, outermost first."""

    path: tuple[str, ...]
    old: Any
    new: Any
    forged: Any

    @property
    def changes_claims(self) -> bool:
        """Whether it claims anything else, and not less."""
        if _are_same(self.old, self.new) or _EVIDENCE & set(self.path):
            return False
        claims_less = _CLAIMS_LESS.get(self.path[-1])
        return claims_less is None or not claims_less(self.old, self.new)

    def __str__(self) -> str:
        return f"{'.'.join(self.path)}: {self.old!r} became {self.new!r}"


def forge(rng: np.random.Generator, value: Any, path: tuple[str, ...] = ()) -> Forgery:
    """Change one of the fields, however deep it is."""
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        name = names[int(rng.integers(len(names)))]
        inner = forge(rng, getattr(value, name), (*path, name))
        return dataclasses.replace(inner, forged=dataclasses.replace(value, **{name: inner.forged}))
    if isinstance(value, tuple) and value and rng.random() < 0.6:
        place = int(rng.integers(len(value)))
        inner = forge(rng, value[place], path)
        whole = (*value[:place], inner.forged, *value[place + 1 :])
        return dataclasses.replace(inner, forged=whole)
    new = _NAMES if value is None and path[-1] == "feature_names" else _change(rng, value)
    return Forgery(path, value, new, new)


def _change(rng: np.random.Generator, value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case None:
            return None
        case bool() | np.bool_():
            return not value
        case str():
            return value + "x"
        case int() | np.integer():
            return int(value) + int(rng.choice([-2, -1, 1, 2, 100]))
        case float():
            return float(rng.choice([value + 1.0, value - 1.0, value / 2.0, np.inf, np.nan, 1e300]))
        case np.ndarray():
            return _change_array(rng, value)
        case tuple():
            return _change_order(rng, value)
    raise NotImplementedError(f"no other value of {value!r}")


def _are_same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_are_same, one, other))
    if isinstance(one, np.ndarray) and one.dtype.kind == "f":  # their last digits are rounded
        return one.shape == other.shape and np.allclose(one, other, rtol=1e-6, equal_nan=True)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)


def _change_array(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    if not values.size or rng.random() < 0.3:
        order = _change_order(rng, tuple(range(len(values))))
        return values[np.array(order, dtype=np.intp)]
    changed = values.copy()
    place = np.unravel_index(rng.integers(values.size), values.shape)
    if values.dtype.kind in "fiub":
        other = _change(rng, values[place].item())
        changed[place] = np.clip(other, -100, 100) if values.dtype.kind in "iu" else other
    return changed


def _change_order(rng: np.random.Generator, values: tuple[Any, ...]) -> tuple[Any, ...]:
    return (values[1:], values[:-1], values[::-1], (*values, *values[:1]))[int(rng.integers(4))]


def draw_result(rng: np.random.Generator, X: np.ndarray, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """A result of any search that proves something, and the labels that it is for."""
    n_classes = len(np.unique(y))
    rules = draw_rules(rng, X.shape[1], n_classes) if rng.random() < 0.6 else {}
    if n_classes > 2:
        rules.pop("signs", None)
    several = None if rng.random() < 0.5 else 1
    if (choice := rng.integers(6)) == 0:
        return _find_minimum(X, y, several, rules), y
    if choice == 1:
        return near_optimal_sets(X, y, **rules), y
    if choice == 2:
        y = np.minimum(y, 1)
        return decide_separability(X, y, intercept=bool(rng.random() < 0.5)), y
    if not rules.get("one_per_group"):
        rules.pop("feature_groups", None)
    if choice == 3:
        return _find_minimum(X, y, several, {**rules, "max_errors": 2}), y
    return error_front(X, y, n_solutions=several, max_features=2, **rules), y


def _find_minimum(
    X: np.ndarray, y: np.ndarray, several: int | None, rules: dict[str, Any]
) -> MinimumResult:
    """One that does not call itself complete is not: there are other sets."""
    found, whole = (minimum_features(X, y, n_solutions=n, **rules) for n in (several, None))
    return whole if found.n_found == whole.n_found else found
