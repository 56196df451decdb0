"""Whether a sparse matrix is one: compiled code trusts its indices, and files may hold any."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._memory import check_size

SPARSE_FORMATS = ("csr", "csc")  # those that estimators take as they are
_COMPRESSED = ("csr", "csc", "bsr")
_ADVICE = "It was damaged or put together by hand: create it again from the values"


def check_sparse(matrix: Any, what: str) -> None:
    """Raise a ValueError if a sparse matrix of scipy points outside itself.

    The rows (of csr; columns of csc) must follow each other in `indptr` from 0 to the number of
    stored values, and every entry of `indices` must be a place within them. Anything that is not
    sparse passes. Only lengths, and each index once, are looked at.

    Parameters
    ----------
    matrix : sparse matrix or anything else
        What somebody handed over, or a file held.
    what : str
        How messages call it ("X", "layer 'counts' of cells.h5ad").
    """
    sparse = sys.modules.get("scipy.sparse")  # where it was not loaded, nothing is of its kind
    if sparse is None or not sparse.issparse(matrix):
        return
    if matrix.ndim != 2:
        raise ValueError(f"{what} is a sparse array of {matrix.ndim} dimension(s): it needs two")
    # Sums over rows and columns are dense.
    check_size(max(matrix.shape) * np.dtype(np.float64).itemsize, f"a row or column of {what}")
    if matrix.format in _COMPRESSED:
        _check_compressed(matrix, what)
    elif matrix.format == "coo":
        _check_pairs(matrix, what)
    elif matrix.format == "lil":  # lists of Python, which nothing compiled reads
        _check_compressed(matrix.tocsr(), what)


def _check_compressed(matrix: Any, what: str) -> None:
    n_outer, n_inner = matrix.shape
    if matrix.format == "csc":
        n_outer, n_inner = n_inner, n_outer
    n_values = len(np.atleast_1d(matrix.data))
    if matrix.format == "bsr":
        height, width = matrix.data.shape[1:]
        n_outer, n_inner = n_outer // height, n_inner // width
    elif np.ndim(matrix.data) != 1:
        raise _wrong(what, f"its values have {np.ndim(matrix.data)} dimensions, not one")
    indptr = _take_indices(matrix.indptr, "indptr", what)
    indices = _take_indices(matrix.indices, "indices", what)
    if len(indptr) != n_outer + 1:
        raise _wrong(what, f"indptr has {len(indptr)} entries, not {n_outer + 1}")
    if len(indices) != n_values:
        raise _wrong(what, f"it has {len(indices)} indices for {n_values} values")
    if indptr[0] != 0 or indptr[-1] != n_values:
        raise _wrong(
            what, f"indptr goes from {indptr[0]} to {indptr[-1]}, not from 0 to {n_values}"
        )
    if np.any(indptr[1:] < indptr[:-1]):
        raise _wrong(what, "indptr decreases")
    _check_range(indices, n_inner, what)


def _check_pairs(matrix: Any, what: str) -> None:
    n_values = len(matrix.data)
    for name, length in zip(("row", "col"), matrix.shape, strict=True):
        indices = _take_indices(getattr(matrix, name), name, what)
        if len(indices) != n_values:
            raise _wrong(what, f"it has {len(indices)} indices for {n_values} values")
        _check_range(indices, length, what)


def _take_indices(indices: Any, name: str, what: str) -> NDArray[Any]:
    dtype = getattr(indices, "dtype", None)
    if np.ndim(indices) != 1 or dtype is None or dtype.kind not in "iu" or dtype == np.uint64:
        raise _wrong(what, f"{name} is not a list of whole numbers (type {dtype})")
    return np.asarray(indices)


def _check_range(indices: NDArray[Any], length: int, what: str) -> None:
    if not len(indices):
        return
    least, most = int(indices.min()), int(indices.max())
    if least < 0 or most >= length:
        wrong = least if least < 0 else most
        raise _wrong(what, f"it holds the index {wrong}, outside 0 to {length - 1}")


def _wrong(what: str, why: str) -> ValueError:
    return ValueError(f"{what} is no valid sparse matrix: {why}. {_ADVICE}")
