"""Generated brain maps: several participants and runs, two conditions, and known effects."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._showing import Shown
from fewest._types import BoolArray, FloatArray, IndexArray
from fewest.datasets.synthetic import Labels, RandomState, check_count, make_generator

__all__ = ["BrainMaps", "make_brain"]

# Half-axes of a brain, left to right, back to front and bottom to top, in units of their mean.
_AXES = (0.92, 1.17, 0.91)
# Active regions are this many times as wide as the grain of the noise.
_REGION_WIDTH = 2.5


@dataclass(frozen=True, eq=False, repr=False)
class BrainMaps(Shown):
    """Maps of both conditions in every run of every participant, with the planted effects.

    Attributes
    ----------
    X : ndarray of shape (2 * n_runs * n_participants, n_voxels)
        One activation map per row; noise has standard deviation one in every voxel.
    y : ndarray of shape (n_samples,)
        The condition, -1 or +1.
    groups : ndarray of shape (n_samples,)
        The participant, counted from 0: the groups of leave-one-participant-out.
    runs : ndarray of shape (n_samples,)
        The run within the participant, counted from 0.
    mask : ndarray of bool, three-dimensional
        Which points of the grid are voxels; ``mask[mask] = row`` puts a row back on the grid.
    effect : ndarray of shape (n_voxels,)
        Difference of the conditions' means, in standard deviations of the noise.
    informative : ndarray of shape (n_voxels,), bool
        Where `effect` is not zero.
    """

    X: FloatArray
    y: Labels
    groups: IndexArray
    runs: IndexArray
    mask: BoolArray
    effect: FloatArray
    informative: BoolArray


def make_brain(
    n_participants: int = 12,
    n_runs: int = 4,
    *,
    n_voxels: int = 5000,
    mask: ArrayLike | None = None,
    informative: float = 0.34,
    strength: float = 1.0,
    smoothness: float = 1.0,
    participant_sd: float = 1.0,
    random_state: RandomState = None,
) -> BrainMaps:
    """Brain maps of two conditions with planted active regions.

    The map of participant p in run r under condition y = -1 or +1 is::

        x = participant_sd * a_p + e_pr,y + y / 2 * effect

    a_p (the participant's anatomy) and e (noise) are smooth Gaussian fields of variance one. The
    effect is `strength` or `-strength` in the active regions and zero elsewhere.

    Parameters
    ----------
    n_participants, n_runs : int
        Each participant has one map of either condition in each run.
    n_voxels : int
        Size of the ellipsoid: the `n_voxels` grid points nearest to its centre.
    mask : three-dimensional array of bool, optional
        The voxels, instead of an ellipsoid.
    informative : float
        Fraction of the voxels in active regions, 0 to 1.
    strength : float
        Distance between the conditions' means in an active voxel, in standard deviations of the
        noise.
    smoothness : float
        Standard deviation, in voxels, of the Gaussian that smoothes the noise; 0 for none.
    participant_sd : float
        Standard deviation between participants, in units of that of the noise.
    random_state : int, Generator, RandomState or None
        Seed or source of randomness.

    Returns
    -------
    BrainMaps

    References
    ----------
    Klement, Anders, Martinetz (2013). The support feature machine: classification with the
    least number of features and application to neuroimaging data. Neural Computation 25, sec. 4.1
    (the layout: 12 participants, 4 runs, 50,989 voxels).

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> maps = make_brain(n_participants=3, n_runs=2, n_voxels=400, random_state=0)
    >>> maps.X.shape, int(maps.informative.sum())
    ((12, 400), 136)
    >>> maps.y.tolist(), maps.groups.tolist()
    ([-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    check_count("n_participants", n_participants, 1)
    check_count("n_runs", n_runs, 1)
    _check_number("informative", informative, most=1.0)
    _check_number("strength", strength)
    _check_number("smoothness", smoothness)
    _check_number("participant_sd", participant_sd)
    inside = _ellipsoid(n_voxels) if mask is None else _check_mask(mask)
    rng = make_generator(random_state)
    effect = strength * _regions(inside, informative, smoothness, rng)
    n_maps = 2 * n_runs * n_participants
    groups = np.repeat(np.arange(n_participants), 2 * n_runs)
    runs = np.tile(np.repeat(np.arange(n_runs), 2), n_participants)
    y = np.tile(np.array([-1, 1]), n_runs * n_participants)
    X = np.empty((n_maps, len(effect)))
    for row in range(n_maps):
        if row % (2 * n_runs) == 0:
            anatomy = participant_sd * _smooth_field(inside, smoothness, rng)
        X[row] = anatomy + _smooth_field(inside, smoothness, rng) + y[row] / 2 * effect
    return BrainMaps(X, y, groups, runs, inside, effect, effect != 0.0)


def _ellipsoid(n_voxels: int) -> BoolArray:
    """The grid points nearest to the centre of an ellipsoid, on the smallest grid around them."""
    check_count("n_voxels", n_voxels, 1)
    radius = np.cbrt(3.0 * n_voxels / (4.0 * np.pi))
    half = [int(np.ceil(axis * radius)) + 1 for axis in _AXES]
    axes = (np.arange(-side, side + 1) / axis for side, axis in zip(half, _AXES, strict=True))
    x, y, z = np.meshgrid(*axes, indexing="ij")
    nearest = np.argsort((x * x + y * y + z * z).ravel(), kind="stable")[:n_voxels]
    inside = np.zeros(x.shape, dtype=bool)
    inside.ravel()[nearest] = True
    used = [np.flatnonzero(inside.any(axis=others)) for others in ((1, 2), (0, 2), (0, 1))]
    return inside[tuple(slice(places[0], places[-1] + 1) for places in used)]


def _regions(
    inside: BoolArray, fraction: float, smoothness: float, rng: np.random.Generator
) -> FloatArray:
    """+1 or -1 where a wide smooth field is largest in size, 0 elsewhere: contiguous regions."""
    field = _smooth_field(inside, _REGION_WIDTH * max(smoothness, 1.0), rng)
    field -= np.median(field)  # on small grids the whole field may be on one side of zero
    count = round(fraction * len(field))
    active = np.argsort(-np.abs(field), kind="stable")[:count]
    regions = np.zeros(len(field))
    regions[active] = np.sign(field[active])
    return regions


def _smooth_field(inside: BoolArray, width: float, rng: np.random.Generator) -> FloatArray:
    """A Gaussian field on a torus, where the variance is one everywhere, also at the borders."""
    from scipy import ndimage

    noise = rng.standard_normal(inside.shape)
    if width > 0:
        noise = ndimage.gaussian_filter(noise, width, mode="wrap")
        impulses = (np.eye(1, length)[0] for length in inside.shape)
        kernels = [ndimage.gaussian_filter1d(one, width, mode="wrap") for one in impulses]
        noise /= prod(map(np.linalg.norm, kernels))  # the norm of the kernel on the torus
    return noise[inside]


def _check_mask(mask: ArrayLike) -> BoolArray:
    inside = np.asarray(mask).astype(bool)
    if inside.ndim != 3:
        raise ValueError(f"mask must have three dimensions, not {inside.ndim}")
    if not inside.any():
        raise ValueError("mask has no voxel: at least one entry must be true")
    return inside


def _check_number(name: str, value: Any, *, most: float = np.inf) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0.0 <= float(value) <= most or np.isinf(float(value)):
        limit = "at least 0" if np.isinf(most) else f"between 0 and {most:g}"
        raise ValueError(f"{name} must be a number {limit}, not {value!r}")
