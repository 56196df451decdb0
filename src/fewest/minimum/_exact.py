"""Separation and its absence, decided in whole numbers.

A double is a fraction whose denominator is a power of two, so a block of data becomes whole numbers
when it is multiplied by one power of two. Separation does not depend on that factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from fewest._types import FloatArray

Integers = list[list[int]]


def as_integers(values: FloatArray) -> Integers:
    """The rows of a block of doubles, all multiplied by the same power of two."""
    mantissa, exponent = np.frexp(np.atleast_2d(values))
    whole = (mantissa * 2.0**53).astype(np.int64)
    used = whole != 0
    shift = np.where(used, exponent - (exponent[used].min() if used.any() else 0), 0)
    return [
        [int(entry) << int(by) for entry, by in zip(row, shifts, strict=True)]
        for row, shifts in zip(whole, shift, strict=True)
    ]


def separates(block: Integers, y: FloatArray, weights: Sequence[int]) -> bool:
    """Whether the weighted sum of every positive sample lies above that of every negative one."""
    scores = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in block]
    lowest = min(score for score, label in zip(scores, y, strict=True) if label > 0)
    highest = max(score for score, label in zip(scores, y, strict=True) if label < 0)
    return lowest > highest


def is_farkas(block: Integers, y: FloatArray, shares: Sequence[int]) -> bool:
    """Whether the shares are one point in the convex hulls of both classes.

    They must be non-negative, not all zero, of equal sum in both classes, and weigh the samples of
    both classes to the same point. No hyperplane can have the classes on its two sides then.
    """
    signed = [share if label > 0 else -share for share, label in zip(shares, y, strict=True)]
    return (
        min(shares) >= 0
        and any(shares)
        and sum(signed) == 0
        and all(
            sum(share * x for share, x in zip(signed, column, strict=True)) == 0
            for column in zip(*block, strict=True)
        )
    )


def farkas_on_support(block: Integers, y: FloatArray, support: Sequence[int]) -> list[int] | None:
    """Farkas shares on the given samples, if they are determined up to a factor, and positive."""
    sign = [1 if y[i] > 0 else -1 for i in support]
    rows = [sign]
    for column in zip(*block, strict=True):
        rows.append([s * column[i] for s, i in zip(sign, support, strict=True)])
    kernel = _kernel_vector(rows)
    if kernel is None:
        return None
    if all(value < 0 for value in kernel):
        kernel = [-value for value in kernel]
    if any(value <= 0 for value in kernel):
        return None
    shares = [0] * len(block)
    divisor = gcd(*kernel)
    for i, value in zip(support, kernel, strict=True):
        shares[i] = value // divisor
    return shares


def decide(block: Integers, y: FloatArray) -> tuple[bool, list[int]]:
    """Whether the samples are separable; weights that separate them, or else Farkas shares.

    The first phase of the simplex method on  sum_i y_i lambda_i (x_i, 1) = 0,  sum_i lambda_i = 1,
    lambda >= 0, in fractions and with Bland's rule, which cannot cycle. If no lambda exists, the
    multipliers of the last step are a hyperplane with every sample strictly on its side.
    """
    n, width = len(block), len(block[0])
    sign = [1 if label > 0 else -1 for label in y]
    height = width + 2
    table = [[Fraction(sign[i] * block[i][j]) for i in range(n)] for j in range(width)]
    table += [[Fraction(s) for s in sign], [Fraction(1)] * n]
    right = [Fraction(0)] * (height - 1) + [Fraction(1)]
    inverse = [[Fraction(int(r == c)) for c in range(height)] for r in range(height)]
    basis = [n + r for r in range(height)]  # artificial variables
    while True:
        artificial = [r for r in range(height) if basis[r] >= n]
        multipliers = [sum((inverse[r][c] for r in artificial), Fraction(0)) for c in range(height)]
        if not any(right[r] for r in artificial):
            shares = [Fraction(0)] * n
            for r in range(height):
                if basis[r] < n:
                    shares[basis[r]] = right[r]
            return False, _whole(shares)
        entering = next(
            (i for i in range(n) if sum(m * table[r][i] for r, m in enumerate(multipliers)) > 0),
            None,
        )
        if entering is None:
            # The multiplier of sum(lambda) = 1 is positive, and no sample can offset it.
            return True, _whole([-value for value in multipliers[:width]])
        column = [
            sum(inverse[r][c] * table[c][entering] for c in range(height)) for r in range(height)
        ]
        leaving = min(
            (r for r in range(height) if column[r] > 0),
            key=lambda r: (right[r] / column[r], basis[r]),
        )
        _pivot(inverse, right, column, leaving)
        basis[leaving] = entering


def _pivot(inverse: Any, right: Any, column: Any, leaving: int) -> None:
    factor = column[leaving]
    inverse[leaving] = [value / factor for value in inverse[leaving]]
    right[leaving] /= factor
    for r in range(len(inverse)):
        if r != leaving and column[r]:
            by = column[r]
            inverse[r] = [a - by * b for a, b in zip(inverse[r], inverse[leaving], strict=True)]
            right[r] -= by * right[leaving]


def _kernel_vector(rows: Integers) -> list[int] | None:
    """The whole-number vector that all rows map to zero, if it is unique up to a factor.

    Gauss-Jordan elimination without fractions (Bareiss): every division leaves no remainder, and
    in the end all pivots are equal.
    """
    matrix = [list(row) for row in rows]
    n_columns = len(matrix[0])
    pivots: list[int] = []
    last = 1
    for column in range(n_columns):
        top = len(pivots)
        found = next((r for r in range(top, len(matrix)) if matrix[r][column]), None)
        if found is None:
            continue
        matrix[top], matrix[found] = matrix[found], matrix[top]
        lead, pivot_row = matrix[top][column], matrix[top]
        for r in range(len(matrix)):
            if r != top:
                by = matrix[r][column]
                matrix[r] = [
                    (lead * a - by * b) // last for a, b in zip(matrix[r], pivot_row, strict=True)
                ]
        last = lead
        pivots.append(column)
    free = [column for column in range(n_columns) if column not in pivots]
    if len(free) != 1:
        return None
    kernel = [0] * n_columns
    kernel[free[0]] = last
    for r, column in enumerate(pivots):
        kernel[column] = -matrix[r][free[0]]
    return kernel


def _whole(values: Sequence[Fraction]) -> list[int]:
    """The same vector times the smallest number that makes it whole."""
    factor = lcm(*(value.denominator for value in values))
    return [int(value * factor) for value in values]
