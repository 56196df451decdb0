"""Sparse matrices whose indices can be trusted."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_sparse(matrix: Any, what: str) -> None:
    """Raise a ValueError unless the indices of a CSR or CSC matrix stay inside it."""
    size = matrix.shape[1 if matrix.format == "csr" else 0]
    pointers, indices = matrix.indptr, matrix.indices
    length = matrix.shape[0 if matrix.format == "csr" else 1]
    problem = ""
    if len(pointers) != length + 1 or pointers[0] != 0 or np.any(np.diff(pointers) < 0):
        problem = "its index pointers do not ascend from zero, one per row or column"
    elif pointers[-1] > min(len(indices), len(matrix.data)):
        problem = "its index pointers lead beyond the stored values"
    elif len(indices) and (indices.min() < 0 or indices.max() >= size):
        problem = f"indices must lie between 0 and {size - 1}, but it holds others"
    if problem:
        raise ValueError(f"{what} is no valid sparse matrix: {problem}. Write the file again")
