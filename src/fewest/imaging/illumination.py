"""Remove slow changes of brightness, which lenses and lamps cause, and match histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from fewest._types import FloatArray
from fewest.imaging._checks import ImageStack
from fewest.imaging.operators import Correction

__all__ = ["correct_illumination", "match_histogram"]


def correct_illumination(
    image: ArrayLike,
    levels: int = 5,
    boundary: Any = "polynomial",
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    histogram: str | ArrayLike | None = None,
) -> FloatArray:
    """The image without its low frequencies, with its original mean brightness.

    The result is f - low(f) + mean(f), where low applies `reduce` and then `expand`, `levels` times
    each. This is close to a Gaussian filter with a standard deviation of 2^levels * 0.8 pixels. The
    boundary determines how the image is extended beyond its frame. With "replicate" or "circular",
    brightness that falls off towards the frame leaves a dark edge; "linear" and "polynomial"
    continue the decrease.

    Parameters
    ----------
    image : array
        Two or three dimensions, and optionally one more for colours (`channel_axis`).
    levels : int
        Depth of the pyramid: gradients wider than about 2^levels pixels are removed.
    boundary : {"polynomial", "linear", "replicate", "circular"} or callable
        How the image is extended; see `fewest.imaging.boundaries`.
    mask : array, optional
        The pixels to use; outside, the result is zero.
    channel_axis : int, optional
        The axis of the colour channels; each is corrected separately.
    histogram : None, "central" or array
        The values that the result should have, assigned by `match_histogram`: those of the input's
        central quarter, or those of an array (with channels on the same axis as the image). With
        None, the default, values are not matched, and the correction is linear in the image.

    Returns
    -------
    array of float64, of the image's shape

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import correct_illumination
    >>> ramp = np.linspace(0.0, 255.0, 200) + np.zeros((100, 1))
    >>> print(f"{np.ptp(correct_illumination(ramp)):.6f}")
    0.000000
    """
    stack = ImageStack.of(image, channel_axis, mask)
    corrected = Correction(stack.shape, levels, stack.mask, boundary).forward(stack.values)
    if histogram is not None:
        inside = slice(None) if stack.mask is None else stack.mask
        for channel, reference in enumerate(_references(stack, histogram)):
            values = corrected[..., channel]
            values[inside] = match_histogram(values[inside], reference)
    return stack.restore(corrected)


def match_histogram(image: ArrayLike, reference: ArrayLike) -> FloatArray:
    """The image with its values replaced by those of equal rank in a reference.

    The result is Q(F(image)), where F is the share of pixels with a smaller value (equal ones count
    half) and Q the quantile function of the reference. This map is non-decreasing, but not linear.

    Parameters
    ----------
    image : array
        Real numbers, any shape.
    reference : array
        Real numbers, any shape.

    Returns
    -------
    array of the image's shape

    Examples
    --------
    >>> from fewest.imaging import match_histogram
    >>> match_histogram([[3, 1], [2, 4]], [10, 20, 30, 40])
    array([[30., 10.],
           [20., 40.]])
    """
    values, wanted = (np.asarray(array, dtype=np.float64) for array in (image, reference))
    for name, array in (("image", values), ("reference", wanted)):
        if not array.size or not np.isfinite(array).all():
            raise ValueError(f"the {name} must hold finite numbers, and at least one")
    places = (rankdata(values, axis=None) - 0.5) / values.size
    steps = (np.arange(wanted.size) + 0.5) / wanted.size
    return np.interp(places, steps, np.sort(wanted, axis=None)).reshape(values.shape)


def _references(stack: ImageStack, histogram: Any) -> list[FloatArray]:
    """The values to be matched, one array per channel."""
    channels = range(stack.values.shape[-1])
    if not isinstance(histogram, str):
        reference = ImageStack.of(histogram, stack.channel_axis).values
        if reference.shape[-1] != len(channels):
            raise ValueError(
                f"histogram has {reference.shape[-1]} channels, but the image {len(channels)}"
            )
        return [reference[..., channel] for channel in channels]
    if histogram != "central":
        raise ValueError(f"histogram must be None, 'central' or an array; got {histogram!r}")
    centre = tuple(slice(size // 4, size - size // 4) for size in stack.shape)
    values = stack.values[centre].reshape(-1, len(channels))
    if stack.mask is not None:
        values = values[stack.mask[centre].ravel()]
    if not len(values):
        raise ValueError("the mask leaves nothing of the central quarter; give values to match")
    return list(values.T)
