"""All sets near the minimum, against brute force over all subsets."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from fewest import minimum_features, near_optimal_sets
from fewest.minimum import _near
from fuzzing.oracles.ruled import paid_for, random_rules, separating_sets
from fuzzing.oracles.subsets import random_classes, random_problem
from tests.fuzzing import many


def columns_of(result):
    return [tuple(subset.tolist()) for subset in result.subsets]


def minimal(sets):
    """Those of which no part is among them."""
    return {one for one in sets if not any(set(other) < set(one) for other in sets)}


def check(X, y, rules, extra, label):
    found = near_optimal_sets(X, y, extra=extra, **rules)
    wanted = separating_sets(X, y, rules)
    assert found.complete, label
    assert found.verify(X, y), label
    if not wanted:
        assert found.subsets == (), label
        return 0
    price = min(wanted.values())
    near = {one for one in minimal(wanted) if wanted[one] <= price + Fraction(extra)}
    assert found.minimum.price == float(price), label
    if "feature_groups" in rules and not rules.get("one_per_group"):
        assert set(columns_of(found)) <= near, label
        d = X.shape[1]
        kinds = {paid_for(one, rules, d) for one in near}
        listed = [paid_for(one, rules, d) for one in columns_of(found)]
        assert len(listed) == len(set(listed)), label
        # A choice of groups may be listed by the part of it that separates.
        assert all(any(one <= kind for one in listed) for kind in kinds), label
    else:
        assert set(columns_of(found)) == near, label
        assert found.n_found == len(near), label
    for columns, cost in zip(columns_of(found), found.prices, strict=True):
        assert cost == float(wanted[columns]), label
    return len(near)


@pytest.mark.fuzz
def test_equals_brute_force():
    total = 0
    for seed in range(many(8)):
        X, y = random_problem(seed) if seed % 3 else random_classes(seed)
        total += check(X[:12, :7], y[:12], {}, seed % 3, seed)
    assert total >= 10


@pytest.mark.fuzz
def test_equals_brute_force_under_rules():
    total = 0
    for seed in range(many(12)):
        total += check(*random_rules(seed), 0.5 * (seed % 3), seed)
    assert total >= 10


def problem():
    X = np.random.default_rng(0).standard_normal((20, 16))
    return X, X[:, 7] + X[:, 11] > 0


@pytest.fixture(scope="module")
def found():
    return near_optimal_sets(*problem(), extra=2)


def test_what_the_sets_share(found):
    sets = [set(one) for one in columns_of(found)]
    assert (found.minimum.size, found.complete, len(sets)) == (2, True, found.n_found)
    assert set(found.features.tolist()) == set.union(*sets)
    assert found.counts.tolist() == [sum(j in one for one in sets) for j in found.features]
    assert np.all(np.diff(found.counts) <= 0)
    assert found.in_all.tolist() == []
    for row, one in zip(found.membership, sets, strict=True):
        assert set(found.features[row].tolist()) == one
    pairs = np.zeros(found.exchanges.shape, dtype=int)
    place = {int(j): k for k, j in enumerate(found.features)}
    for one, other in combinations(sets, 2):
        if len(one) == len(other) == len(one & other) + 1:
            (out,), (into,) = one - other, other - one
            pairs[place[out], place[into]] += 1
            pairs[place[into], place[out]] += 1
    assert np.array_equal(found.exchanges, pairs)
    best = found.replacements(7)
    assert [count for _, count in best] == sorted((n for _, n in best), reverse=True)
    assert dict(best) == {j: pairs[place[7], place[j]] for j in dict(best)}


def test_the_order_of_the_sets(found):
    assert np.all(np.diff(found.prices) >= 0)
    for price in np.unique(found.prices):
        assert np.all(np.diff(found.margins[found.prices == price]) <= 0)
    few = near_optimal_sets(*problem(), extra=2, max_sets=5)
    assert columns_of(few) == columns_of(found)[:5]
    assert (few.n_found, few.complete) == (found.n_found, True)


def test_all_smallest_sets_without_extra():
    X, y = problem()
    wanted = minimum_features(X, y, n_solutions=None)
    found = near_optimal_sets(X, y, extra=0)
    assert columns_of(found) == columns_of(wanted)
    assert np.allclose(found.margins, wanted.margins)
    assert columns_of(found.minimum) == columns_of(wanted)
    assert (found.minimum.n_found, found.minimum.complete) == (wanted.n_found, True)
    assert found.minimum.verify(X, y, search=True)


def test_a_feature_that_is_in_all_of_them():
    X, y = problem()
    found = near_optimal_sets(X, y, include=[3])
    assert 3 in found.in_all
    assert "In all of them: 3" in str(found)


def test_proofs_hold_for_these_data_only(found):
    X, y = problem()
    assert found.verify(X, y)
    assert not found.verify(X[:, ::-1], y)
    assert not found.verify(X[:, :-1], y)
    forged = replace(found, subsets=(np.array([0, 1]), *found.subsets[1:]))
    assert not forged.verify(X, y)


def test_as_text_and_json(found):
    text = str(found)
    assert text.startswith(f"{found.n_found} sets within 2 of the minimum, 2; none contains")
    assert "Shown: 10." in text
    assert "Can replace each other (number of pairs of sets): " in text
    named = replace(found, feature_names=tuple(f"g{j}" for j in range(16)))
    plain = json.loads(json.dumps(named.to_dict()))
    assert plain["sets"][0]["features"] == ["g7", "g11"]
    assert len(plain["sets"]) == found.n_found
    counted = [one["n_pairs"] for one in plain["exchanges"]]
    assert sum(counted) == found.exchanges.sum() / 2
    assert counted == sorted(counted, reverse=True)


def test_names_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(16)])
    assert "g7, g11" in str(near_optimal_sets(frame, y, extra=0))


def test_limits(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), np.arange(60) % 2
    hasty = near_optimal_sets(X, y, max_seconds=0.5)
    assert not hasty.complete
    assert hasty.n_found >= 1
    assert hasty.verify(X, y)
    assert "before the time was up" in str(hasty)
    monkeypatch.setattr(_near, "MOST_KEPT", 3)
    many_sets = near_optimal_sets(*problem(), extra=2)
    assert (many_sets.n_found, many_sets.complete) == (3, False)
    assert "there may be more" in str(many_sets)


@pytest.mark.parametrize("seconds", [1e-4, 0.01, 0.1, 0.3])
def test_whenever_time_is_up(seconds):
    """The first set has dozens of features, and all sets up to its size would take years."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), np.arange(60) % 2
    for search in (near_optimal_sets, partial(minimum_features, include=[5]), minimum_features):
        hasty = search(X, y, max_seconds=seconds)
        assert hasty.verify(X, y)
        assert hasty.seconds < 30.0


