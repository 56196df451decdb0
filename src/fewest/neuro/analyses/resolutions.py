"""Every pair of conditions at every level of a pyramid (Klement's thesis, fig. 6.20)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._types import FloatArray
from fewest._wording import aligned
from fewest.imaging import downsample, downsampled_mask
from fewest.neuro.analyses._input import checked, chosen_conditions, pair_problem, pairs_of
from fewest.neuro.analyses._performance import performances
from fewest.neuro.analyses.pairs import AllPairs, Pair

_VOLUMES_AT_ONCE = 16


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
    X: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike,
    mask: ArrayLike,
    *,
    n_levels: int = 3,
    already_smooth: bool = False,
    estimator: Any = None,
    conditions: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Resolutions:
    """Number of features and error for each pair of conditions, at full and coarser resolution.

    Each level has half as many voxels along each axis as the one before, by a Gaussian pyramid
    with linear boundary inside the mask (`fewest.imaging.downsample`).

    Parameters
    ----------
    X : array of shape (n_samples, n_voxels), or of volumes (n_samples, *mask.shape)
        The samples; ``mask[mask] = row`` puts a row back into the volume.
    y, groups, estimator, conditions, n_jobs, verbose
        As for `all_pairs`.
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
    >>> found = resolutions(maps.X, maps.y, maps.groups, maps.mask, n_levels=2)
    >>> [level.n_voxels for level in found.levels]
    [800, 91, 10]
    """
    inside = np.asarray(mask) != 0
    if not inside.any():
        raise ValueError("mask has no voxel: at least one entry must be true")
    if n_levels < 0:
        raise ValueError(f"n_levels must be zero or more reductions; got {n_levels!r}")
    rows, labels, own_groups = checked(_rows(X, inside), y, groups)
    names = chosen_conditions(labels, conditions)
    pairs = pairs_of(names)
    problems, masks = [], []
    for level in range(n_levels + 1):
        matrix, small = _level(rows, inside, level, already_smooth)
        where = f" at level {level} of the pyramid"
        problems += [pair_problem(matrix, labels, own_groups, pair, where) for pair in pairs]
        masks.append(small)
    found = iter(performances(problems, estimator, n_jobs=n_jobs, verbose=verbose))
    levels = []
    for level, small in enumerate(masks):
        own = AllPairs(tuple(names), tuple(Pair(*pair, next(found)) for pair in pairs))
        levels.append(Resolution(level, small, own))
    return Resolutions(tuple(levels))


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


def _level(
    rows: NDArray[Any], mask: NDArray[np.bool_], level: int, already_smooth: bool
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The samples at a level, from those at full resolution."""
    if level == 0:
        return rows, mask
    small = downsampled_mask(mask, level)
    if already_smooth:
        first = downsampled_mask(mask, 1)
        every_second = _volumes(rows, mask)[(slice(None), *(slice(None, None, 2),) * mask.ndim)]
        rows, mask, level = every_second[:, first], first, level - 1
    if level == 0:
        return rows, mask
    # A few volumes at a time: all of them, mask and margins included, may not fit in memory.
    parts = [
        downsample(_volumes(part, mask), level, mask, channel_axis=0)[:, small]
        for part in np.array_split(rows, max(1, len(rows) // _VOLUMES_AT_ONCE))
    ]
    return np.concatenate(parts), small


def _volumes(rows: NDArray[Any], mask: NDArray[np.bool_]) -> FloatArray:
    volumes = np.zeros((len(rows), *mask.shape))
    volumes[:, mask] = rows
    return volumes
