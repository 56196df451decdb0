"""Brute force with errors, under rules or for many classes: all sets, all samples left out."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from fuzzing.oracles.errors import fewest_errors
from fuzzing.oracles.fractions import find_conflict
from fuzzing.oracles.ruled import price_of, random_prices


def errors_of(X, y, columns, signs):
    """The fewest samples without which every two classes are separated by weights of these signs.

    Where two classes are not separable, some samples show it, and one of them is wrong. For two
    classes without signs, the answer is that of all hyperplanes through samples.
    """
    columns = list(columns)
    labels = np.unique(y)
    if not columns:
        return len(y) - int(np.unique(y, return_counts=True)[1].max())
    if len(labels) == 2 and not signs[columns].any():
        return fewest_errors(X[:, columns], y == labels[1])
    known: dict[tuple[int, ...], list[int]] = {}

    def conflict(left):
        """Samples of which one is wrong; none if every two classes are separable."""
        if left not in known:
            known[left] = []
            for two in combinations(np.unique(y[list(left)]).tolist(), 2):
                rows = [i for i in left if y[i] in two]
                found = find_conflict(X[np.ix_(rows, columns)], y[rows] == two[1], signs[columns])
                if found:
                    known[left] = [rows[place] for place in found]
                    break
        return known[left]

    def is_enough(left, errors, tried):
        if left in tried:
            return False
        tried.add(left)
        wrong = conflict(left)
        if not wrong or not errors:
            return not wrong
        return any(
            is_enough(tuple(i for i in left if i != one), errors - 1, tried) for one in wrong
        )

    return next(e for e in range(len(y)) if is_enough(tuple(range(len(y))), e, set()))


def price_all(X, y, rules, most=None):
    """Every set that follows the rules, of up to `most` features besides those always in.

    A dict of the sets with their price and their errors.
    """
    d = X.shape[1]
    signs = np.zeros(d)
    for column, sign in rules.get("signs", {}).items():
        signs[column] = 0 if column in rules.get("include", []) else sign
    n_included = len(rules.get("include", []))
    found = {}
    for size in range(d + 1):
        for columns in combinations(range(d), size):
            price = price_of(columns, rules, d)
            if price is None or (most is not None and size - n_included > most):
                continue
            found[columns] = price, errors_of(X, y, columns, signs)
    return found


def pareto(found):
    """The lowest price for each number of errors that only a higher price lowers."""
    front = []
    for price, errors in sorted(found.values()):
        if not front or errors < front[-1][1]:
            front.append((price, errors))
    return front


def random_ruled(seed, *, prices=False):
    """Few samples and columns, two classes, and rules; prices of features only if asked for."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 10)), int(rng.integers(3, 6))
    X = rng.integers(-3, 4, (n, d)).astype(float) if seed % 2 else rng.standard_normal((n, d))
    if rng.random() < 0.3:
        X[:, 1] = X[:, 0] * rng.choice([-1, 1])
    if rng.random() < 0.2:
        X[1] = X[0]
    if rng.random() < 0.2:
        X[:, -1] = 2.0
    y = (X @ rng.standard_normal(d) + rng.standard_normal(n) * rng.choice([0, 1, 4]) > 0).astype(
        int
    )
    y[:2] = 0, 1
    names = ["include", "exclude", "signs", "one_per_group"]
    wanted = {str(one) for one in rng.choice(names, size=int(rng.integers(1, 4)), replace=False)}
    order = [int(j) for j in rng.permutation(d)]
    rules = {}
    if "include" in wanted:
        rules["include"] = order[: int(rng.integers(1, 3))]
    if "exclude" in wanted:
        rules["exclude"] = [j for j in order[-1:] if j not in rules.get("include", [])]
    if "signs" in wanted:
        rules["signs"] = {j: int(rng.choice([-1, 0, 1])) for j in range(d)}
    if "one_per_group" in wanted:
        labels = rng.integers(-1, 2, size=d)
        groups = {g: [j for j in range(d) if labels[j] == g] for g in range(2)}
        free = set(rules.get("include", []))
        groups = {g: js for g, js in groups.items() if js and len(free & set(js)) < 2}
        if groups:
            rules["one_per_group"], rules["feature_groups"] = True, groups
    if prices:
        cost = random_prices(rng, d)
        rules["feature_cost"] = {j: float(cost[j]) for j in range(d)}
    rules = {name: value for name, value in rules.items() if value}
    return X, y, rules or {"exclude": [d - 1]}


def random_many(seed):
    """Few samples of three or four classes, with ties, copies and overlap."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(6, 10)), int(rng.integers(1, 5)), 3 + (seed % 3 == 0)
    X = rng.integers(-2, 3, (n, d)).astype(float) if seed % 2 else rng.standard_normal((n, d))
    if d > 2 and rng.random() < 0.3:
        X[:, 1] = -X[:, 0]
    if rng.random() < 0.3:
        X[1], X[3] = X[0], X[2]
    y = rng.integers(0, k, n)
    if rng.random() < 0.5:
        y = np.digitize(X[:, 0] + 0.5 * rng.standard_normal(n), [-0.7, 0.7])
    y[:3] = 0, 1, 2
    return X, np.array(["a", "b", "c", "d"])[y]
