"""Random programs over up to 2,000 samples: every method, overlap, cost and layout of the data.

A case follows from its number alone, so a failing one can be drawn again:
`draw_case(number, largest)`. The method and the number of samples go round with the number; all
else is drawn.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from fuzzing.oracles.linear import METHODS, Case
from tests.solvers.cases import spoil

# Numbers of samples, evenly on a logarithmic scale within each range.
SIZES = ((2, 60), (401, 900), (61, 400), (901, 2000), (401, 2000))
KINDS = ("normal", "correlated", "heavy tails", "integers", "binary", "counts")
LAYOUTS = ("C", "F", "float32", "csr", "csc", "csr, float32", "integers")
MOST_FEATURES = 500
# With larger costs, a slack of 1e-9 (the peer's tolerance) changes the objective's sixth digit.
LEAST_COST, LARGEST_COST = 1e-8, 1e3


def draw_case(number: int, largest: int) -> Case:
    """The case of this number, with at most `largest` values in X."""
    rng = np.random.default_rng([number, largest])
    low, high = SIZES[number // len(METHODS) % len(SIZES)]
    n = _draw_size(rng, low, high)
    most = max(1, min(MOST_FEATURES, largest // n))
    d = _draw_size(rng, int(rng.choice([1, min(10, most)])), most)
    kind, layout = rng.choice(KINDS), rng.choice(LAYOUTS)
    y = _draw_labels(rng, n)
    X = _draw_values(rng, kind, n, d)
    X, y = _relate(rng, X, y, kind)
    X, y = _repeat_samples(rng, X, y)
    if rng.random() < 0.3:
        X = spoil(rng, X)
    X = _lay_out(rng, X, layout)
    method = METHODS[number % len(METHODS)]
    has_equality = method != "unit_margin"
    weight = 10.0 ** rng.uniform(-3, 0, len(y)) if rng.random() < 0.2 else None
    return Case(
        X,
        y,
        method,
        rhs=float(rng.choice([1.0, 1.0, -1.0])) if has_equality else 1.0,
        slack_cost=_draw_slack_cost(rng, y, weight),
        feature_cost=_draw_feature_cost(rng, d),
        weight=weight if has_equality else None,
    )


def overlapping(
    n: int, d: int, *, informative: int = 10, strength: float = 0.5, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Informative columns of decreasing strength, and noise that columns share."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X = _draw_values(rng, "correlated", n, d)
    X[:, :informative] += strength * y[:, None] / np.arange(1.0, min(d, informative) + 1.0)
    return X, y


def _draw_size(rng: np.random.Generator, low: int, high: int) -> int:
    return int(np.rint(np.exp(rng.uniform(np.log(low), np.log(high)))))


def _draw_labels(rng: np.random.Generator, n: int) -> np.ndarray:
    """Balanced, in any proportion, or one in a hundred; both classes in any case."""
    share = rng.choice([0.5, rng.uniform(0.1, 0.9), 0.01, 0.99])
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return y


def _draw_values(rng: np.random.Generator, kind: str, n: int, d: int) -> np.ndarray:
    match kind:
        case "correlated":
            shared = rng.standard_normal((n, 5)) @ rng.standard_normal((5, d))
            return 0.5 * shared + rng.standard_normal((n, d))
        case "heavy tails":
            return rng.standard_t(2, (n, d))
        case "integers":
            return rng.integers(-2, 3, (n, d)).astype(float)
        case "binary":
            return rng.integers(0, 2, (n, d)).astype(float)
        case "counts":
            return rng.poisson(0.3, (n, d)).astype(float)
    return rng.standard_normal((n, d))


def _relate(
    rng: np.random.Generator, X: np.ndarray, y: np.ndarray, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Let some columns know the class: not at all, more or less, or so that they separate it."""
    k = int(rng.integers(1, min(X.shape[1], 15) + 1))
    strength = rng.choice([0.0, 0.1, 0.3, 1.0, 3.0, np.inf])
    if not np.isinf(strength):
        shift = strength * y[:, None] / np.arange(1, k + 1)
        X[:, :k] += shift if kind in ("normal", "correlated", "heavy tails") else np.rint(shift)
        return X, y
    # A plane through the quantile of a score, and an empty band around it.
    score = X[:, :k] @ rng.choice([-1.0, 1.0], k)
    y = np.where(score > np.quantile(score, np.mean(y < 0)), 1.0, -1.0)
    if np.all(y == y[0]):
        y[0] = -y[0]
    X[:, 0] += 0.1 * y if kind in ("normal", "correlated", "heavy tails") else y
    return X, y


def _repeat_samples(
    rng: np.random.Generator, X: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Overwrite some samples by others: of their own class, or of either class."""
    places = np.flatnonzero(rng.random(len(y)) < rng.choice([0.0, 0.0, 0.2, 0.6]))
    places = places[places > 1]
    source = rng.integers(0, len(y), len(places))
    X[places] = X[source]
    if rng.random() < 0.6:
        y[places] = y[source]
    if np.all(y == y[0]):
        y[0] = -y[0]
    return X, y


def _lay_out(rng: np.random.Generator, X: np.ndarray, layout: str) -> np.ndarray | sparse.spmatrix:
    """The same data, or some like them, in another order, type, or sparse."""
    offset = np.rint(10.0 ** rng.uniform(0, 4, X.shape[1])) if rng.random() < 0.3 else 0.0
    if layout == "integers":
        return np.rint(4.0 * (X + offset)).astype(np.int64)
    if "cs" in layout:
        X = np.where(np.abs(X) < rng.choice([0.5, 1.0, 1.5]), 0.0, X)
        make = sparse.csr_array if layout.startswith("csr") else sparse.csc_array
        return make(X.astype(np.float32) if "float32" in layout else X)
    X = X + offset
    if layout == "float32":
        return X.astype(np.float32)
    return np.asarray(X, order="F" if layout == "F" else "C")


def _draw_slack_cost(
    rng: np.random.Generator, y: np.ndarray, weight: np.ndarray | None
) -> np.ndarray | None:
    """None for a hard program; otherwise what one error costs, or each of them."""
    n = len(y)
    level = 10.0 ** rng.uniform(-0.5, 3.0) / n
    if rng.random() < 0.15:
        level = rng.choice([LEAST_COST, 1e-5, LARGEST_COST])
    cost = np.full(n, level) if weight is None else level * weight
    match rng.choice(["one", "classes", "samples", "far apart", "mixed", "hard"]):
        case "classes":
            cost = cost * np.where(y > 0, n / (2 * np.sum(y > 0)), n / (2 * np.sum(y < 0)))
        case "samples":
            cost = cost * 10.0 ** rng.uniform(-1, 1, n)
        case "far apart":
            cost = cost * 10.0 ** rng.choice([-6.0, 0.0, 2.0], n, p=[0.2, 0.6, 0.2])
        case "mixed":
            cost = np.where(rng.random(n) < rng.choice([0.02, 0.3, 0.9]), np.inf, cost)
        case "hard":
            return None
    return np.where(np.isinf(cost), np.inf, np.clip(cost, LEAST_COST, LARGEST_COST))


def _draw_feature_cost(rng: np.random.Generator, d: int) -> np.ndarray | None:
    """One for all, or as different as they become when weights are reweighted."""
    match rng.choice(["one", "one", "some decades", "many decades"]):
        case "some decades":
            return 10.0 ** rng.uniform(-1, 1, d)
        case "many decades":
            return 10.0 ** rng.uniform(-2, 4, d)
    return None
