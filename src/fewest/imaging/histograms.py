"""An image with the histogram of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from fewest._types import FloatArray

__all__ = ["match_histogram"]


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
