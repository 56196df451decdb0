"""Random samples of every awkward kind: ties, copies, near-copies, constants, scales."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

KINDS = ("normal", "heavy tails", "integers", "binary", "counts")


def draw_size(rng: np.random.Generator, most_samples: int, most_features: int) -> tuple[int, int]:
    """Numbers of samples and features; small ones are as likely as large ones."""
    n = int(np.exp(rng.uniform(np.log(2), np.log(most_samples + 1))))
    d = int(np.exp(rng.uniform(0.0, np.log(most_features + 1))))
    return max(2, n), max(1, d)


def draw_values(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Columns of one distribution, some of them spoiled, on scales from 1e-8 to 1e8."""
    kind = rng.choice(KINDS)
    if kind == "normal":
        X = rng.standard_normal((n, d))
    elif kind == "heavy tails":
        X = rng.standard_t(2, (n, d))
    elif kind == "counts":
        X = rng.poisson(rng.choice([0.1, 1.0, 5.0]), (n, d)).astype(float)
    else:
        low, high = (0, 2) if kind == "binary" else (-2, 3)
        X = rng.integers(low, high, (n, d)).astype(float)
    if rng.random() < 0.3:
        X = X + np.rint(rng.choice([-1.0, 1.0], d) * 10.0 ** rng.uniform(0, 5, d))
    if rng.random() < 0.5:
        spoil_columns(rng, X)
    if n > 3 and rng.random() < 0.2:  # equal samples
        X[rng.integers(n, size=n // 3)] = X[rng.integers(n)]
    if rng.random() < 0.3:
        X = X * 2.0 ** rng.integers(-26, 27, d)  # 1e-8 to 1e8, and equal columns stay equal
    return X


def stretch_values(case: int, X: np.ndarray, stream: int = 11) -> np.ndarray:
    """The values of some cases near the smallest doubles, near 1e100, or both in one column.

    Where rounding is not relative any more, only whole numbers tell. Drawn apart from the rest, in
    a stream of random numbers that leaves cases alone which once failed.
    """
    rng = np.random.default_rng([stream, case])
    match rng.integers(12):
        case 0:
            return np.rint(4.0 * X) * 5e-324
        case 1:
            powers = rng.integers(-1074, 320, X.shape[1])
        case 2:
            powers = rng.choice([-1074, -1022, -600, 0, 300], X.shape, p=[0.2, 0.1, 0.1, 0.5, 0.1])
        case _:
            return X
    return np.clip(np.ldexp(X, powers), -1e100, 1e100)


def change_units(case: int, X: np.ndarray) -> np.ndarray:
    """The columns of some cases in other units, by powers of two from 1e-99 to 1e99.

    No digit is lost, so nothing else may change. Drawn apart from the rest.
    """
    rng = np.random.default_rng([17, case])
    if rng.integers(8):
        return X
    powers = rng.integers(-300, 301, X.shape[1]) if rng.random() < 0.5 else rng.choice([-300, 300])
    return np.ldexp(X, powers)


def spoil_columns(rng: np.random.Generator, X: np.ndarray) -> None:
    """Overwrite some columns by copies, mirrored or nearly equal ones, and by constants."""
    d = X.shape[1]
    for j in range(d):
        source = X[:, rng.integers(d)]
        match rng.integers(12):
            case 0:
                X[:, j] = source
            case 1:
                X[:, j] = -source
            case 2:
                X[:, j] = rng.choice([0.0, 0.1, -3.0, 1e9 + 0.1])
            case 3:
                # A column that varies in its last digits only says nothing that a peer could check.
                near = 10.0 ** rng.integers(-14, -3) * source.std()
                X[:, j] = source + near * rng.standard_normal(len(X))


def draw_codes(rng: np.random.Generator, X: np.ndarray, n_classes: int) -> np.ndarray:
    """Classes 0, 1, ... by hidden planes, with or without noise, or by chance."""
    n, d = X.shape
    if rng.random() < 0.7:
        used = rng.choice(d, min(d, int(rng.integers(1, 6))), replace=False)
        spread = X[:, used].std(axis=0)
        Z = (X[:, used] - X[:, used].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        scores = Z @ rng.standard_normal((len(used), n_classes))
        scores = scores + rng.choice([0.0, 0.0, 0.5, 2.0]) * rng.standard_normal(scores.shape)
        codes = scores.argmax(axis=1)
    else:
        codes = rng.choice(n_classes, n, p=rng.dirichlet(np.ones(n_classes)))
    places = rng.permutation(n)[:n_classes]
    codes[places] = np.arange(n_classes)[: len(places)]
    return codes


def draw_small(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """So few samples and columns, of two to four classes, that every set can be tried."""
    n, d, n_classes = int(rng.integers(6, 11)), int(rng.integers(2, 6)), int(rng.integers(2, 5))
    match rng.integers(4):
        case 0:
            X = rng.standard_normal((n, d))
        case 1:
            X = rng.integers(-1, 2, (n, d)).astype(float)
        case 2:
            X = rng.integers(-3, 4, (n, d)) / 10.0
        case _:
            X = rng.integers(-3, 4, (n, d)).astype(float)
    if rng.random() < 0.3:
        spoil_columns(rng, X)
    if rng.random() < 0.2:
        X[1] = X[0]
    return X, draw_codes(rng, X, n_classes)


def as_stored(rng: np.random.Generator, X: np.ndarray) -> Any:
    """The values as float64 mostly, else float32, integers where they are such, sparse, strided."""
    match rng.integers(10):
        case 0:
            with np.errstate(over="ignore"):
                single = X.astype(np.float32)
            return single if np.isfinite(single).all() else X
        case 1:
            return sparse.csr_array(X)
        case 2:
            return sparse.csc_matrix(X)
        case 3:
            return np.asfortranarray(X)
        case 4:
            return np.repeat(X, 2, axis=1)[:, ::2]
        case 5 if np.array_equal(X, np.rint(X)) and np.abs(X).max() < 2**31:
            return X.astype(np.int32)
    return X
