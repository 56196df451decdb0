"""Sums over the samples of each class, and squares, of every column: one sweep over the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fewest._types import FloatArray, IndexArray

# So many columns at a time that their sums stay in the first-level cache.
_WIDTH = 512
# Sums may be taken in the order that suits the processor's vector units; infinities stay infinite.
_REORDERED = {"reassoc", "contract", "nsz"}


def sum_classes(X: Any, codes: IndexArray, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Sums of a contiguous float64 array over each class (one row per class), and of squares."""
    sums = np.zeros((n_classes, X.shape[1]))
    squares = np.zeros(X.shape[1])
    if X.flags.c_contiguous:
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=n_classes))
        _sum_rows(X, order, ends, sums, squares)
    else:
        members = (codes == np.arange(n_classes)[:, None]).astype(np.float64)
        _sum_columns(X, members, sums, squares)
    return sums, squares


@njit(cache=True, fastmath=_REORDERED, nogil=True)
def _sum_rows(X, order, ends, sums, squares):  # type: ignore[no-untyped-def]
    n_columns = X.shape[1]
    for left in range(0, n_columns, _WIDTH):
        right = min(left + _WIDTH, n_columns)
        square, at = squares[left:right], 0
        for k in range(len(ends)):
            total, end = sums[k, left:right], ends[k]
            while at + 4 <= end:  # four rows at once: sums are loaded and stored less often
                a, b = X[order[at], left:right], X[order[at + 1], left:right]
                c, d = X[order[at + 2], left:right], X[order[at + 3], left:right]
                for j in range(right - left):
                    total[j] += (a[j] + b[j]) + (c[j] + d[j])
                    square[j] += (a[j] * a[j] + b[j] * b[j]) + (c[j] * c[j] + d[j] * d[j])
                at += 4
            while at < end:
                a = X[order[at], left:right]
                for j in range(right - left):
                    total[j] += a[j]
                    square[j] += a[j] * a[j]
                at += 1


@njit(cache=True, fastmath=_REORDERED, nogil=True)
def _sum_columns(X, members, sums, squares):  # type: ignore[no-untyped-def]
    n_samples, n_columns = X.shape
    for j in range(n_columns):
        x, square = X[:, j], 0.0
        for i in range(n_samples):
            square += x[i] * x[i]
        squares[j] = square
        for k in range(len(members)):
            member, total = members[k], 0.0
            for i in range(n_samples):
                total += member[i] * x[i]
            sums[k, j] = total
