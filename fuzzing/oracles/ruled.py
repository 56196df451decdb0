"""Brute force under rules about features: all subsets, each with a linear program of its own."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from fuzzing.oracles.subsets import random_classes, random_problem


def separable(Z, y, signs):
    """Whether some weights with these signs put every pair of classes on two sides."""
    if not Z.shape[1]:
        return False
    scale = np.abs(Z).max(axis=0)
    Z = Z / np.where(scale > 0, scale, 1.0)
    bounds = [(0 if s > 0 else -1, 0 if s < 0 else 1) for s in signs]
    for first, second in combinations(np.unique(y), 2):
        rows = (y == first) | (y == second)
        side = np.where(y[rows] == second, 1.0, -1.0)
        answer = linprog(
            [*np.zeros(Z.shape[1] + 1), -1.0],
            A_ub=np.column_stack([-side[:, None] * Z[rows], -side, np.ones(rows.sum())]),
            b_ub=np.zeros(rows.sum()),
            bounds=[*bounds, (None, None), (0, 1)],
        )
        if -answer.fun < 1e-8:
            return False
    return True


def price_of(columns, rules, d):
    """What a set costs, exactly, by the decimal numbers as which prices are printed.

    None if it breaks a rule.
    """
    include, exclude = rules.get("include", []), rules.get("exclude", [])
    if not set(include) <= set(columns) or set(exclude) & set(columns):
        return None
    given = rules.get("feature_cost", {})
    cost = {j: Fraction(repr(float(given.get(j, 1.0)))) for j in columns}
    paid = [j for j in columns if j not in include]
    group_of = {j: name for name, js in rules.get("feature_groups", {}).items() for j in js}
    if rules.get("one_per_group"):
        names = [group_of[j] for j in columns if j in group_of]
        if len(names) > len(set(names)):
            return None
        return sum((cost[j] for j in paid), Fraction(0))
    total = sum((cost[j] for j in paid if j not in group_of), Fraction(0))
    for name in set(group_of.values()):
        total += max((cost[j] for j in paid if group_of.get(j) == name), default=Fraction(0))
    return total


def separating_sets(X, y, rules, separable=separable):
    """Every set that follows the rules and separates, with its price; included features in it.

    `separable(X, y, signs)` decides; a linear program unless another way is given.
    """
    d = X.shape[1]
    signs = np.zeros(d)
    for column, sign in rules.get("signs", {}).items():
        signs[column] = 0 if column in rules.get("include", []) else sign
    found = {}
    for size in range(d + 1):
        for columns in combinations(range(d), size):
            price = price_of(columns, rules, d)
            if price is None:
                continue
            chosen = list(columns)
            if separable(X[:, chosen], y, signs[chosen]):
                found[columns] = price
    return found


def paid_for(columns, rules, d):
    """All features that a set pays for: with groups that are paid once, sets of one kind."""
    price = price_of(columns, rules, d)
    return frozenset(
        j
        for j in range(d)
        if j in columns or price_of(tuple(sorted({*columns, j})), rules, d) == price
    )


def random_prices(rng, d):
    """Prices of one kind: few values, with one that says "never", of any size, or long ones."""
    kind = int(rng.integers(5))
    if kind == 0:
        return rng.choice([0.1, 0.2, 0.5, 1.0, 2.0, 3.0], size=d)
    if kind == 1:
        prices = rng.choice([1.0, 2.0, 3.0], size=d)
        prices[rng.integers(d)] = 1e12
        return prices
    if kind == 2:
        return 10.0 ** rng.uniform(-10, 10, d)
    if kind == 3:  # ties of decimal numbers
        return rng.choice([0.1, 0.2, 0.3, 0.6, 0.7], size=d)
    return 1.0 + rng.integers(0, 3, d) * 2.0**-52  # sums need more than 53 bits


def random_rules(seed):
    """Data of up to eight columns, and rules of one kind or of several."""
    rng = np.random.default_rng(seed)
    n_classes = 2 if rng.random() < 0.8 else 3
    X, y = random_problem(seed) if n_classes == 2 else random_classes(seed)
    n = len(y) if rng.random() < 0.3 or len(np.unique(y[:10])) < n_classes else 10
    X, y, d = X[:n, :7], y[:n], min(X.shape[1], 7)
    names = ["include", "exclude", "feature_cost", "feature_groups", "signs"]
    wanted = {str(one) for one in rng.choice(names, size=int(rng.integers(1, 4)), replace=False)}
    order = [int(j) for j in rng.permutation(d)]
    rules = {}
    if "include" in wanted:
        rules["include"] = order[: int(rng.integers(1, 3))]
    if "exclude" in wanted and d > 3:
        rules["exclude"] = order[-int(rng.integers(1, 3)) :]
        rules["exclude"] = [j for j in rules["exclude"] if j not in rules.get("include", [])]
    if "feature_cost" in wanted:
        prices = random_prices(rng, d)
        rules["feature_cost"] = {j: float(prices[j]) for j in range(d) if rng.random() < 0.8}
    if "feature_groups" in wanted:
        labels = rng.integers(-1, 3, size=d)
        groups = {g: [j for j in range(d) if labels[j] == g] for g in range(3)}
        if rng.random() < 0.5:
            rules["one_per_group"] = True
            free = set(rules.get("include", []))
            groups = {g: js for g, js in groups.items() if len(free & set(js)) < 2}
        rules["feature_groups"] = groups
    if "signs" in wanted and len(np.unique(y)) == 2:
        rules["signs"] = {j: int(rng.choice([-1, 0, 1])) for j in range(d)}
    rules = {name: value for name, value in rules.items() if value}
    return X, y, rules or {"feature_cost": {0: 2.0}}
