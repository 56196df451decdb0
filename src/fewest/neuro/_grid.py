"""From voxels in a mask to those of a coarser grid, and from results there back to all voxels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from fewest._types import FloatArray, IndexArray
from fewest.imaging import Reduction, downsampled_mask

_VOLUMES_AT_ONCE = 32  # on the grid they take far more memory than within the mask


class VoxelGrid:
    """The voxels in a mask, and those that are left of them after some reductions.

    Parameters
    ----------
    mask : array of bool, of two or three dimensions
        The voxels, in C order.
    levels : int
        How often the Gaussian pyramid halves the resolution.

    Attributes
    ----------
    small_mask : array of bool
        The voxels of the coarser grid.
    places : array of int of shape (n_features, n_dimensions)
        Where they are on the grid of the mask.
    """

    def __init__(self, mask: NDArray[np.bool_], levels: int) -> None:
        self.mask = mask
        self.levels = levels
        self.small_mask = downsampled_mask(mask, levels)
        level_masks = [downsampled_mask(mask, level) for level in range(levels)]
        self._steps = [Reduction(inside.shape, inside, "linear") for inside in level_masks]

    @property
    def places(self) -> IndexArray:
        return np.argwhere(self.small_mask) * 2**self.levels

    def reduce(self, values: NDArray[Any]) -> NDArray[Any]:
        """Rows with one value per voxel, as rows with one value per voxel of the coarser grid."""
        if not self._steps:
            return values
        result = np.empty((len(values), int(self.small_mask.sum())))
        for start in range(0, len(values), _VOLUMES_AT_ONCE):
            rows = slice(start, start + _VOLUMES_AT_ONCE)
            volumes = fill_mask(self.mask, values[rows])
            for step in self._steps:
                volumes = step.forward(volumes)
            result[rows] = volumes[self.small_mask].T
        return result

    def spread_weights(self, weights: FloatArray) -> FloatArray:
        """Weights of all voxels that give the same decisions as these of the coarser grid.

        w . (D x) = (D' w) . x for the downsampling D: the adjoint, and not an interpolation, keeps
        a linear function what it is.
        """
        volumes = fill_mask(self.small_mask, weights)
        for step in reversed(self._steps):
            volumes = step.adjoint(volumes)
        return volumes[self.mask].T

    def copy_nearest(self, values: NDArray[Any]) -> NDArray[Any]:
        """For every voxel the value of the nearest one of the coarser grid; counts stay whole.

        Zero for voxels from which the nearest one is further than the coarser grid is wide.
        """
        if not self._steps:
            return values
        coarse = np.zeros(self.mask.shape, dtype=bool)
        coarse[tuple(self.places.T)] = True
        nearest = distance_transform_edt(~coarse, return_distances=False, return_indices=True)
        distance = np.abs(nearest - np.indices(self.mask.shape)).max(axis=0)
        volume = np.zeros(self.mask.shape, dtype=values.dtype)
        volume[coarse] = values
        return np.where(distance < 2**self.levels, volume[tuple(nearest)], 0)[self.mask]


def fill_mask(mask: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[Any]:
    """A volume with these values in the mask and zero outside; one per row of a matrix."""
    volume = np.zeros((*mask.shape, *values.shape[:-1]), dtype=values.dtype)
    volume[mask] = values.T
    return volume
