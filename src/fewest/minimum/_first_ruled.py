"""A cheap separating set to start from, under rules about features."""

from __future__ import annotations

import numpy as np

from fewest._estimators.rules import Rules
from fewest._solvers.terms import Terms
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock
from fewest.minimum._leaves import rules_of
from fewest.minimum._upper import find_first_set

_MOST_BANS = 20


def find_ruled_set(
    X: FloatArray, y: FloatArray, columns: IndexArray, rules: Rules, clock: Clock
) -> IndexArray | None:
    """Some of the columns that are likely to separate two classes at a low price.

    Those that are always in are among them. None if no hyperplane was found. Where a group may have
    one feature only, those beside its largest weight are left out, and the search begins again.
    """
    for _ in range(_MOST_BANS):
        if not len(columns):
            return None
        known = rules.relative_terms
        terms = Terms(known.price[columns], None if known.groups is None else known.groups[columns])
        signs = rules_of(rules.weight_signs, columns.tolist())
        found = find_first_set(np.asfortranarray(X[:, columns]), y, clock, terms, signs)
        if found is None:
            return None
        used = columns[list(found.columns)]
        crowded = rules.find_crowded(used, _measure_weights(found.weights[0]))
        if not len(crowded):
            return np.union1d(used, columns[rules.included[columns]])
        columns = np.setdiff1d(columns, crowded)
    return None


def _measure_weights(weights: tuple[int, ...]) -> FloatArray:
    """Sizes of whole numbers that may be beyond all doubles, beside the largest."""
    largest = max(map(abs, weights))
    return np.array([abs(weight) / largest for weight in weights])
