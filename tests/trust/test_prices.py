"""Prices are exact: the cheapest set by brute force in fractions, whatever prices are like."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fewest import error_front, minimum_features, near_optimal_sets
from fuzzing.oracles.errors_ruled import pareto, price_all
from fuzzing.oracles.fractions import separates_all
from fuzzing.oracles.ruled import paid_for, separating_sets


def listed(result):
    return [tuple(subset.tolist()) for subset in result.subsets]


def draw(seed, d, n=16, n_classes=2):
    rng = np.random.default_rng([5, seed])
    X = rng.standard_normal((n, d))
    scores = X[:, :4] @ rng.standard_normal(min(4, d))
    y = np.digitize(scores, [0.0] if n_classes == 2 else [-0.6, 0.6])
    y[:n_classes] = np.arange(n_classes)
    return rng, X, y


def never(rng, d):
    """One to three, and one feature that nobody wants to buy."""
    prices = rng.choice([1.0, 2.0, 3.0], d)
    prices[-1] = 1e12
    return prices


PRICES = {
    "never": never,
    "wide": lambda rng, d: 10.0 ** rng.uniform(-10, 10, d),
    "wider": lambda rng, d: 10.0 ** rng.uniform(-150, 150, d),
    "ties": lambda rng, d: rng.choice([0.1, 0.2, 0.3, 0.4], d),
    "long": lambda rng, d: 1.0 + rng.integers(0, 3, d) * 2.0**-52,
    "far apart": lambda rng, d: rng.choice(
        [1e-9, 1e10, 3e10], d
    ),  # sums beyond 64 bits differ by 1
    "large": lambda rng, d: 2.0**53 + 2 * rng.integers(0, 3, d),
}


def check_minimum(X, y, rules):
    """The price and all sets of that price are those of brute force, and are proven."""
    wanted = separating_sets(X, y, rules, separates_all)
    result = minimum_features(X, y, n_solutions=None, **rules)
    assert result.certified
    assert result.verify(X, y, search=True)
    if not wanted:
        assert (result.size, result.price_bound) == (None, np.inf)
        return
    price = min(wanted.values())
    best = {one for one, cost in wanted.items() if cost == price}
    assert result.price == result.price_bound == float(price)
    if "feature_groups" in rules and not rules.get("one_per_group"):
        kinds = [paid_for(one, rules, X.shape[1]) for one in listed(result)]
        assert set(listed(result)) <= best
        assert set(kinds) == {paid_for(one, rules, X.shape[1]) for one in best}
    else:
        assert set(listed(result)) == best
    dearer = np.nextafter(result.price, np.inf)
    assert not replace(result, price=dearer, price_bound=dearer).verify(X, y)
    others = [one for one, cost in wanted.items() if cost > price]
    if others and not rules.get("feature_groups"):
        check_that_more_is_refused(result, min(others, key=wanted.get), X, y, rules)


def check_that_more_is_refused(result, columns, X, y, rules):
    """A set that costs a bit more, with its own true price, is not said to be the cheapest."""
    bought = [j for j in range(X.shape[1]) if j not in columns]
    other = minimum_features(X, y, **{**rules, "exclude": bought})
    if other.size is None or other.price == result.price:
        return
    forged = replace(
        other,
        rules=result.rules,
        price_bound=other.price,
        certified=True,
        ruled_out=(*result.ruled_out, *other.ruled_out),
    )
    assert not forged.verify(X, y, search=True)


def check_errors(X, y, rules, most):
    known = price_all(X, y, rules)
    enough = {one: price for one, (price, errors) in known.items() if errors <= most}
    result = minimum_features(X, y, max_errors=most, n_solutions=None, **rules)
    assert result.certified
    assert result.verify(X, y, search=True)
    if not enough:
        assert result.size is None
    else:
        price = min(enough.values())
        assert result.price == float(price)
        assert set(listed(result)) == {one for one, cost in enough.items() if cost == price}
    front = error_front(X, y, max_features=X.shape[1], **rules)
    assert front.proven
    assert front.verify(X, y, search=True)
    expected = [(float(price), errors) for price, errors in pareto(known)]
    assert [(point.price, point.errors) for point in front.points] == expected


def test_one_price_that_says_never():
    """A price of 1e12 made all others equal: sets of 8 were called the cheapest, not those of 6."""
    rng = np.random.default_rng([5, 0])
    X = rng.standard_normal((16, 9))
    y = (X[:, :4] @ rng.standard_normal(4) > 0).astype(int)
    y[0], y[1] = 1, 0
    cost = rng.choice([1.0, 2.0, 3.0], 9)
    cost[8] = 1e12
    result = minimum_features(X, y, feature_cost=cost)
    assert (result.price, result.price_bound, result.certified) == (6.0, 6.0, True)
    assert result.verify(X, y, search=True)
    excluded = minimum_features(X, y, feature_cost=cost, exclude=[8])
    assert excluded.price == 6.0


def test_a_point_of_the_front_beside_a_very_high_price():
    X = np.array([[0.0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 2]])
    front = error_front(X, [0, 0, 1, 1], feature_cost={0: 2.0, 1: 1e10, 2: 1.0})
    assert [(point.price, point.errors) for point in front.points] == [(0.0, 2), (1.0, 0)]
    X = np.array([[0.0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 0]])
    front = error_front(X, [0, 0, 1, 1], feature_cost={0: 2.0, 1: 1e10, 2: 1.0})
    expected = [(0.0, 2), (1.0, 1), (2.0, 0)]
    assert [(point.price, point.errors) for point in front.points] == expected
    assert front.verify(X, [0, 0, 1, 1], search=True)


@pytest.mark.parametrize("seed", range(40))
def test_never_in_many_cases(seed):
    rng, X, y = draw(seed, 7)
    check_minimum(X, y, {"feature_cost": dict(enumerate(never(rng, 7)))})


@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("seed", range(4))
def test_the_minimum(kind, seed):
    rng, X, y = draw(seed, 6, n_classes=2 + seed % 2)
    check_minimum(X, y, {"feature_cost": dict(enumerate(PRICES[kind](rng, 6)))})


@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("one_per_group", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_groups(kind, one_per_group, seed):
    rng, X, y = draw(seed, 6)
    labels = rng.integers(-1, 3, 6)
    groups = {g: np.flatnonzero(labels == g).tolist() for g in range(3)}
    rules = {"feature_groups": groups, "feature_cost": dict(enumerate(PRICES[kind](rng, 6)))}
    if one_per_group:
        rules["one_per_group"] = True
    check_minimum(X, y, rules)


@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("seed", range(4))
def test_errors_and_the_front(kind, seed):
    rng, X, y = draw(seed, 4, n=9)
    y = np.where(rng.random(9) < 0.2, 1 - y, y)
    y[:2] = 0, 1
    rules = {"feature_cost": dict(enumerate(PRICES[kind](rng, 4)))}
    if len(set(rules["feature_cost"].values())) > 1:
        check_errors(X, y, rules, 1 + seed % 2)


@pytest.mark.parametrize("kind", PRICES)
def test_errors_of_three_classes(kind):
    rng, X, y = draw(2, 3, n=8, n_classes=3)
    check_errors(X, y, {"feature_cost": dict(enumerate(PRICES[kind](rng, 3)))}, 1)


@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("seed", range(3))
def test_near_sets(kind, seed):
    rng, X, y = draw(seed, 6)
    cost = PRICES[kind](rng, 6)
    rules = {"feature_cost": dict(enumerate(cost))}
    extra = float(np.sort(cost)[rng.integers(6)])
    wanted = separating_sets(X, y, rules, separates_all)
    found = near_optimal_sets(X, y, extra=extra, **rules)
    assert found.complete
    assert found.verify(X, y, search=True)
    most = min(wanted.values()) + Fraction(repr(extra))
    near = {one for one in wanted if wanted[one] <= most}
    near = {one for one in near if not any(set(other) < set(one) for other in wanted)}
    assert set(listed(found)) == near
    assert found.prices.tolist() == [float(wanted[one]) for one in listed(found)]
    assert [wanted[one] for one in listed(found)] == sorted(wanted[one] for one in near)


def test_tenths_add_up_as_they_are_written():
    """0.1 and 0.2 cost as much as 0.3, which they do not in binary."""
    X = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    y = [0, 0, 0, 1]
    prices = {0: 0.1, 1: 0.2, 2: 0.3}
    result = minimum_features(X, y, n_solutions=None, feature_cost=prices)
    assert (result.price, sorted(listed(result))) == (0.3, [(0, 1), (2,)])
    assert minimum_features(X, y, feature_cost={**prices, 2: 0.30000000000000004}).price == 0.3


def test_what_is_excluded_has_no_influence():
    rng, X, y = draw(3, 7)
    cost = rng.choice([0.1, 0.2, 0.3], 7)
    results = []
    for price in (1.0, 1e-300, 1e300, 0.1234567890123456):
        cost[6] = price
        results.append(minimum_features(X, y, feature_cost=cost, exclude=[6]))
        assert results[-1].verify(X, y, search=True)
    assert len({one.price for one in results}) == 1
    assert len({tuple(listed(one)) for one in results}) == 1


@pytest.mark.parametrize("price", [1e-151, 1e151, 5e-324, 1.7e308])
def test_prices_that_cannot_be_added_up_are_refused(price):
    _, X, y = draw(0, 4)
    message = "feature_cost must be between 1e-150 and 1e\\+150 .*: feature 2 costs"
    for search in (minimum_features, error_front, near_optimal_sets):
        with pytest.raises(ValueError, match=message):
            search(X, y, feature_cost={2: price})
