"""The certified minimum under rules about features, against brute force over all subsets."""

from collections import Counter

import numpy as np
import pytest

from fewest import minimum_features
from tests.minimum.ruled_oracle import (
    paid_for,
    random_rules,
    separable,
    separating_sets,
)

SEEDS = 24


def columns_of(result):
    return [tuple(subset.tolist()) for subset in result.subsets]


def check(seed):
    """Compare one random case with brute force; says which kind of case it was."""
    X, y, rules = random_rules(seed)
    d = X.shape[1]
    wanted = separating_sets(X, y, rules)
    result = minimum_features(X, y, n_solutions=None, **rules)
    assert result.certified, seed
    assert result.verify(X, y), seed
    assert result.verify(X, y, search=True), seed
    if not wanted:
        assert result.size is None, seed
        assert result.price is None, seed
        assert np.isinf(result.price_bound), seed
        return [*rules, "none"]
    price = min(wanted.values())
    assert result.price == pytest.approx(price), seed
    assert result.price_bound == pytest.approx(price), seed
    assert result.complete, seed
    best = {columns for columns, cost in wanted.items() if cost < price + 1e-9}
    assert set(columns_of(result)) <= best, seed
    if "feature_groups" in rules and not rules.get("one_per_group"):
        kinds = [paid_for(columns, rules, d) for columns in columns_of(result)]
        assert len(kinds) == len(set(kinds)) == result.n_found, seed
        assert set(kinds) == {paid_for(columns, rules, d) for columns in best}, seed
    else:
        assert sorted(columns_of(result)) == sorted(best), seed
    for leaf in result.ruled_out:
        signs = np.zeros(d)
        for column, sign in rules.get("signs", {}).items():
            signs[column] = sign
        chosen = list(leaf.columns)
        assert not separable(X[:, chosen], y, signs[chosen]), seed
    return [*rules, str(result.size)]


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(24, 240, 24))]
)
def test_equals_brute_force(first):
    seen = Counter()
    for seed in range(first, first + SEEDS):
        seen.update(check(seed))
    for kind in ("include", "exclude", "feature_cost", "feature_groups", "signs", "none"):
        assert seen[kind] >= 2, kind
