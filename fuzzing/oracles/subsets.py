"""Brute force over all subsets, each settled by a linear program."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import linprog


def margin_by_lp(Z, y):
    """Largest t with y_i (w . z_i + b) >= t and |w|, |b| <= 1; zero if not separable."""
    n, k = Z.shape
    scale = np.abs(Z).max(axis=0)
    Z = (Z - Z.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    answer = linprog(
        np.concatenate([np.zeros(k + 1), [-1.0]]),
        A_ub=np.column_stack([-y[:, None] * Z, -y, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * (k + 1) + [(0, 1)],
        method="highs",
    )
    return -answer.fun


def separable_by_lp(Z, y):
    """The data of these tests are small whole numbers or noise: margins are zero or visible."""
    return margin_by_lp(Z, y) > 1e-7


def inseparable_pairs(X, y):
    """The pairs of labels that a linear program cannot separate in these columns."""
    pairs = []
    for first, second in combinations(sorted(set(y.tolist())), 2):
        rows = (y == first) | (y == second)
        if not separable_by_lp(X[rows], np.where(y[rows] == second, 1.0, -1.0)):
            pairs.append((first, second))
    return pairs


def separates_all_by_lp(X, y):
    """Whether a linear program separates every two classes in these columns."""
    return not inseparable_pairs(X, y)


def brute_force(X, y, separates=separates_all_by_lp):
    """Size and all smallest subsets that separate all pairs of classes; (None, []) if none do."""
    d = X.shape[1]
    if not separates(X, y):
        return None, []
    for size in range(1, d + 1):
        found = [
            columns for columns in combinations(range(d), size) if separates(X[:, list(columns)], y)
        ]
        if found:
            return size, found
    raise AssertionError("all columns separate, but no subset does")


def random_problem(seed):
    """Up to 20 x 12, noise or few whole numbers; some columns are copied, mirrored or constant.

    Labels come from a hidden plane or a coin, so that small, large and no sets at all occur.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 21))
    d = 12 if seed % 25 == 0 else int(rng.integers(1, 8))
    if rng.random() < 0.5:
        X = rng.standard_normal((n, d))
    else:
        X = rng.integers(-3, 4, size=(n, d)).astype(float)
    if d > 3 and rng.random() < 0.4:
        X[:, 1] = X[:, 0]
        X[:, 2] = -X[:, 3]
    if d > 1 and rng.random() < 0.2:
        X[:, -1] = 2.0
    if rng.random() < 0.6:
        used = rng.choice(d, size=min(d, int(rng.integers(1, 6))), replace=False)
        score = X[:, used] @ rng.standard_normal(len(used))
        y = np.where(score > np.median(score), 1.0, -1.0)
    else:
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def random_classes(seed):
    """As `random_problem`, with three or four classes from the sides of two hidden planes.

    Some samples get another label, and some are copied, with another label now and then.
    """
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 25)), int(rng.integers(2, 8))
    n_classes = int(rng.integers(3, 5))
    whole = rng.random() < 0.5
    X = rng.integers(-3, 4, (n, d)).astype(float) if whole else rng.standard_normal((n, d))
    if d > 3 and rng.random() < 0.4:
        X[:, 1] = X[:, 0]
        X[:, 2] = -X[:, 3]
    if rng.random() < 0.2:
        X[:, -1] = 2.0
    sides = []
    for _ in range(2):
        used = rng.choice(d, size=min(d, int(rng.integers(1, 5))), replace=False)
        sides.append(X[:, used] @ rng.choice([-1.0, 1.0], len(used)) + 0.3 > 0)
    y = np.minimum(2 * sides[0] + sides[1], n_classes - 1)
    for label in range(n_classes):
        if label not in y or rng.random() < 0.1:
            y[label] = label
    if rng.random() < 0.3:
        X[-1] = X[0]
        y[-1] = y[0] if rng.random() < 0.5 else y[1]
    return X, y
