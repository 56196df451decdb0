"""All sets near the minimum, with and without rules, against all subsets in whole numbers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from fewest import near_optimal_sets
from fuzzing.data import stretch_values
from fuzzing.oracles.fractions import separates_all
from fuzzing.oracles.ruled import paid_for, random_rules, separating_sets
from fuzzing.oracles.subsets import random_classes, random_problem
from fuzzing.outcome import require


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng(case)
    if rng.random() < 0.5:
        X, y, rules = random_rules(case)
    else:
        X, y = (random_problem if rng.random() < 0.6 else random_classes)(case)
        rows = np.arange(min(12, len(y)))
        if len(np.unique(y[rows])) < 2:
            rows[-1] = np.flatnonzero(y != y[0])[0]
        X, y, rules = X[rows, :7], y[rows], {}
    X = stretch_values(case, X)
    extra = float(rng.choice([0.0, 0.5, 1.0, 2.0]))
    found = near_optimal_sets(X, y, extra=extra, **rules)
    require(found.complete, "not complete")
    require(found.verify(X, y), "its own proof does not hold")
    wanted = separating_sets(X, y, rules, separates_all)
    listed = [tuple(subset.tolist()) for subset in found.subsets]
    if not wanted:
        require(not listed, f"sets {listed}, but none separates")
        return
    price = min(wanted.values())
    minimal = {one for one in wanted if not any(set(other) < set(one) for other in wanted)}
    near = {one for one in minimal if wanted[one] <= price + Fraction(extra)}
    require(found.minimum.price == float(price), f"{found.minimum.price}, not {price}")
    require(len(listed) == len(set(listed)), f"a set is listed twice: {listed}")
    for columns, cost in zip(listed, found.prices, strict=True):
        require(columns in near, f"{columns} is no minimal set near the minimum")
        require(cost == float(wanted[columns]), f"{columns} costs {wanted[columns]}")
    if "feature_groups" in rules and not rules.get("one_per_group"):
        d = X.shape[1]
        kinds = [paid_for(one, rules, d) for one in listed]
        require(len(kinds) == len(set(kinds)), "a choice of groups is listed twice")
        missing = [
            one for one in near if not any(kind <= paid_for(one, rules, d) for kind in kinds)
        ]
        require(not missing, f"choices are missing: {missing}")
    else:
        require(set(listed) == near, f"missing: {sorted(near.difference(listed))}")
