"""The fewest errors of any hyperplane, by hyperplanes through samples, in whole numbers.

A hyperplane that leaves some errors can be moved until it is spanned by samples. Those off it keep
their sides. Those on it are divided by a hyperplane of their own, one dimension lower, to which the
first one can be tilted. So the fewest errors are those of the best hyperplane through samples.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import lcm

import numpy as np


def fewest_errors(points, labels):
    """The fewest samples that are not strictly on their side of any hyperplane (or constant)."""
    points = [[Fraction(value) for value in point] for point in points]
    factor = lcm(*(value.denominator for point in points for value in point))
    points = [tuple(int(value * factor) for value in point) for point in points]
    return _fewest(points, [bool(label) for label in labels])


def fewest_errors_by_size(X, y, most=None):
    """For k = 0, 1, ..., the fewest errors of any k columns; and all sets that leave so many."""
    d = X.shape[1]
    front, sets, errors = [], [], {}
    for k in range((d if most is None else most) + 1):
        for columns in combinations(range(d), k):
            errors[columns] = fewest_errors(X[:, columns], y)
        fewest = min(errors.values())
        front.append(fewest)
        sets.append(sorted(c for c, e in errors.items() if len(c) == k and e == fewest))
    return front, sets


def _fewest(points, labels):
    best = min(labels.count(True), labels.count(False))
    if not best:
        return 0
    points = _span(points)
    width = len(points[0])
    if width == 0:
        return best
    seen = set()
    for chosen in combinations(range(len(points)), width):
        plane = _plane([points[i] for i in chosen])
        if plane is None:
            continue
        normal, offset = plane
        sides = [sum(a * b for a, b in zip(normal, p, strict=True)) - offset for p in points]
        off = sum((s > 0) != label for s, label in zip(sides, labels, strict=True) if s)
        n_off = sum(s != 0 for s in sides)
        on = tuple(i for i, s in enumerate(sides) if s == 0)
        if min(off, n_off - off) < best and on not in seen:
            seen.add(on)
            inside = _fewest([points[i] for i in on], [labels[i] for i in on])
            best = min(best, off + inside, n_off - off + inside)
    return best


def _reduce(rows):
    """Rows in which each pivot is the only entry of its column, and the pivots."""
    rows, pivots = [list(row) for row in rows], []
    for column in range(len(rows[0]) if rows else 0):
        top = len(pivots)
        lead = next((r for r in range(top, len(rows)) if rows[r][column]), None)
        if lead is None:
            continue
        rows[top], rows[lead] = rows[lead], rows[top]
        pivot = rows[top][column]
        for r in range(len(rows)):
            if r != top and rows[r][column]:
                other = rows[r][column]
                rows[r] = [a * pivot - other * b for a, b in zip(rows[r], rows[top], strict=True)]
        pivots.append(column)
    return rows, pivots


def _span(points):
    """The points in coordinates of the affine space that they span."""
    first = points[0]
    _, pivots = _reduce([[a - b for a, b in zip(p, first, strict=True)] for p in points[1:]])
    return [tuple(point[column] for column in pivots) for point in points]


def _plane(points):
    """Normal and offset of the hyperplane through the points, if they span one."""
    first, width = points[0], len(points)
    rows, pivots = _reduce([[a - b for a, b in zip(p, first, strict=True)] for p in points[1:]])
    if len(pivots) < width - 1:
        return None
    free = next(column for column in range(width) if column not in pivots)
    normal = [0] * width
    normal[free] = lcm(*(row[pivot] for row, pivot in zip(rows, pivots, strict=False)))
    for row, pivot in zip(rows, pivots, strict=False):
        normal[pivot] = -row[free] * (normal[free] // row[pivot])
    return normal, sum(a * b for a, b in zip(normal, first, strict=True))


def random_labelled(seed, n=None, d=None):
    """Few samples and columns: ties, copies, constant columns, rare classes, noise and tenths."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12)) if n is None else n
    d = int(rng.integers(1, 6)) if d is None else d
    kind = rng.integers(4)
    if kind == 0:
        X = rng.standard_normal((n, d))
    elif kind == 1:
        X = rng.integers(-1, 2, (n, d)).astype(float)
    elif kind == 2:
        X = rng.integers(-3, 4, (n, d)) / 10
    else:
        X = rng.integers(0, 8, (n, d)).astype(float)
    if d > 2 and rng.random() < 0.3:
        X[:, 1] = -X[:, 0]
    if d > 1 and rng.random() < 0.2:
        X[:, -1] = 3.0
    if rng.random() < 0.3:
        X[n // 2 :] = X[: n - n // 2]
    if rng.random() < 0.6:
        score = X @ rng.standard_normal(d) + rng.standard_normal(n) * rng.choice([0, 0.5, 2])
        y = (score > np.median(score)).astype(int)
    else:
        y = (rng.random(n) < rng.choice([0.15, 0.5])).astype(int)
    y[:2] = 0, 1
    return X, y


def tossed(seed=0, n=18, d=7):
    """Labels by coin; the fewest errors of 0 to 3 features are 7, 5, 3, 2 (by brute force)."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, d)))
    return X, np.where(rng.random(n) < 0.5, "ill", "healthy"), [7, 5, 3, 2]
