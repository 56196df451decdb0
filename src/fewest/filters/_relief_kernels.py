"""Relief's two loops, compiled. Imported on first use: numba takes a while to load."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True, fastmath=True)
def add_distances(block: np.ndarray, distances: np.ndarray) -> None:
    """Add the block's share of the sums of absolute differences of all pairs of rows."""
    n_samples, width = block.shape
    for i in range(n_samples):
        for k in range(i):
            total = 0.0
            for j in range(width):
                total += abs(block[i, j] - block[k, j])
            distances[i, k] += total
            distances[k, i] += total


@numba.njit(cache=True, fastmath=True)
def add_distances_from(block: np.ndarray, rows: np.ndarray, distances: np.ndarray) -> None:
    """The same for some rows, one after the other, with all rows."""
    for t in range(len(rows)):
        for k in range(block.shape[0]):
            total = 0.0
            for j in range(block.shape[1]):
                total += abs(block[rows[t], j] - block[k, j])
            distances[t, k] += total


@numba.njit(cache=True)
def add_weights(
    block: np.ndarray,
    rows: np.ndarray,
    hits: np.ndarray,
    misses: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Add to the block's weights what each of the rows contributes."""
    for t in range(len(rows)):
        for j in range(block.shape[1]):
            value = block[rows[t], j]
            weights[j] += abs(value - block[misses[t], j]) - abs(value - block[hits[t], j])
