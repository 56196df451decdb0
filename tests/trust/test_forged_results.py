"""Every field of every result of the minimum is checked by `verify`, or named as unchecked.

Fields are found by reflection, with those of nested results, and each is replaced by several lies.
A lie may pass only where `unchecked_fields` names the field, or where it is none: what claims less
than is proven is true, and so is another proof that holds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from itertools import combinations
from operator import mul

import numpy as np
import pytest

from fewest import (
    PriceFront,
    RuledMinimum,
    decide_separability,
    error_front,
    minimum_features,
    near_optimal_sets,
)
from fewest.minimum import MinimumResult

RNG = np.random.default_rng(11)
X = RNG.standard_normal((14, 6))
Y = (X[:, 2] + X[:, 4] > 0).astype(int)
WRONG = Y.copy()
WRONG[[3, 8]] = 1 - WRONG[[3, 8]]
THREE = np.digitize(X[:, 2] + 0.3 * X[:, 4], [-0.4, 0.5])
CONFLICT = X.copy()
CONFLICT[np.flatnonzero(Y)[0]] = CONFLICT[np.flatnonzero(Y == 0)[0]]
KINDS = CONFLICT.copy()
KINDS[np.flatnonzero(THREE == 2)[:2]] = KINDS[[np.argmin(THREE), np.flatnonzero(THREE == 1)[0]]]
FEW = np.asfortranarray(X[:, [2, 4, 0]])
COST = {0: 1.0, 1: 2.0, 2: 3.0, 3: 1.5, 4: 2.0}
GROUPS = {"a": [0, 1], "b": [2, 3]}
NOISE = np.random.default_rng(3).integers(0, 2, 14)


def named(values):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(values, columns=[f"g{j}" for j in range(values.shape[1])])


RESULTS = {
    "plain": lambda: (X, Y, minimum_features(X, Y, n_solutions=None)),
    "one of several": lambda: (X, Y, minimum_features(X, Y)),
    "names": lambda: (named(X), Y, minimum_features(named(X), Y)),
    "equal prices": lambda: (X, Y, minimum_features(X, Y, exclude=[0], signs={2: 1})),
    "equal prices of two": lambda: (X, Y, minimum_features(X, Y, feature_cost=2.0, include=[1])),
    "prices": lambda: (X, Y, minimum_features(X, Y, feature_cost=COST, n_solutions=None)),
    "groups": lambda: (X, Y, minimum_features(X, Y, feature_groups=GROUPS, feature_cost=COST)),
    "one per group": lambda: (
        X, Y, minimum_features(X, Y, feature_groups={"a": [2, 4]}, one_per_group=True)
    ),
    "no set of one per group": lambda: (
        X[:, [2, 4]],
        Y,
        minimum_features(X[:, [2, 4]], Y, feature_groups=[0, 0], one_per_group=True),
    ),
    "nothing found": lambda: (
        FEW, Y, minimum_features(FEW, Y, max_size=1, feature_groups=[0, 0, 1], one_per_group=True)
    ),
    "nothing found, prices": lambda: (
        FEW,
        Y,
        minimum_features(
            FEW, Y, max_size=2, feature_groups=[0, 0, 1], one_per_group=True, feature_cost={2: 3.0}
        ),
    ),
    "nothing found, errors": lambda: (
        FEW,
        Y,
        minimum_features(
            FEW, Y, max_size=1, max_errors=1, feature_groups=[0, 0, 1], one_per_group=True
        ),
    ),
    "errors": lambda: (X, WRONG, minimum_features(X, WRONG, max_errors=2, n_solutions=None)),
    "errors and rules": lambda: (X, WRONG, minimum_features(X, WRONG, max_errors=2, include=[1])),
    "errors and prices": lambda: (
        X, WRONG, minimum_features(X, WRONG, max_errors=2, feature_cost=COST)
    ),
    "errors of many classes": lambda: (X, THREE, minimum_features(X, THREE, max_errors=2)),
    "many classes": lambda: (X, THREE, minimum_features(X, THREE, n_solutions=None)),
    "no time": lambda: (X, NOISE, minimum_features(X, NOISE, max_seconds=1e-9)),
    "no time, prices": lambda: (
        X, Y, minimum_features(X, Y, max_seconds=1e-9, feature_cost=COST)
    ),
    "no time, errors": lambda: (
        X, NOISE, minimum_features(X, NOISE, max_seconds=1e-9, max_errors=1)
    ),
    "not to the end": lambda: (X, Y, minimum_features(X, Y, max_size=1)),
    "not to the end, rules": lambda: (X, Y, minimum_features(X, Y, max_size=1, exclude=[0])),
    "not to the end, prices": lambda: (
        X, Y, minimum_features(X, Y, max_size=2, feature_cost=COST)
    ),
    "not to the end, errors": lambda: (
        X, WRONG, minimum_features(X, WRONG, max_size=1, max_errors=1)
    ),
    "impossible": lambda: (CONFLICT, Y, minimum_features(CONFLICT, Y)),
    "impossible, rules": lambda: (CONFLICT, Y, minimum_features(CONFLICT, Y, feature_cost=COST)),
    "impossible, errors": lambda: (
        np.tile(X, (2, 1)),
        np.r_[Y, 1 - Y],
        minimum_features(np.tile(X, (2, 1)), np.r_[Y, 1 - Y], max_errors=1),
    ),
    "impossible, many classes": lambda: (KINDS, THREE, minimum_features(KINDS, THREE)),
    "near": lambda: (X, Y, near_optimal_sets(X, Y, extra=1)),
    "near, prices": lambda: (X, Y, near_optimal_sets(X, Y, extra=1.5, feature_cost=COST)),
    "near, impossible": lambda: (CONFLICT, Y, near_optimal_sets(CONFLICT, Y)),
    "front": lambda: (X, WRONG, error_front(X, WRONG, max_features=3)),
    "front of many classes": lambda: (X, THREE, error_front(X, THREE, max_features=2)),
    "front, rules": lambda: (X, WRONG, error_front(X, WRONG, max_features=2, include=[1])),
    "front of prices": lambda: (X, WRONG, error_front(X, WRONG, max_features=2, feature_cost=COST)),
    "front, no time": lambda: (X, WRONG, error_front(X, WRONG, max_seconds=1e-9)),
    "front of prices, no time": lambda: (
        X, WRONG, error_front(X, WRONG, max_seconds=1e-9, feature_cost=COST)
    ),
}  # fmt: skip


# What may stand where a field is empty, by the type it is declared with.
INSTEAD_OF_NONE = {
    "int | None": [0, 1, 3],
    "float | None": [0.0, 2.5, np.inf],
    "tuple[str, ...] | None": [("a", "b"), tuple(f"h{j}" for j in range(6))],
    "IndexArray | None": [np.zeros(6, dtype=np.intp), np.arange(5)],
    "NDArray[np.int8] | None": [np.ones(6, dtype=np.int8), np.ones(5, dtype=np.int8)],
    "Rules | None": [minimum_features(X, Y, exclude=[2]).rules],
}


# Claims that the repeated search checks: where it finds nothing to the contrary, they are true.
SEARCHED = ("lower_bound", "price_bound", "max_errors", "complete", "max_features")


def lies(value):
    """Other values of the kind of a field."""
    if isinstance(value, bool | np.bool_):
        return [not value]
    if isinstance(value, int | np.integer):
        return [value - 1, value + 1, 0, -1, 99, np.inf, np.nan]
    if isinstance(value, float):
        return [value - 1.0, value + 1.0, np.nextafter(value, np.inf), 0.0, -1.0, np.inf, np.nan]
    if isinstance(value, str):
        return [value + "x", ""]
    if isinstance(value, np.ndarray):
        return lies_of_array(value)
    if isinstance(value, tuple):
        return lies_of_tuple(value)
    raise TypeError(f"no lies are known about {type(value)}: say which there are")


def lies_of_array(value):
    found = [value[:0], value[:-1], value[::-1], np.concatenate([value, value[-1:]])]
    if value.dtype == bool:
        return [*found, ~value]
    found += [value + 1, value - 1, 0 * value]
    if value.dtype.kind == "f":
        found += [1.01 * value, value + np.inf]
    return found


def lies_of_tuple(value):
    found = [(), value[:-1], value[1:], value[::-1], value + value[-1:]]
    for place in sorted({0, len(value) - 1}) if value else ():
        if not is_dataclass(value[place]):
            found += [(*value[:place], one, *value[place + 1 :]) for one in lies(value[place])]
    return found


def forge(result, path=()):
    """Forgeries of a result and of what is nested in it: the fields to them, old and new value."""
    for field in fields(result):
        value, here = getattr(result, field.name), (*path, field.name)
        if is_dataclass(value):
            for place, old, new, inner in forge(value, here):
                yield place, old, new, replace(result, **{field.name: inner})
            continue
        for lie in INSTEAD_OF_NONE[field.type] if value is None else lies(value):
            yield here, value, lie, replace(result, **{field.name: lie})
        if isinstance(value, tuple) and value and is_dataclass(value[0]):
            for k in sorted({0, len(value) - 1}):
                for place, old, new, inner in forge(value[k], here):
                    nested = (*value[:k], inner, *value[k + 1 :])
                    yield place, old, new, replace(result, **{field.name: nested})


def are_same(one, other):
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(are_same, one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if is_dataclass(one) and is_dataclass(other):
        return one is other
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def claims_less(name, old, new):
    """Whether a field says less than it did, and nothing that is false."""
    if name in ("lower_bound", "price_bound"):
        return 0 <= new < old
    if name in ("complete", "certified"):
        return old and not new
    if name in ("feature_names", "rules"):
        return new is None
    if name == "margins":  # those that are not known are NaN
        return bool(np.isnan(new).all())
    if name == "points":  # a front of fewer features
        return len(new) > 0 and are_same(new, old[: len(new)])
    return False


def is_other_proof(path, forged, data, y):
    """Whether a changed proof holds as well, or one that is not needed was left out."""
    if path[-1] == "ruled_out":
        return True  # the repeated search has needed no other
    if "ruled_out" in path[:-1]:
        return all(
            is_farkas(one, data, y, one.columns)
            for one in getattr(forged, "minimum", forged).ruled_out
        )
    if path[-1] == "weights":
        sets = getattr(forged, "separations", ())
        for point in getattr(forged, "points", ()):
            sets = (*sets, *point.separations)
        sets = (*sets, *getattr(getattr(forged, "minimum", None), "separations", ()))
        return all(separates(one, data, y) for one in sets)
    return False


def is_true(forged, data, y):
    """Whether a result says what another search finds, from the beginning."""
    if isinstance(forged, PriceFront):
        if not forged.complete:
            return True
        again = error_front(data, y, max_features=forged.max_features, feature_cost=COST)
        wanted = [(point.price, point.errors) for point in again.points]
        return wanted == [(one.price, one.errors) for one in forged.points]
    if not isinstance(forged, MinimumResult):
        return False
    rules = rules_of(forged)
    again = minimum_features(data, y, max_errors=forged.max_errors, n_solutions=None, **rules)
    assert again.certified
    if rules and again.has_prices:
        is_bound = forged.price_bound <= again.price_bound
    else:
        is_bound = forged.lower_bound <= again.lower_bound
    return (
        is_bound
        and (forged.size == again.size or not forged.certified)
        and (forged.n_found == again.n_found or not forged.complete)
        and all(len(one.wrong) <= forged.max_errors for one in forged.separations)
    )


def rules_of(result):
    """The rules of a result, as they are given."""
    if not isinstance(result, RuledMinimum):
        return {}
    rules = result.rules
    return {
        "include": np.flatnonzero(rules.included),
        "exclude": np.flatnonzero(rules.excluded),
        "feature_cost": np.where(rules.included, 1.0, rules.price),
        "feature_groups": rules.groups,
        "one_per_group": rules.one_per_group,
        "signs": rules.signs,
    }


def exact(data, columns):
    return [[Fraction(float(row[j])) for j in columns] for row in np.asarray(data)]


def separates(one, data, y):
    """Whether weights separate all samples that are not left out, in fractions."""
    rows = exact(data, one.columns)
    left = [i for i in range(len(y)) if i not in one.wrong]
    pairs = list(combinations(sorted({int(y[i]) for i in left}), 2))
    for pair, weights in zip(pairs, one.weights, strict=False):
        scores = [
            [sum(w * v for w, v in zip(weights, rows[i], strict=True)) for i in left if y[i] == k]
            for k in pair
        ]
        if not max(scores[0]) < min(scores[1]):
            return False
    return True


def is_farkas(one, data, y, columns):
    """Whether shares make the same point of samples of two classes, in fractions."""
    rows, labels = exact(data, columns), np.unique(y[list(one.samples)])
    signed = [
        share if y[i] == labels[1] else -share
        for i, share in zip(one.samples, one.shares, strict=True)
    ]
    sums = [
        sum(s * rows[i][k] for s, i in zip(signed, one.samples, strict=True))
        for k in range(len(columns))
    ]
    return len(labels) == 2 and sum(signed) == 0 and not any(sums)


def find_accepted(data, y, result):
    """Lies that are neither refused nor named, and how many are refused."""
    whole = result.verify(data, y, search=True)
    assert whole, "it must hold before it is forged"
    accepted, n_refused = [], 0
    for path, old, new, forged in forge(result):
        if are_same(old, new):
            continue
        if not forged.verify(data, y):
            n_refused += 1
        elif not set(path) & set(whole.unchecked_fields) and not claims_less(path[-1], old, new):
            found = forged.verify(data, y, search=True)
            n_refused += not found
            if found and not (
                set(path) & set(found.unchecked_fields)
                or is_other_proof(path, forged, data, y)
                or (path[-1] in SEARCHED and is_true(forged, data, y))
            ):
                accepted.append((".".join(path), old, new))
    return accepted, n_refused


@pytest.mark.parametrize("kind", RESULTS)
def test_every_field_is_checked_or_named(kind):
    accepted, n_refused = find_accepted(*RESULTS[kind]())
    assert not accepted
    assert n_refused > 5


def test_a_new_field_is_found():
    @dataclass(frozen=True, eq=False, repr=False, kw_only=True)
    class WithMore(MinimumResult):
        n_ways: int = 3

    result = minimum_features(X, Y)
    more = WithMore(**{one.name: getattr(result, one.name) for one in fields(result)})
    assert {name for name, _, _ in find_accepted(X, Y, more)[0]} == {"n_ways"}


SEPARABILITY = {
    "separable": lambda: (X, Y),
    "not separable": lambda: (CONFLICT, Y),
    "not separable by two": lambda: (X[:, :2], NOISE),
}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", SEPARABILITY)
def test_separability(kind, intercept):
    data, y = SEPARABILITY[kind]()
    result = decide_separability(data, y, intercept=intercept)
    assert result.verify(data, y)
    for path, old, new, forged in forge(result):
        if are_same(old, new) or not forged.verify(data, y):
            continue
        if path == ("intercept",):
            assert decide_separability(data, y, intercept=new).separable == forged.separable
        elif path in (("features",), ("weights",)):
            columns = exact(data, forged.features)
            scores = [sum(map(mul, forged.weights, row)) for row in columns]
            low = max(score for score, label in zip(scores, y, strict=True) if label == 0)
            high = min(score for score, label in zip(scores, y, strict=True) if label == 1)
            assert low < high
            assert intercept or low < 0 < high
        else:
            assert path in (("samples",), ("shares",)), path
            assert is_farkas(forged, data, y, columns=range(data.shape[1]))
