"""Every pair of conditions at every level of a pyramid (Klement's thesis, fig. 6.20)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._wording import aligned
from fewest.imaging import downsampled_mask
from fewest.neuro._grid import VoxelGrid
from fewest.neuro.analyses._pairs import AllPairs, compare_pairs


@dataclass(frozen=True, eq=False)
class Resolution:
    """One level of the pyramid: its mask, and the pairs of conditions in it."""

    level: int
    mask: NDArray[np.bool_]
    found: AllPairs

    @property
    def n_voxels(self) -> int:
        """Voxels of the mask."""
        return int(self.mask.sum())


@dataclass(frozen=True, eq=False)
class Resolutions:
    """Outcome of `resolutions`; print it for the table."""

    levels: tuple[Resolution, ...]

    def __str__(self) -> str:
        head = ["features / error", *(f"level {one.level}" for one in self.levels)]
        sizes = ["voxels", *(str(one.n_voxels) for one in self.levels)]
        rows = []
        for place, pair in enumerate(self.levels[0].found.pairs):
            found = [one.found.pairs[place].performance for one in self.levels]
            rows.append([pair.name, *(f"{one.n_features:.1f} / {one.error:.2f}" for one in found)])
        return aligned([head, sizes, *rows])


def resolutions(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    mask: ArrayLike,
    *,
    groups: ArrayLike,
    n_levels: int = 3,
    already_smooth: bool = False,
    conditions: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Resolutions:
    """Number of features and error for each pair of conditions, at full and coarser resolution.

    Each level has half as many voxels along each axis as the one before, by a Gaussian pyramid
    with linear boundary inside the mask (`fewest.imaging.downsample`).

    Parameters
    ----------
    estimator, y, groups, conditions, n_jobs, verbose
        As for `all_pairs`.
    X : array of shape (n_samples, n_voxels), or of volumes (n_samples, *mask.shape)
        The samples; ``mask[mask] = row`` puts a row back into the volume.
    mask : array of two or three dimensions
        The voxels.
    n_levels : int
        Number of reductions; level 0 is X itself.
    already_smooth : bool
        Make level 1 of every second voxel without a filter, as Klement's thesis does with volumes
        that were smoothed before.

    Returns
    -------
    Resolutions

    References
    ----------
    S. Klement: The support feature machine, PhD thesis, Universität zu Lübeck, sec. 6.4.4.

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.neuro.analyses import resolutions
    >>> maps = make_brain(4, 3, n_voxels=800, strength=2.0, random_state=0)
    >>> found = resolutions(None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=2)
    >>> [level.n_voxels for level in found.levels]
    [800, 91, 10]
    """
    inside = np.asarray(mask) != 0
    if not inside.any():
        raise ValueError("mask has no voxel: at least one entry must be true")
    if n_levels < 0:
        raise ValueError(f"n_levels must be zero or more reductions; got {n_levels!r}")
    rows = _rows(X, inside)
    matrices = [_reduce(rows, inside, level, already_smooth) for level in range(n_levels + 1)]
    named = [(f" at level {level} of the pyramid", matrix) for level, matrix in enumerate(matrices)]
    pool = {"n_jobs": n_jobs, "verbose": verbose}
    found = compare_pairs(estimator, named, y, groups, conditions, **pool)
    return Resolutions(
        tuple(
            Resolution(level, downsampled_mask(inside, level), pairs)
            for level, pairs in enumerate(found)
        )
    )


def _rows(X: ArrayLike, mask: NDArray[np.bool_]) -> NDArray[Any]:
    """Samples x voxels of the mask."""
    X = np.asarray(X)
    if X.ndim == mask.ndim + 1 and X.shape[1:] == mask.shape:
        return X[:, mask]
    if X.ndim != 2 or X.shape[1] != mask.sum():
        raise ValueError(
            f"X of shape {X.shape} does not fit the mask of shape {mask.shape} with "
            f"{int(mask.sum())} voxels: give samples x voxels of the mask, or whole volumes"
        )
    return X


def _reduce(
    rows: NDArray[Any], mask: NDArray[np.bool_], level: int, already_smooth: bool
) -> NDArray[Any]:
    """The samples at a level, from those at full resolution."""
    if already_smooth and level > 0:
        every_second = np.zeros(mask.shape, dtype=bool)
        every_second[(slice(None, None, 2),) * mask.ndim] = True
        rows, mask, level = rows[:, every_second[mask]], downsampled_mask(mask, 1), level - 1
    return VoxelGrid(mask, level).reduce(rows)
