"""All sets near the minimum, against brute force over all subsets."""

import pytest

from fewest import near_optimal_sets
from tests.fuzzing import many
from tests.minimum.oracle import random_classes, random_problem
from tests.minimum.ruled_oracle import paid_for, random_rules, separating_sets


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
    near = {one for one in minimal(wanted) if wanted[one] <= price + extra + 1e-9}
    assert found.minimum.price == pytest.approx(price), label
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
        assert cost == pytest.approx(wanted[columns]), label
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
        total += check(*random_rules(1000 + seed), 0.5 * (seed % 3), seed)
    assert total >= 10
