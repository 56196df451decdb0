"""What workers do with one chunk of a Dask array, where it lies; small results travel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fewest._solvers.columns import BlockError, Matrix, as_matrix
from fewest._solvers.columns.gather import check_finite, sum_block
from fewest._sparse import check_sparse
from fewest._types import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Place:
    """A chunk's name for people, its shape, and the part that is wanted, by rows and columns."""

    name: str
    shape: tuple[int, int]
    rows: Any
    columns: Any


@dataclass(eq=False)
class ChunkMoments:
    """Weight, means, weighted squares around them, and sums over classes of some samples."""

    weight: float
    mean: FloatArray
    squares: FloatArray
    class_sums: FloatArray | None


def open_chunk(chunk: Any, place: Place) -> Matrix:
    """The wanted part of a chunk, or an error that names it."""
    if sparse.issparse(chunk):
        chunk = _canonical(chunk, place.name)
    elif not isinstance(chunk, np.ndarray):
        raise BlockError(
            f"{place.name} is a {type(chunk).__name__}: chunks must be numpy arrays, or SciPy's "
            "CSR or CSC matrices. Convert them with X.map_blocks"
        )
    if chunk.shape != place.shape:
        raise BlockError(
            f"{place.name} is {' x '.join(f'{size:,}' for size in chunk.shape)} instead of "
            f"{place.shape[0]:,} x {place.shape[1]:,}: its Dask array states wrong chunk sizes"
        )
    return as_matrix(chunk[place.rows][:, place.columns])


def _canonical(chunk: Any, name: str) -> Any:
    """A CSR or CSC matrix with right indices that stores each value once; chunks stay as is."""
    if chunk.format not in ("csr", "csc"):
        chunk = chunk.tocsr()
    check_sparse(chunk, name)
    if not chunk.has_canonical_format:
        chunk = chunk.copy()
        chunk.sum_duplicates()
    return chunk


def multiply(chunk: Any, place: Place, V: FloatArray) -> FloatArray:
    """X^T V of the part."""
    return open_chunk(chunk, place).products(V)


def summarize(
    chunk: Any, place: Place, weight: FloatArray, members: FloatArray | None
) -> ChunkMoments:
    """Moments of the part, whose values have to be finite."""
    block = open_chunk(chunk, place)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, squares, class_sums = sum_block(block, weight, members)
    if not np.isfinite(mean).all():
        check_finite(block, place.name)
    return ChunkMoments(float(weight.sum()), mean, squares, class_sums)


def combine(
    chunk: Any, place: Place, weights: FloatArray, mean: FloatArray, far: BoolArray
) -> FloatArray:
    """Weighted sum of the part's columns, each minus its mean."""
    return open_chunk(chunk, place).combine(np.arange(len(weights)), weights, mean, far)


def fetch(chunk: Any, place: Place) -> Any:
    """The part itself, as it is: the type of its values is smaller than float64, often."""
    block = open_chunk(chunk, place)
    check_finite(block, place.name)
    return block.data.copy()  # a view would keep the chunk in memory


def add(parts: list[FloatArray]) -> FloatArray:
    """Their sum."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def join_moments(parts: list[ChunkMoments]) -> ChunkMoments:
    """Moments of the samples of all parts, by means and squares around them: no digits cancel."""
    total, *others = parts
    weight, mean, squares = total.weight, total.mean.copy(), total.squares.copy()
    sums = total.class_sums
    with np.errstate(over="ignore", invalid="ignore"):
        for other in others:
            both = weight + other.weight
            share = other.weight / both if both > 0.0 else 0.0
            step = other.mean - mean
            mean += share * step
            squares += other.squares + share * weight * step * step
            weight = both
            if sums is not None and other.class_sums is not None:
                sums = sums + other.class_sums
    return ChunkMoments(weight, mean, squares, sums)
