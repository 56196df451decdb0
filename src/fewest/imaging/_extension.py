"""The image extended beyond its frame or mask: a linear map, and its adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from fewest._types import BoolArray, FloatArray, IndexArray
from fewest.imaging._checks import Grid, only_inside
from fewest.imaging.boundaries import boundary_rule


class Extension:
    """Pixels of a grid, and those outside it (or outside its mask) by a boundary rule.

    Parameters
    ----------
    grid : tuple
        Its shape, and its mask or None for all pixels.
    needed : boolean array
        Which pixels of the grid with its margin are needed; all others are zero.
    margin : int
        How many pixels are added on each side.
    boundary : str or callable
        The rule.
    """

    def __init__(self, grid: Grid, needed: BoolArray, margin: int, boundary: Any) -> None:
        self.shape, self.mask = grid
        self.extended_shape = needed.shape
        self._core = tuple(slice(margin, margin + size) for size in self.shape)
        missing = needed.copy()
        missing[self._core] &= False if self.mask is None else ~self.mask
        self._missing = missing.nonzero()
        outside = np.stack(self._missing, axis=1) - margin
        self._weights = _weight_matrix(boundary, outside, *grid)

    def forward(self, image: FloatArray) -> FloatArray:
        """From (*shape, channels) to (*extended_shape, channels)."""
        extended = np.zeros((*self.extended_shape, image.shape[-1]))
        extended[self._core] = only_inside(image, self.mask)
        extended[self._missing] = self._weights @ image.reshape(-1, image.shape[-1])
        return extended

    def adjoint(self, extended: FloatArray) -> FloatArray:
        """From (*extended_shape, channels) to (*shape, channels)."""
        carried = self._weights.T @ extended[self._missing]
        inside = only_inside(extended[self._core], self.mask)
        return inside + carried.reshape(*self.shape, -1)


def _weight_matrix(
    boundary: Any, outside: IndexArray, shape: tuple[int, ...], mask: BoolArray | None
) -> sparse.csr_array:
    """One row for each pixel outside, one column for each pixel of the grid."""
    pixels, weights = boundary_rule(boundary)(outside, shape, mask)
    if callable(boundary):
        pixels, weights = _check_rule(pixels, weights, len(outside), shape, mask)
    columns = np.ravel_multi_index(tuple(np.moveaxis(pixels, -1, 0)), shape).ravel()
    starts = np.arange(len(outside) + 1) * weights.shape[1]
    matrix = sparse.csr_array(
        (weights.ravel(), columns, starts), shape=(len(outside), int(np.prod(shape)))
    )
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _check_rule(
    pixels: Any, weights: Any, n: int, shape: tuple[int, ...], mask: BoolArray | None
) -> tuple[IndexArray, FloatArray]:
    """Check what a user's own boundary rule returns."""
    pixels, weights = np.asarray(pixels), np.asarray(weights, dtype=np.float64)
    d = len(shape)
    if weights.ndim != 2 or len(weights) != n or pixels.shape != (*weights.shape, d):
        raise ValueError(
            f"a boundary function returns pixels of shape ({n}, k, {d}) and weights of shape "
            f"({n}, k); got {pixels.shape} and {weights.shape}"
        )
    if pixels.dtype.kind not in "iu" or not np.isfinite(weights).all():
        raise ValueError("a boundary function returns whole coordinates and finite weights")
    if ((pixels < 0) | (pixels >= np.array(shape))).any():
        raise ValueError("the boundary function returned pixels outside the image")
    if mask is not None and not mask[tuple(np.moveaxis(pixels, -1, 0))].all():
        raise ValueError("the boundary function returned pixels outside the mask")
    return pixels, weights
