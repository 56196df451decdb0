"""Random rules about features, and prices for which sums of doubles are not good enough."""

from __future__ import annotations

from typing import Any

import numpy as np


def draw_prices(rng: np.random.Generator, d: int) -> np.ndarray:
    """Prices over 20 orders of magnitude, "never" among small ones, ties in decimals, long sums."""
    match rng.integers(8):
        case 0:
            return 10.0 ** rng.uniform(-10.0, 10.0, d)
        case 1:
            prices = rng.choice([1.0, 2.0, 3.0], d)
            prices[rng.integers(d)] = rng.choice([1e9, 1e12, 1e15])
        case 2:  # 0.1 + 0.2 is 0.3, and so are many other sums
            prices = rng.integers(1, 10, d) / 10.0
        case 3:  # more than 53 bits
            prices = rng.choice([2.0**53, 1.0, 2.0, 0.5, 1e-3, 3e-7], d)
        case 4:  # last digits
            prices = 1.0 + rng.choice([0.0, 2.0**-52, 2.0**-51, 1e-9, -1e-9], d)
        case 5:  # all the same, in any unit
            return np.full(d, 10.0 ** rng.integers(-12, 13) * rng.choice([1.0, 0.3, 7.0]))
        case 6:  # ties in any unit
            prices = rng.integers(1, 6, d) * 10.0 ** rng.integers(-12, 13)
        case _:
            prices = rng.choice([1e-9, 1.0, 1e10], d) * rng.integers(1, 4, d)
    return prices


def draw_extra(rng: np.random.Generator, prices: np.ndarray) -> float:
    """How far sets may be from the minimum: nothing, one, or what a feature costs, or nearly so."""
    match rng.integers(4):
        case 0:
            return float(rng.choice([0.0, 0.5, 1.0, 2.0]))
        case 1:
            return float(np.nextafter(rng.choice(prices), 0.0))
        case _:
            return float(rng.choice(prices))


def draw_rules(rng: np.random.Generator, d: int, n_classes: int) -> dict[str, Any]:
    """Any of all rules together; none contradicts another."""
    order = [int(j) for j in rng.permutation(d)]
    rules: dict[str, Any] = {}
    if rng.random() < 0.4:
        rules["include"] = order[: int(rng.integers(1, 3))]
    if rng.random() < 0.3:
        rules["exclude"] = [j for j in order[-2:] if j not in rules.get("include", [])][: d - 1]
    if rng.random() < 0.5:
        prices = draw_prices(rng, d)
        rules["feature_cost"] = {j: float(prices[j]) for j in range(d) if rng.random() < 0.9}
    if rng.random() < 0.4:
        labels, one_per_group = rng.integers(-1, 3, d), rng.random() < 0.6
        groups = {g: np.flatnonzero(labels == g).tolist() for g in range(3) if g in labels}
        included = set(rules.get("include", []))
        if one_per_group:
            groups = {g: js for g, js in groups.items() if len(included & set(js)) < 2}
        if groups:
            rules["feature_groups"], rules["one_per_group"] = groups, one_per_group
    if rng.random() < (0.4 if n_classes == 2 else 0.05):
        rules["signs"] = {j: int(rng.choice([-1, 0, 1])) for j in range(d)}
    return {name: value for name, value in rules.items() if value}
