"""Whether a hyperplane separates two classes strictly, in whole numbers: no rounding, no tolerance.

Two finite sets are strictly separable unless their convex hulls share a point. A shared point is a
solution of linear equations in shares that are not negative; the simplex method with Bland's rule
finds one, or ends. All entries are integers: rows are kept over one common denominator.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np


def is_separable(X: Any, positive: Any, signs: Sequence[float] | None = None) -> bool:
    """Whether w . x + b > 0 for the positive samples and < 0 for the others, for some w and b.

    With `signs`, a weight must not be negative (1) or not be positive (-1).
    """
    X = np.asarray(X, dtype=np.float64)
    positive = np.asarray(positive, dtype=bool)
    has_signs = signs is not None and any(signs)
    if X.shape[1] == 1 and not has_signs:  # a line needs no simplex method
        up, down = X[positive, 0], X[~positive, 0]
        return bool(up.min() > down.max() or up.max() < down.min())
    return not find_conflict(X, positive, signs)


def find_conflict(X: Any, positive: Any, signs: Sequence[float] | None = None) -> list[int]:
    """Few samples that no hyperplane separates, if there are any: no part of them needs to do."""
    X = np.asarray(X, dtype=np.float64)
    signs = [0.0] * X.shape[1] if signs is None else list(signs)
    # A weight of one sign is the same as also allowing shifts in its direction.
    return _shared_point(_as_integers(X), np.asarray(positive, dtype=bool), signs)


def separates_all(X: Any, y: Any, signs: Sequence[float] | None = None) -> bool:
    """Whether every two of the classes are strictly separable in these columns."""
    X, y = np.asarray(X), np.asarray(y)
    if not X.shape[1]:
        return False
    return not any(True for _ in list_inseparable(X, y, signs))


def list_inseparable(X: Any, y: Any, signs: Sequence[float] | None = None) -> Any:
    """The pairs of classes that no hyperplane separates."""
    for first, second in combinations(sorted(set(np.asarray(y).tolist())), 2):
        rows = (y == first) | (y == second)
        if not is_separable(X[rows], y[rows] == second, signs):
            yield first, second


def _as_integers(X: np.ndarray) -> list[list[int]]:
    """Each column times a number of its own."""
    columns = []
    for column in X.T:
        values = [Fraction(float(value)) for value in column]
        factor = lcm(*(value.denominator for value in values))
        columns.append([int(value * factor) for value in values])
    return columns


def _shared_point(columns: list[list[int]], positive: np.ndarray, signs: list[float]) -> list[int]:
    """Samples of both classes, shares of which have the same (shifted) mean; none without any."""
    side = [1 if one else -1 for one in positive]
    rows = []
    slacks = sum(1 for sign in signs if sign)
    slack = 0
    for column, sign in zip(columns, signs, strict=True):
        base = column[0]  # a shift of all samples changes nothing, and keeps numbers small
        extra = [0] * slacks
        if sign:
            extra[slack], slack = (1 if sign > 0 else -1), slack + 1
        rows.append([s * (v - base) for s, v in zip(side, column, strict=True)] + extra + [0])
    rows.append([int(one) for one in positive] + [0] * slacks + [1])
    rows.append([int(not one) for one in positive] + [0] * slacks + [1])
    return [place for place in _solve(rows) if place < len(positive)]


def _solve(rows: list[list[int]]) -> list[int]:
    """Where a solution x >= 0 of A x = b is not zero, if there is one; the last column is b >= 0.

    Phase one of the simplex method, exactly.
    """
    rows = [list(row) for row in rows]
    width = len(rows[0]) - 1
    # One artificial variable per row; the goal is their sum, written by the rows it starts from.
    goal = [sum(row[place] for row in rows) for place in range(width + 1)]
    basis = [-1] * len(rows)  # -1: artificial
    denominator = 1
    while goal[-1] > 0:
        entering = next((j for j in range(width) if goal[j] > 0), None)
        if entering is None:
            return []
        leaving = None
        for r, row in enumerate(rows):
            if row[entering] <= 0:
                continue
            if leaving is None:
                leaving = r
                continue
            best = rows[leaving]
            one, other = row[-1] * best[entering], best[-1] * row[entering]
            if one < other or (one == other and basis[r] < basis[leaving]):
                leaving = r
        assert leaving is not None, "the sum of artificial variables is bounded"
        pivot_row, pivot = rows[leaving], rows[leaving][entering]
        for r, row in enumerate(rows):
            if r != leaving:
                factor = row[entering]
                rows[r] = [
                    (pivot * a - factor * b) // denominator
                    for a, b in zip(row, pivot_row, strict=True)
                ]
        factor = goal[entering]
        goal = [
            (pivot * a - factor * b) // denominator for a, b in zip(goal, pivot_row, strict=True)
        ]
        basis[leaving], denominator = entering, pivot
    return sorted(place for place, row in zip(basis, rows, strict=True) if row[-1])
