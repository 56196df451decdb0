"""Mosaics of images side by side, and how visible the seams between them are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import FloatArray
from fewest.imaging._checks import ImageStack

__all__ = ["make_mosaic", "measure_seams"]


def make_mosaic(
    image: ArrayLike, repeats: Sequence[int] = (2, 2), *, channel_axis: int | None = None
) -> FloatArray:
    """Copies of an image side by side (Klement's thesis 2013, sec. 5.2).

    Uneven light that is hardly visible in a single image shows as lines in a mosaic, where the
    border of one copy meets the opposite border of the next:
    m(x, y) = f(x mod m, y mod n) for an image f of m x n pixels.

    Parameters
    ----------
    image : array
        Two or three dimensions, and optionally one more for colours (`channel_axis`).
    repeats : sequence of int
        Number of copies along each axis, without that of the colours.
    channel_axis : int, optional
        The axis of the colour channels.

    Returns
    -------
    array of float64

    Examples
    --------
    >>> from fewest.imaging import make_mosaic
    >>> make_mosaic([[1, 2], [3, 4]], (1, 2))
    array([[1., 2., 1., 2.],
           [3., 4., 3., 4.]])
    """
    stack = ImageStack.of(image, channel_axis)
    counts = np.asarray(repeats)
    if counts.shape != (len(stack.shape),) or counts.dtype.kind not in "iu" or counts.min() < 1:
        raise ValueError(
            f"repeats must be {len(stack.shape)} whole numbers of at least 1, one for each axis of "
            f"the image; got {repeats!r}"
        )
    return stack.restore(np.tile(stack.values, (*counts.tolist(), 1)))


def measure_seams(
    image: ArrayLike, *, width: int = 8, channel_axis: int | None = None
) -> FloatArray:
    r"""How much darker (negative) or brighter the seams of a mosaic are than their surroundings.

    Averaged along the seam, texture cancels out and light remains. With the mean p(k) of line k of
    m along an axis, and all lines counted modulo m,

    .. math:: s = \frac{1}{2 w} \sum_{k=-w}^{w-1} p(k)
              - \frac{1}{2 w} \Big( \sum_{k=-2w}^{-w-1} p(k) + \sum_{k=w}^{2w-1} p(k) \Big) .

    Parameters
    ----------
    image : array
        The image that the mosaic repeats: two or three dimensions, and optionally one more for
        colours (`channel_axis`).
    width : int
        Lines w on each side of a seam; the image needs four times as many along each axis.
    channel_axis : int, optional
        The axis of the colour channels, which are averaged.

    Returns
    -------
    array of shape (n_axes,)
        In units of the image's values, for seams across each axis.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import correct_illumination, measure_seams
    >>> rows, columns = np.mgrid[-1:1:100j, -1:1:120j]
    >>> light = 200 * np.exp(-(rows**2 + columns**2))  # bright in the middle
    >>> for boundary in ("replicate", "polynomial"):
    ...     seams = measure_seams(correct_illumination(light, 4, boundary))
    ...     print(boundary, [f"{seam:.1f}" for seam in seams])
    replicate ['-8.8', '-8.4']
    polynomial ['1.9', '1.2']
    """
    stack = ImageStack.of(image, channel_axis)
    whole = isinstance(width, (int, np.integer)) and not isinstance(width, bool)
    if not whole or not 1 <= width <= min(stack.shape) // 4:
        raise ValueError(
            f"width must be a whole number from 1 to a quarter of the image's smallest side, "
            f"{min(stack.shape) // 4}; got {width!r}"
        )
    return np.array([_measure_axis(stack.values, axis, width) for axis in range(len(stack.shape))])


def _measure_axis(values: Any, axis: int, width: int) -> float:
    others = tuple(other for other in range(values.ndim) if other != axis)
    lines = values.mean(axis=others)
    seam = np.concatenate([lines[-width:], lines[:width]])
    beside = np.concatenate([lines[-2 * width : -width], lines[width : 2 * width]])
    return float(seam.mean() - beside.mean())
