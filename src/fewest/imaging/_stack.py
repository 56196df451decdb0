"""Checked images with their channels on one last axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import BoolArray, FloatArray
from fewest.imaging._checks import check_finite, check_mask, check_shape
from fewest.imaging._extension import only_inside


@dataclass(frozen=True)
class ImageStack:
    """Images on one grid.

    Attributes
    ----------
    values : array of shape (*shape, channels)
        Zero outside the mask.
    mask : boolean array of that shape, or None
        The pixels inside; None for all.
    channel_axis : int or None
        The caller's axis of channels.
    """

    values: FloatArray
    mask: BoolArray | None
    channel_axis: int | None

    @classmethod
    def of(
        cls, image: ArrayLike, channel_axis: int | None, mask: ArrayLike | None = None
    ) -> ImageStack:
        """Check an image, or raise an error that says what is wrong with it."""
        values = _channels_last(image, channel_axis)
        inside = check_mask(mask, values.shape[:-1])
        check_finite(values, inside)
        return cls(only_inside(values, inside), inside, channel_axis)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the grid."""
        return self.values.shape[:-1]

    def restore(self, values: FloatArray) -> FloatArray:
        """The result with its channels on the caller's axis."""
        if self.channel_axis is None:
            return values[..., 0]
        return np.moveaxis(values, -1, self.channel_axis)


def _channels_last(image: ArrayLike, channel_axis: int | None) -> FloatArray:
    array = np.asarray(image)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"an image must hold real numbers; got dtype {array.dtype}")
    array = array.astype(np.float64, copy=False)
    if channel_axis is None:
        array = array[..., None]
    else:
        whole = isinstance(channel_axis, (int, np.integer)) and not isinstance(channel_axis, bool)
        if not whole or not -array.ndim <= channel_axis < array.ndim:
            raise ValueError(
                f"channel_axis must be an axis of the image, which has {array.ndim}, or None; "
                f"got {channel_axis!r}"
            )
        array = np.moveaxis(array, channel_axis, -1)
    check_shape(array.shape[:-1])
    return array
