"""Any rules together, with and without errors, for two to four classes, against all subsets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fuzzing.data import draw_small, stretch_values
from fuzzing.rules import draw_extra, draw_rules
from fuzzing.searches import check_front, check_minimum, check_near


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng([13, case])
    X, y = draw_small(rng)
    X, d = stretch_values(case, X), X.shape[1]
    rules = draw_rules(rng, d, len(np.unique(y)))
    match rng.integers(4):
        case 0:
            check_minimum(X, y, rules)
        case 1:
            check_minimum(X, y, rules, int(rng.integers(1, 4)))
        case 2:
            prices = np.array(list(rules.get("feature_cost", {0: 1.0}).values()))
            check_near(X, y, rules, draw_extra(rng, prices))
        case _:
            check_front(X, y, rules, int(rng.integers(1, d + 1)))
