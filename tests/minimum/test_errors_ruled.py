"""The minimum and the front with errors under rules, and for many classes, against brute force."""

from dataclasses import replace

import numpy as np
import pytest

from fewest import ErrorFront, error_front, minimum_features
from fewest._estimators.rules import read_rules
from fewest.minimum._clock import Clock
from fewest.minimum._general_front import find_general_front
from fuzzing.oracles.errors import tossed
from fuzzing.oracles.errors_ruled import pareto, price_all, random_many, random_ruled
from tests.fuzzing import many


def as_tuples(subsets):
    return sorted(tuple(subset.tolist()) for subset in subsets)


def check_minimum(X, y, rules, seed):
    """All cheapest sets are those of brute force, and their proofs hold; returns the price."""
    known = price_all(X, y, rules)
    most = 1 + seed % 3
    good = {columns: price for columns, (price, errors) in known.items() if errors <= most}
    result = minimum_features(X, y, max_errors=most, n_solutions=None, **rules)
    assert result.verify(X, y, search=True), seed
    assert result.certified, seed
    if not good:
        assert result.size is None, seed
        return None
    lowest = min(good.values())
    best = sorted(columns for columns, price in good.items() if price == lowest)
    assert (as_tuples(result.subsets), result.complete) == (best, True), seed
    if rules:
        assert result.price == float(lowest), seed
    return lowest


@pytest.mark.fuzz
def test_the_minimum_under_rules_equals_brute_force():
    prices = [check_minimum(*random_ruled(seed), seed) for seed in range(many(20))]
    assert {0.0, 1.0, 2.0} <= set(prices)


@pytest.mark.fuzz
def test_the_lowest_price_equals_brute_force():
    prices = [check_minimum(*random_ruled(seed, prices=True), seed) for seed in range(many(20))]
    assert len(set(prices)) > 3  # the cases differ


@pytest.mark.fuzz
def test_the_minimum_of_many_classes_equals_brute_force():
    sizes = [check_minimum(*random_many(seed), {}, seed) for seed in range(many(12))]
    assert len(set(sizes)) > 2


@pytest.mark.fuzz
def test_the_front_under_rules_equals_brute_force():
    for seed in range(many(20)):
        check_front(*random_ruled(seed + 1000), seed)


@pytest.mark.fuzz
def test_the_front_of_many_classes_equals_brute_force():
    for seed in range(many(12)):
        check_front(*random_many(seed + 1000), {}, seed)


def check_front(X, y, rules, seed):
    """The fewest errors of each number of features, and all sets of the last one."""
    n_included = len(rules.get("include", []))
    known = price_all(X, y, rules)
    most = max(len(columns) for columns in known) - n_included
    front = error_front(X, y, max_features=3, n_solutions=None if seed % 2 else 1, **rules)
    assert front.proven, seed
    assert front.verify(X, y, search=True), seed
    assert len(front.points) <= 4, seed
    for point in front.points:
        own = {c: e for c, (_, e) in known.items() if len(c) - n_included <= point.size}
        assert point.errors == min(own.values()), seed
        best = sorted(c for c, e in own.items() if e == point.errors)
        smallest = [c for c in best if len(c) == min(map(len, best))]
        assert set(as_tuples(point.subsets)) <= set(best), seed
        if seed % 2:
            assert (as_tuples(point.subsets), point.complete) == (smallest, True), seed
    if len(front.points) <= min(3, most):  # columns that are constant or equal are no further ones
        assert front.points[-1].errors == min(e for _, e in known.values()), seed


@pytest.mark.fuzz
def test_the_front_of_prices_equals_brute_force():
    lengths = set()
    for seed in range(many(20)):
        X, y, rules = random_ruled(seed + 2000, prices=True)
        most = 2 + seed % 2
        front = error_front(X, y, max_features=most, **rules)
        expected = pareto(price_all(X, y, rules, most))
        read = read_rules(X.shape[1], **rules)
        if len(set(read.price[~read.included & ~read.excluded])) < 2:
            assert isinstance(front, ErrorFront), seed  # of features, as all have one price
            continue
        assert [(point.price, point.errors) for point in front.points] == [
            (float(price), errors) for price, errors in expected
        ], seed
        assert front.proven, seed
        assert front.verify(X, y, search=True), seed
        lengths.add(len(expected))
    assert len(lengths) > 2


