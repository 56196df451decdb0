"""From voxels in a mask to those of a coarser grid, and from results there back to all voxels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from fewest.imaging import Reduction, downsampled_mask

_VOLUMES_AT_ONCE = 32  # on the grid they take far more memory than within the mask


class VoxelGrid:
    """The voxels in a mask, and those that are left of them after some reductions.

    Parameters
    ----------
    mask : three-dimensional array of bool
        The voxels, in C order.
    levels : int
        How often the Gaussian pyramid halves the resolution.

    Attributes
    ----------
    small_mask : three-dimensional array of bool
        The voxels of the coarser grid.
    n_features : int
        How many they are.
    """

    def __init__(self, mask: NDArray[np.bool_], levels: int) -> None:
        self.mask = mask
        self.levels = levels
        self.small_mask = downsampled_mask(mask, levels)
        level_masks = [downsampled_mask(mask, level) for level in range(levels)]
        self._steps = [Reduction(inside.shape, inside, "linear") for inside in level_masks]
        self.n_features = int(self.small_mask.sum())

    def reduced(self, values: NDArray[np.floating]) -> NDArray[np.floating]:
        """Rows with a value a voxel, as rows with a value a voxel of the coarser grid."""
        if not self._steps:
            return values
        result = np.empty((len(values), self.n_features))
        for start in range(0, len(values), _VOLUMES_AT_ONCE):
            rows = slice(start, start + _VOLUMES_AT_ONCE)
            volumes = _on_grid(values[rows], self.mask)
            for step in self._steps:
                volumes = step.forward(volumes)
            result[rows] = volumes[self.small_mask].T
        return result

    def spread_weights(self, weights: NDArray[np.floating]) -> NDArray[np.floating]:
        """Weights of all voxels that give the same decisions as these of the coarser grid.

        w . (D x) = (D' w) . x for the downsampling D: the adjoint, and not an interpolation, keeps
        a linear function what it is.
        """
        volumes = _on_grid(weights, self.small_mask)
        for step in reversed(self._steps):
            volumes = step.adjoint(volumes)
        return volumes[self.mask].T

    def nearest(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """For every voxel the value of the nearest one of the coarser grid; counts stay whole.

        Zero for voxels from which the nearest one is further than the coarser grid is wide.
        """
        if not self._steps:
            return values
        width = 2**self.levels
        coarse = np.zeros(self.mask.shape, dtype=bool)
        coarse[::width, ::width, ::width] = self.small_mask
        nearest = distance_transform_edt(~coarse, return_distances=False, return_indices=True)
        distance = np.abs(nearest - np.indices(self.mask.shape)).max(axis=0)
        volume = np.zeros(self.mask.shape, dtype=values.dtype)
        volume[coarse] = values
        spread = np.where(distance < width, volume[tuple(nearest)], np.zeros((), values.dtype))
        return spread[self.mask]


def _on_grid(values: NDArray[np.floating], mask: NDArray[np.bool_]) -> NDArray[np.floating]:
    volumes = np.zeros((*mask.shape, len(values)))
    volumes[mask] = values.T
    return volumes
