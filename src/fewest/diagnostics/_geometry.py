"""Norms, inner products and distances of samples, a block of columns at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.utils.validation import assert_all_finite, validate_data

from fewest._estimators.validation import check_positive, standardize_columns
from fewest._solvers.columns import Columns
from fewest._types import FloatArray


def columns_of(X: Any, standardize: bool) -> Columns:
    """Standardised columns, or those of X as it is; nothing is copied."""
    X = validate_data(
        BaseEstimator(),
        X,
        accept_sparse=("csr", "csc"),
        dtype="numeric",
        ensure_min_samples=2,
        ensure_all_finite=False,
    )
    if standardize:
        return standardize_columns(X)
    assert_all_finite(X.data if sparse.issparse(X) else X, input_name="X")
    return Columns(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


def gram(columns: Columns) -> FloatArray:
    """Inner products of all pairs of samples."""
    products = np.zeros((columns.n_samples, columns.n_samples))
    for _, block in columns.blocks():
        products += block @ block.T
    return products


def norms(columns: Columns, p: float) -> FloatArray:
    """The p-norm of every sample (p below one: no norm in the strict sense)."""
    return _combine(p, (np.linalg.norm(block, p, axis=1) for _, block in columns.blocks()))


def distances(columns: Columns, p: float) -> FloatArray:
    """The p-norm of the differences of all pairs of samples."""
    if p == 2:
        products = gram(columns)
        own = np.diag(products)
        squares = own[:, None] + own - 2.0 * products
        np.fill_diagonal(squares, 0.0)
        return np.sqrt(np.maximum(squares, 0.0))
    return _combine(p, (cdist(block, block, "minkowski", p=p) for _, block in columns.blocks()))


def _combine(p: float, parts: Iterator[FloatArray]) -> FloatArray:
    """p-norms over all columns from those over blocks of them."""
    if np.isinf(p):
        return reduce(np.maximum, parts)
    return sum(part**p for part in parts) ** (1.0 / p)


def check_norm(p: Any) -> None:
    """Raise unless p is a norm's exponent."""
    check_positive("p", p, infinity="for the largest absolute value")
