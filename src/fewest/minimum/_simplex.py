"""A small simplex method, compiled: a point in the hulls of both classes, or a hyperplane.

The first phase of the simplex method on the program of `_leaves.decide`, in doubles. A few columns
take microseconds, where a general solver takes milliseconds. Its answers are guesses: whoever calls
it puts them into whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fewest._types import FloatArray
from fewest.minimum._classes import ClassPair
from fewest.minimum._leaves import (
    RuledOut,
    Signs,
    as_integers,
    is_farkas,
    lift_columns,
    rule_out,
    rules_of,
    separates,
    settle_pair,
)

SEPARABLE, SHARED_POINT, UNKNOWN = 0, 1, 2
_MOST_COLUMNS = 16  # beyond that, a general solver is as fast
_ZERO = 1e-9
_MOST_PIVOTS, _CAREFUL_PIVOTS = 400, 100  # Bland's rule, which cannot cycle, from then on


def settle_quickly(
    X: FloatArray, pair: ClassPair, columns: tuple[int, ...], signs: Signs | None = None
) -> tuple[int, ...] | RuledOut:
    """`settle_pair`, by the small simplex method where its answer survives in whole numbers."""
    if 0 < len(columns) <= _MOST_COLUMNS:
        block, ruled = X[pair.rows[:, None], columns], rules_of(signs, columns)
        answer = _settle_block(block, pair.y, ruled)
        if isinstance(answer, RuledOut):
            samples = pair.rows[list(answer.samples)]
            return RuledOut(columns, tuple(samples.tolist()), answer.shares)
        if answer is not None:
            return answer
    return settle_pair(X, pair, columns, signs)


def _settle_block(
    block: FloatArray, y: FloatArray, signs: Signs | None
) -> tuple[int, ...] | RuledOut | None:
    width = block.shape[1]
    ruled = np.zeros(width, dtype=np.int8) if signs is None else signs
    lifted, shifts = lift_columns(block)
    scale = np.abs(lifted).max(axis=0)
    spread = lifted.std(axis=0)
    scale = np.where(spread > 0, spread, np.where(scale > 0, scale, 1.0))
    status, shares, slacks, weights = find_common_point(
        (lifted - lifted.mean(axis=0)) / scale, y, ruled
    )
    if status == UNKNOWN:
        return None
    if status == SEPARABLE:
        # What rounding leaves on the wrong side of zero must not survive.
        found = tuple(as_integers(np.where(ruled * weights < 0, 0.0, weights) / scale) << shifts)
        return found if separates(as_integers(block), y, found) else None
    samples = np.flatnonzero(shares > _ZERO * shares.max())
    tight = np.flatnonzero(slacks <= _ZERO * shares.sum())
    leaf = rule_out(block, y, tight.tolist(), samples)
    if leaf is None:
        return None
    if signs is not None and not is_farkas(
        as_integers(block[samples]), y[samples], leaf.shares, signs
    ):
        return None
    return RuledOut(tuple(range(width)), leaf.samples, leaf.shares)


@njit(cache=True)
def find_common_point(Z: Any, y: Any, signs: Any) -> tuple[int, Any, Any, Any]:
    """Shares of samples that average both classes to one point, or weights that separate them.

    Returns what was found, the shares, the slacks of columns whose weight must have a sign, and the
    weights.
    """
    n, width = Z.shape
    height = width + 2
    # Samples, slacks, the inverse of the basis (artificial variables first), right-hand side.
    end = n + width + height
    table = np.zeros((height, end + 1))
    for i in range(n):
        for j in range(width):
            table[j, i] = y[i] * Z[i, j]
        table[width, i], table[width + 1, i] = y[i], 1.0
    for j in range(width):
        table[j, n + j] = signs[j]
    for r in range(height):
        table[r, n + width + r] = 1.0
    table[width + 1, end] = 1.0
    basis = np.full(height, -1)
    gains = np.zeros(end + 1)
    shares, slacks, weights = np.zeros(n), np.zeros(width), np.zeros(width)
    for pivot in range(_MOST_PIVOTS):
        gains[:] = 0.0
        for r in range(height):
            if basis[r] < 0:
                gains += table[r]
        if gains[end] <= _ZERO:
            for r in range(height):
                if 0 <= basis[r] < n:
                    shares[basis[r]] = max(0.0, table[r, end])
                elif basis[r] >= n:
                    slacks[basis[r] - n] = max(0.0, table[r, end])
            return SHARED_POINT, shares, slacks, weights
        entering, best = -1, 1e-10
        for i in range(n + width):
            if gains[i] > best:
                entering, best = i, gains[i]
                if pivot >= _CAREFUL_PIVOTS:
                    break
        if entering < 0:
            for j in range(width):
                weights[j] = -gains[n + width + j]
            return SEPARABLE, shares, slacks, weights
        leaving, lowest = -1, np.inf
        for r in range(height):
            if table[r, entering] > 1e-10:
                ratio = table[r, end] / table[r, entering]
                # Among equal ratios artificial variables leave first, then large pivots.
                if ratio < lowest - 1e-12 or (
                    ratio <= lowest + 1e-12
                    and (basis[r] < 0, table[r, entering])
                    > (basis[leaving] < 0, table[leaving, entering])
                ):
                    leaving, lowest = r, ratio
        if leaving < 0:
            return UNKNOWN, shares, slacks, weights
        table[leaving] /= table[leaving, entering]
        for r in range(height):
            if r != leaving and table[r, entering] != 0.0:
                table[r] -= table[r, entering] * table[leaving]
        basis[leaving] = entering
    return UNKNOWN, shares, slacks, weights
