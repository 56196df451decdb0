"""Missing cells (NaN) of a table of numbers, filled in with medians of samples in training."""

from __future__ import annotations

from typing import Any

import numpy as np

from fewest._types import FloatArray

_COLUMNS_AT_ONCE = 1024  # a median copies what it sorts


def has_gaps(X: Any) -> bool:
    """Whether an array has missing cells; sparse matrices and files have none."""
    is_plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"
    return is_plain and bool(np.isnan(X.sum())) and bool(np.isnan(X).any())


def find_medians(X: Any) -> FloatArray:
    """The median of every column over its values; zero where it has none."""
    medians = np.zeros(X.shape[1])
    for start in range(0, X.shape[1], _COLUMNS_AT_ONCE):
        part = np.asarray(X[:, start : start + _COLUMNS_AT_ONCE], dtype=np.float64)
        holes = np.isnan(part)
        if not holes.any():
            medians[start : start + part.shape[1]] = np.median(part, axis=0)
            continue
        known = ~holes.all(axis=0)
        medians[start : start + part.shape[1]][known] = np.nanmedian(part[:, known], axis=0)
    return medians


def fill_gaps(X: Any, medians: FloatArray) -> Any:
    """X with these medians of its columns in the place of missing cells."""
    return np.where(np.isnan(X), medians.astype(X.dtype), X) if has_gaps(X) else X


def fill_all(X: Any) -> Any:
    """X filled in with medians of all its samples, all of which are in training."""
    return fill_gaps(X, find_medians(X)) if has_gaps(X) else X


def fill_apart(train: Any, test: Any) -> tuple[Any, Any]:
    """Both parts filled in with medians of the training samples alone."""
    if not (has_gaps(train) or has_gaps(test)):
        return train, test
    medians = find_medians(train)
    return fill_gaps(train, medians), fill_gaps(test, medians)
