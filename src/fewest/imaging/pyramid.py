"""The Gaussian pyramid of images and volumes, extended smoothly beyond their borders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import BoolArray, FloatArray
from fewest.imaging._checks import ImageStack, check_grid, level_grids, only_inside
from fewest.imaging.operators import Expansion, Reduction

__all__ = [
    "downsample",
    "downsampled_mask",
    "expand",
    "gaussian_pyramid",
    "reduce",
    "upsample",
]


def reduce(
    image: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    boundary: Any = "polynomial",
    channel_axis: int | None = None,
) -> FloatArray:
    """One level down: low-pass filter, then every second pixel, (h * f')(2 x).

    Parameters
    ----------
    image : array
        Two or three dimensions, and optionally one more for channels.
    mask : array, optional
        The pixels to use; outside, the result is zero.
    boundary : {"polynomial", "linear", "replicate", "circular"} or callable
        How the image f is extended to f'; see `fewest.imaging.boundaries`.
    channel_axis : int, optional
        The axis of the colour channels, or of the volumes of a series; each is treated separately.

    Returns
    -------
    array of float64
        (n + 1) // 2 pixels for n.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import reduce
    >>> reduce(np.full((5, 7), 3.0)).shape
    (3, 4)
    """
    return downsample(image, 1, mask=mask, boundary=boundary, channel_axis=channel_axis)


def expand(
    image: ArrayLike,
    shape: tuple[int, ...],
    *,
    mask: ArrayLike | None = None,
    boundary: Any = "polynomial",
    channel_axis: int | None = None,
) -> FloatArray:
    """One level up: zeros between the pixels, then the low-pass filter, 2^d h * f'.

    Parameters
    ----------
    image : array
        What `reduce` returns: (n + 1) // 2 pixels for n.
    shape : tuple of int
        Shape of the result, without channels.
    mask : array of that shape, optional
        The pixels of the result to use; the image has every second of them.
    boundary, channel_axis
        As in `reduce`.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import expand
    >>> expand(np.full((3, 4), 3.0), (5, 7)).round(12).tolist()[4]
    [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    """
    return upsample(image, 1, shape, mask=mask, boundary=boundary, channel_axis=channel_axis)


def gaussian_pyramid(
    image: ArrayLike,
    levels: int,
    *,
    mask: ArrayLike | None = None,
    boundary: Any = "polynomial",
    channel_axis: int | None = None,
) -> list[FloatArray]:
    """The image and its `levels` reductions.

    Parameters
    ----------
    image, mask, boundary, channel_axis
        As in `reduce`. The mask of level i is every 2^i-th pixel of the mask.
    levels : int
        Number of reductions; 0 gives the image only.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import gaussian_pyramid
    >>> [level.shape for level in gaussian_pyramid(np.ones((20, 9)), 3)]
    [(20, 9), (10, 5), (5, 3), (3, 2)]
    """
    stack = ImageStack.of(image, channel_axis, mask)
    pyramid = [stack.values]
    for grid in level_grids((stack.shape, stack.mask), levels)[:-1]:
        pyramid.append(Reduction(*grid, boundary).forward(pyramid[-1]))
    return [stack.restore(level) for level in pyramid]


def downsample(
    volume: ArrayLike,
    levels: int,
    mask: ArrayLike | None = None,
    boundary: Any = "linear",
    *,
    channel_axis: int | None = None,
) -> FloatArray:
    """The volume after `levels` reductions: 2^levels times fewer voxels along each axis.

    With the linear boundary, constants stay constant and linear ramps stay linear, even at the
    border of the mask.

    Parameters
    ----------
    volume, mask, boundary, channel_axis
        As in `reduce`. The mask of the result is ``downsampled_mask(mask, levels)``.
    levels : int
        Number of reductions.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import downsample
    >>> ramp = np.arange(16.0)[:, None, None] + np.zeros((16, 8, 8))
    >>> downsample(ramp, 2)[:, 0, 0]
    array([ 0.,  4.,  8., 12.])
    """
    return gaussian_pyramid(
        volume, levels, mask=mask, boundary=boundary, channel_axis=channel_axis
    )[-1]


def upsample(
    volume: ArrayLike,
    levels: int,
    shape: tuple[int, ...],
    mask: ArrayLike | None = None,
    boundary: Any = "linear",
    *,
    channel_axis: int | None = None,
) -> FloatArray:
    """The volume after `levels` expansions, back at full resolution.

    Parameters
    ----------
    volume : array
        What `downsample` returns for these levels.
    levels : int
        Number of expansions.
    shape : tuple of int
        Shape at full resolution, without channels.
    mask : array of that shape, optional
        The mask at full resolution.
    boundary, channel_axis
        As in `reduce`.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import upsample
    >>> upsample([[0.0, 4.0], [0.0, 4.0]], 2, (6, 6))[0]
    array([0., 1., 2., 3., 4., 5.])
    """
    grids = level_grids(check_grid(shape, mask), levels)
    small_shape, small_mask = grids[-1]
    stack = ImageStack.of(volume, channel_axis)
    if stack.shape != small_shape:
        raise ValueError(
            f"after {levels} levels an image of shape {grids[0][0]} has shape {small_shape}; got "
            f"{stack.shape}"
        )
    values = only_inside(stack.values, small_mask)
    for level in reversed(grids[:-1]):
        values = Expansion(*level, boundary).forward(values)
    return stack.restore(values)


def downsampled_mask(mask: ArrayLike, levels: int) -> BoolArray:
    """The mask that belongs to a downsampled volume: every 2^levels-th voxel of it.

    Parameters
    ----------
    mask : array
        Two or three dimensions.
    levels : int
        Number of reductions.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import downsampled_mask
    >>> downsampled_mask(np.tri(5), 1).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    small_shape, small_mask = level_grids(check_grid(np.shape(mask), mask), levels)[-1]
    return np.ones(small_shape, dtype=bool) if small_mask is None else small_mask.copy()