def test_one_set_stands_for_a_choice_of_groups():
    """Features 0 and 1 are equal, and their group is paid once: either will do."""
    X = np.array([[0, 0, 5], [1, 1, 3], [2, 2, 4], [3, 3, 5.0]])
    found = near_optimal_sets(X, [0, 0, 1, 1], feature_groups=[0, 0, 1])
    assert found.is_per_choice
    assert found.in_all.tolist() == []
    assert found.to_dict()["is_per_choice"] is True
    assert "other features of these groups may do as well" in str(found)
    apart = near_optimal_sets(X, [0, 0, 1, 1])
    assert not apart.is_per_choice
    assert len(apart.subsets) == 2


def test_no_set_at_all():
    X = np.array([[0.0, 1.0], [0.0, 1.0]])
    found = near_optimal_sets(X, [0, 1])
    assert (found.subsets, found.complete) == ((), True)
    assert str(found) == "No set of features separates the classes (proven)."
    assert found.exchanges.shape == (0, 0)
    assert found.verify(X, [0, 1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"extra": -1}, "extra must be a number of at least zero; got -1"),
        ({"max_sets": 0}, "max_sets must be a whole number of at least one; got 0"),
        ({"max_seconds": 0}, "max_seconds must be a positive number"),
        ({"include": [1], "exclude": [1]}, "in include and in exclude"),
    ],
)
def test_what_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        near_optimal_sets(*problem(), **changes)


def test_a_feature_in_none_of_them(found):
    with pytest.raises(ValueError, match="feature 99 is in none of the"):
        found.replacements(99)
