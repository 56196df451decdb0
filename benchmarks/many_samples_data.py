"""Large data sets of two overlapping classes, made in place: X is the only large array."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# Rows are made in parts of about this many values.
_PART = 1 << 20
# Hidden variables that columns share, and how much of a column they are.
_N_SHARED, _SHARED = 8, 0.4
# Half the distance of the class means in the first informative column, and what is left of it in
# the next one: the best hyperplane is wrong about one sample in six.
_STRENGTH, _DECAY = 0.5, 0.85


def make_overlapping(
    n: int, d: int, *, n_informative: int = 20, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Standardised columns, of which some differ between the classes, each less than the last.

    The noise is correlated: all columns depend on a few hidden variables. One sample in three is
    positive.
    """
    rng = np.random.default_rng(seed)
    informative = rng.permutation(d)[:n_informative]
    shift = np.zeros(d)
    shift[informative] = _STRENGTH * _DECAY ** np.arange(len(informative))
    loadings = _SHARED * rng.standard_normal((_N_SHARED, d)) / np.sqrt(_N_SHARED)
    y = _make_labels(rng, n)
    X = np.empty((n, d))
    for rows in _parts(n, d):
        block = X[rows]
        rng.standard_normal(out=block)
        block += rng.standard_normal((len(block), _N_SHARED)) @ loadings
        block += y[rows, None] * shift
    _standardise(X)
    return X, y


def make_sparse(n: int, d: int, *, density: float = 0.02, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Rows of a CSR matrix with the same number of positive values each, like counts of words.

    Thirty columns are in use more often in the positive class, the first ten times as often as
    others, the last hardly more often.
    """
    rng = np.random.default_rng(seed)
    width = round(1.0 / density)  # one value in each stretch of so many columns
    per_row = d // width
    y = _make_labels(rng, n)
    often = np.zeros(per_row)
    often[: min(30, per_row)] = 0.2 * np.linspace(1.0, 0.1, 30)[:per_row]
    indices = np.empty((n, per_row), dtype=np.int32)
    data = np.empty((n, per_row))
    starts = (width * np.arange(per_row)).astype(np.int32)
    for rows in _parts(n, per_row):
        block = indices[rows]
        block[:] = rng.integers(0, width, block.shape, dtype=np.int32)
        block[(rng.random(block.shape) < often) & (y[rows, None] > 0)] = 0
        block += starts
        data[rows] = 0.5 + rng.standard_exponential(block.shape)
    pointers = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_array((data.ravel(), indices.ravel(), pointers), shape=(n, d))
    return X, y


def count_bytes(X: Any) -> int:
    """Memory of a dense or CSR matrix."""
    if sparse.issparse(X):
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return X.nbytes


def _make_labels(rng: np.random.Generator, n: int) -> np.ndarray:
    y = np.where(rng.random(n) < 1.0 / 3.0, 1, -1)
    y[:2] = 1, -1
    return y


def _parts(n: int, d: int) -> list[slice]:
    rows = max(1, _PART // d)
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def _standardise(X: np.ndarray) -> None:
    """Mean zero and variance one, in place."""
    n, d = X.shape
    mean = sum(X[rows].sum(axis=0) for rows in _parts(n, d)) / n
    square = np.zeros(d)
    for rows in _parts(n, d):
        X[rows] -= mean
        square += (X[rows] ** 2).sum(axis=0)
    for rows in _parts(n, d):
        X[rows] /= np.sqrt(square / n)
