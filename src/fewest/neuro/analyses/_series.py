"""Every pair of conditions at every time, or at every level of a pyramid.

Klement's thesis, figs. 6.15, 6.16 and 6.20.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.validation import check_choice
from fewest._showing import Shown
from fewest._types import BoolArray, FloatArray
from fewest._wording import aligned, cut
from fewest.imaging import downsampled_mask
from fewest.neuro._grid import VoxelGrid
from fewest.neuro.analyses._pairs import AllPairs, compare_pairs

_SHOWN = {"features": ("n_features", 1), "error": ("error", 2)}  # of a performance, digits


@dataclass(frozen=True, eq=False, repr=False)
class TimeSlices(Shown):
    """Outcome of `time_slices`; print it for both tables.

    `slices` holds the pairs of conditions at each of the `times`.
    """

    times: tuple[Any, ...]
    conditions: tuple[Any, ...]
    slices: tuple[AllPairs, ...]

    def values(self, what: str) -> FloatArray:
        """Means over the folds: one row per pair of conditions, one column per time.

        Parameters
        ----------
        what : {"features", "error"}
            Number of features, or error.
        """
        check_choice("what", what, tuple(_SHOWN))
        name, _ = _SHOWN[what]
        return np.array(
            [[getattr(pair.performance, name) for pair in one.pairs] for one in self.slices]
        ).T

    def table(self, what: str) -> str:
        """Pairs, then averages for each condition and for all; a star at the best time of a row.

        Parameters
        ----------
        what : {"features", "error"}
            Number of features, or error.
        """
        values = self.values(what)
        pairs = self.slices[0].pairs
        rows = [(pair.name, row) for pair, row in zip(pairs, values, strict=True)]
        if len(self.conditions) > 2:
            for name in self.conditions:
                own = [name in (pair.first, pair.second) for pair in pairs]
                rows.append((f"{cut(name)} vs. any", values[own].mean(axis=0)))
            rows.append(("any vs. any", values.mean(axis=0)))
        # A space behind each number without a star keeps the columns straight.
        head = [what, *(f"{cut(time)} " for time in self.times)]
        return aligned([head, *([name, *_star(row, _SHOWN[what][1])] for name, row in rows)])

    def __str__(self) -> str:
        return f"{self.table('features')}\n\n{self.table('error')}"


def time_slices(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike,
    times: Sequence[Any] | None = None,
    conditions: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> TimeSlices:
    """Number of features and error for each pair of conditions at each time by itself.

    Parameters
    ----------
    estimator, y, groups, conditions, n_jobs, verbose
        As for `all_pairs`.
    X : array of shape (n_samples, n_times, n_voxels), or list of matrices
        The samples; in a list, one matrix (n_samples, n_voxels) for each time.
    times : sequence, optional
        What to call the times, such as ["-2 s", "2 s"]; 0, 1, ... by default.

    Returns
    -------
    TimeSlices

    References
    ----------
    S. Klement: The support feature machine, PhD thesis, Universität zu Lübeck, sec. 6.4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import time_slices
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "fear"], 20), np.repeat(np.arange(4), 10)
    >>> X = rng.standard_normal((40, 3, 200))
    >>> X[y == "joy", 1, :3] += 3.0
    >>> found = time_slices(None, X, y, groups=groups, times=["-2 s", "6 s", "30 s"])
    >>> print(found.table("features"))
      features      -2 s   6 s   30 s
      fear vs. joy   4.2   1.2*   4.8
    """
    own_times, named = cut_times(X, times)
    slices = compare_pairs(estimator, named, y, groups, conditions, n_jobs, verbose)
    return TimeSlices(tuple(own_times), slices[0].conditions, tuple(slices))


def cut_times(X: Any, times: Sequence[Any] | None) -> tuple[list[Any], list[tuple[str, Any]]]:
    """The times, and the matrix of each with words for messages."""
    matrices = _matrices(X)
    names = list(range(len(matrices)) if times is None else times)
    if len(names) != len(matrices):
        raise ValueError(
            f"times must name each of the {len(matrices)} slices of X; got {len(names)} names"
        )
    return names, [(f" at time {time}", one) for time, one in zip(names, matrices, strict=True)]


def _matrices(X: Any) -> list[Any]:
    """One matrix per time."""
    if isinstance(X, (list, tuple)) and X and all(np.ndim(one) == 2 for one in X):
        return list(X)
    if np.ndim(X) != 3:
        raise ValueError(
            "X must have three dimensions, samples x times x voxels, or be a list with one matrix "
            f"for each time; got an array of shape {np.shape(X)}"
        )
    return list(np.moveaxis(np.asarray(X), 1, 0))


def _star(row: FloatArray, digits: int) -> list[str]:
    best = int(np.argmin(row))
    return [f"{value:.{digits}f}{'*' if place == best else ' '}" for place, value in enumerate(row)]


@dataclass(frozen=True, eq=False, repr=False)
class Resolution(Shown):
    """One level of the pyramid: its mask, and the pairs of conditions in it."""

    level: int
    mask: BoolArray
    found: AllPairs

    @property
    def n_voxels(self) -> int:
        """Voxels of the mask."""
        return int(self.mask.sum())


@dataclass(frozen=True, eq=False, repr=False)
class Resolutions(Shown):
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
    masks, named = make_levels(X, mask, n_levels, already_smooth)
    found = compare_pairs(estimator, named, y, groups, conditions, n_jobs, verbose)
    return Resolutions(tuple(map(Resolution, range(n_levels + 1), masks, found)))


def make_levels(
    X: ArrayLike, mask: ArrayLike, n_levels: int, already_smooth: bool
) -> tuple[list[BoolArray], list[tuple[str, Any]]]:
    """The mask of every level of the pyramid, and its matrix with words for messages."""
    inside = np.asarray(mask) != 0
    downsampled_mask(inside, n_levels)  # raises unless voxels are left of it
    masks = [downsampled_mask(inside, level) for level in range(n_levels + 1)]
    matrices = [_rows(X, inside)]
    for before in masks[:-1]:
        if before is masks[0] and already_smooth:
            even = np.all(np.argwhere(inside) % 2 == 0, axis=1)
            matrices.append(matrices[0][:, even])
        else:
            matrices.append(VoxelGrid(before, 1).reduce(matrices[-1]))
    return masks, [(f" at level {level} of the pyramid", one) for level, one in enumerate(matrices)]


def _rows(X: ArrayLike, mask: BoolArray) -> NDArray[Any]:
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
