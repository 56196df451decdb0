"""The certified minimum under rules about features against all subsets, in whole numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fewest import minimum_features
from fuzzing.data import stretch_values
from fuzzing.oracles.fractions import separates_all
from fuzzing.oracles.ruled import paid_for, random_rules, separating_sets
from fuzzing.outcome import require


def check(case: int, folder: Path) -> None:
    X, y, rules = random_rules(case)
    X = stretch_values(case, X)
    wanted = separating_sets(X, y, rules, separates_all)
    found = minimum_features(X, y, n_solutions=None, **rules)
    require(found.certified, "not certified")
    require(found.verify(X, y, search=True), "its own proof does not hold")
    if not wanted:
        require(found.size is None and found.price is None, f"{found.subsets}, but none separates")
        require(np.isinf(found.price_bound), f"price bound {found.price_bound}")
        return
    price = min(wanted.values())
    for name in ("price", "price_bound"):
        value = getattr(found, name)
        require(value == float(price), f"{name} {value}, by brute force {price}")
    best = {columns for columns, cost in wanted.items() if cost == price}
    listed = [tuple(subset.tolist()) for subset in found.subsets]
    require(len(listed) == len(set(listed)), f"a set is listed twice: {listed}")
    require(set(listed) <= best, f"sets {listed}, by brute force {sorted(best)}")
    if "feature_groups" in rules and not rules.get("one_per_group"):
        d = X.shape[1]
        kinds = [paid_for(columns, rules, d) for columns in listed]
        require(len(kinds) == len(set(kinds)) == found.n_found, "a choice is listed twice")
        require(set(kinds) == {paid_for(columns, rules, d) for columns in best}, "choices missing")
    else:
        require(set(listed) == best, f"sets {listed}, by brute force {sorted(best)}")
