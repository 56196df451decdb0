"""Random problems for hypothesis: every method, and every kind of awkward column."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from fuzzing.oracles.linear import METHODS, Case

KINDS = ("normal", "heavy tails", "integers", "binary")


def draw_labels(rng: np.random.Generator, n: int) -> np.ndarray:
    """Both classes, in any proportion."""
    y = np.where(rng.random(n) < rng.uniform(0.1, 0.9), 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return rng.permutation(y)


def draw_values(rng: np.random.Generator, kind: str, n: int, d: int) -> np.ndarray:
    if kind == "normal":
        return rng.standard_normal((n, d))
    if kind == "heavy tails":
        return rng.standard_t(2, (n, d))
    low, high = (0, 2) if kind == "binary" else (-2, 3)  # ties, and equal columns by chance
    return rng.integers(low, high, (n, d)).astype(float)


def spoil(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """Overwrite some columns by copies of others, negated copies, and constants."""
    X, d = X.copy(), X.shape[1]
    for j in range(d):
        source = rng.integers(d)
        match rng.integers(10):
            case 0:
                X[:, j] = X[:, source]
            case 1:
                X[:, j] = -X[:, source]
            case 2:
                X[:, j] = rng.choice([0.0, 0.1, -3.0, 1e9 + 0.1])
    return X


@st.composite
def data(draw) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    """Values from a seed (drawing each by hypothesis would be slow), structure from hypothesis."""
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 80))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = draw_labels(rng, n)
    X = draw_values(rng, draw(st.sampled_from(KINDS)), n, d)
    shifted = draw(st.integers(0, d))
    X[:, :shifted] += draw(st.sampled_from([0.0, 1.0, 3.0])) * y[:, None]
    # Integer offsets and binary scales keep equal columns equal; columns that are almost so, and
    # differ by rounding, have a test of their own. Offsets are in units of the spread.
    if draw(st.booleans()):
        X = X + np.rint(rng.choice([-1.0, 1.0], d) * 10.0 ** rng.uniform(0, 6, d))
    if draw(st.booleans()):
        X = spoil(rng, X)
    if draw(st.booleans()):
        X = X * 2.0 ** rng.integers(-20, 21, d)
    return rng, X, y


@st.composite
def hard_cases(draw) -> Case:
    _, X, y = draw(data())
    method = draw(st.sampled_from(METHODS))
    rhs = 1.0 if method == "unit_margin" else draw(st.sampled_from([1.0, 1.0, 1.0, -1.0]))
    return Case(X, y, method, rhs)


@st.composite
def soft_cases(draw) -> Case:
    """One slack cost, one a sample, or some samples hard and some soft."""
    rng, X, y = draw(data())
    method = draw(st.sampled_from(METHODS))
    rhs = 1.0 if method == "unit_margin" else draw(st.sampled_from([1.0, -1.0]))
    n = len(y)
    match draw(st.sampled_from(["one", "each", "mixed"])):
        case "one":
            cost = np.full(n, 10.0 ** draw(st.floats(-3, 3)))
        case "each":
            cost = 10.0 ** rng.uniform(-3, 3, n)
        case "mixed":
            cost = np.where(rng.random(n) < 0.3, np.inf, 10.0 ** rng.uniform(-3, 3, n))
    return Case(X, y, method, rhs, slack_cost=cost)


@st.composite
def weighted_cases(draw) -> Case:
    """Hard and soft problems whose features differ in cost, as in the zero-norm loop."""
    case = draw(st.one_of(hard_cases(), soft_cases()))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return case.replace(feature_cost=10.0 ** rng.uniform(-1, 2, case.shape[1]))


def noise(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Values without any class difference, and balanced labels."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)


def planted(n: int, d: int, shift: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """As `noise`, with the first three columns shifted by the class."""
    X, y = noise(n, d, seed)
    X[:, :3] += shift * y[:, None]
    return X, y


def separable(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes on either side of a plane through three columns, with a small empty band."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    score = X[:, 0] + X[:, 1] - X[:, 2]
    y = np.where(score > 0, 1.0, -1.0)
    X[:, 0] += 0.1 * y
    return X, y
