"""Prices over 20 orders of magnitude, and ties that only exact sums see, against all subsets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fuzzing.data import draw_small
from fuzzing.rules import draw_extra, draw_prices
from fuzzing.searches import check_front, check_minimum, check_near


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng([14, case])
    X, y = draw_small(rng)
    d = X.shape[1]
    prices = draw_prices(rng, d)
    rules = {"feature_cost": dict(enumerate(prices.tolist()))}
    if rng.random() < 0.2:
        rules["exclude" if rng.random() < 0.5 else "include"] = [int(prices.argmax())]
    if rng.random() < 0.2:
        groups = rng.integers(0, 3, d)
        rules["feature_groups"] = {g: np.flatnonzero(groups == g).tolist() for g in set(groups)}
    match rng.integers(4):
        case 0:
            check_minimum(X, y, rules)
        case 1:
            check_near(X, y, rules, draw_extra(rng, prices))
        case 2:
            rules.pop("feature_groups", None)
            check_minimum(X, y, rules, int(rng.integers(1, 4)))
        case _:
            rules.pop("feature_groups", None)
            check_front(X, y, rules, int(rng.integers(1, d + 1)))