def planted(n=24, d=6):
    """Two features decide, but for two samples; a third one is a copy of the first."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, d))
    X[:, 2] = X[:, 0]
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    y[[4, 9]] = 1 - y[[4, 9]]
    return X, y


def test_what_is_always_in_is_in_every_set_and_not_counted():
    X, y = planted()
    result = minimum_features(X, y, max_errors=2, include=[1, 5])
    assert (result.size, result.subsets[0].tolist()) == (1, [0, 1, 5])
    assert len(result.separations[0].wrong) == 2
    front = error_front(X, y, max_features=1, include=[1, 5])
    assert front.points[1].subsets[0].tolist() == [0, 1, 5]
    assert front.optimum(C=1.0).size == 1


def test_groups_that_are_paid_once_are_refused_with_a_reason():
    X, y = planted()
    groups = {"chip": [0, 1]}
    with pytest.raises(ValueError, match="paid for once cannot be combined with errors: a set may"):
        minimum_features(X, y, max_errors=1, feature_groups=groups)
    with pytest.raises(ValueError, match="whole groups of features, and proofs for that many"):
        error_front(X, y, feature_groups=groups)
    assert error_front(X, y, max_features=2, feature_groups=groups, one_per_group=True).proven


def test_without_errors_many_classes_agree_with_the_minimum():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((18, 6))
    y = 2 * (X[:, 1] > 0) + (X[:, 4] > 0)
    minimum = minimum_features(X, y)
    front = error_front(X, y, max_features=3)
    first = next(point.size for point in front.points if point.errors == 0)
    assert first == minimum.size


def test_changed_results_do_not_verify():
    X, y = planted()
    result = minimum_features(X, y, max_errors=1, include=[5])
    assert result.verify(X, y, search=True)
    assert not replace(result, max_errors=0).verify(X, y)
    better = replace(result, lower_bound=result.size + 1, price_bound=result.price + 1)
    assert not better.verify(X, y, search=True)
    front = error_front(X, y, max_features=2, feature_cost={0: 3.0})
    assert front.verify(X, y, search=True)
    last = front.points[-1]
    fewer = (*front.points[:-1], replace(last, errors=last.errors - 1))
    assert not replace(front, points=fewer).verify(X, y)
    raised = replace(last, price=last.price + 1, price_bound=last.price + 1)
    assert not replace(front, points=(*front.points[:-1], raised)).verify(X, y)
    worse = front.points[1]
    assert worse.errors > front.points[2].errors
    skipped = replace(front, points=(front.points[0], *front.points[2:]))
    assert not skipped.verify(X, y, search=True)
    assert not front.verify(X[:-1], y[:-1])


def test_time_that_is_up_leaves_honest_bounds():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 40))
    y = rng.integers(0, 3, 60)
    front = error_front(X, y, max_features=2, max_seconds=1e-3)
    assert not front.proven
    assert front.verify(X, y)
    assert all(point.lower_bound <= point.errors for point in front.points)
    prices = error_front(X, y, max_features=2, max_seconds=1e-3, feature_cost={0: 2.0})
    assert not prices.proven
    assert prices.verify(X, y)
    result = minimum_features(X, y, max_errors=3, max_seconds=1e-3)
    assert not result.certified
    assert result.verify(X, y)


def test_bounds_are_honest_whenever_time_is_up():
    """One of each group: there are no sets of three, which says nothing of those of two."""
    X, y, _ = tossed(n=12, d=5)
    rules = {"one_per_group": True, "feature_groups": {"a": [0, 1, 2], "b": [3, 4]}}
    known = price_all(X, y, rules)
    codes, read = (y == "ill").astype(np.intp), read_rules(5, **rules)
    ends = set()
    for looks in range(1, 200, 6):
        front = find_general_front(X, codes, Clock(most_looks=looks), 1, 3, read)
        for point in front.points:
            fewest = min(errors for one, (_, errors) in known.items() if len(one) <= point.size)
            assert point.lower_bound <= fewest <= point.errors, looks
        assert front.verify(X, y, search=True), looks
        ends.add(tuple(point.lower_bound for point in front.points))
        last = front.points[-1]
        if last.lower_bound < last.errors:
            forged = replace(last, lower_bound=last.errors)
            assert not replace(front, points=(*front.points[:-1], forged)).verify(X, y, search=True)
    assert len(ends) > 3


def test_columns_that_do_not_vary():
    X, y = np.ones((7, 4)), np.array([0, 1, 1, 0, 1, 1, 1])
    for most, size in ((1, None), (2, 0), (3, 0)):
        found = minimum_features(X, y, max_errors=most, feature_cost={3: 0.1})
        assert (found.certified, found.size) == (True, size)
        assert found.verify(X, y, search=True)
