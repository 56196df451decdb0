"""Checked images with their channels on one last axis; errors say what is wrong with others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import BoolArray, FloatArray

Grid = tuple[tuple[int, ...], BoolArray | None]  # its shape, and its mask or None for all pixels


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
        values = only_inside(values, inside)
        bad = values.size - np.count_nonzero(np.isfinite(values))
        if bad:
            raise ValueError(
                f"{bad} values of the image are NaN or infinite; leave these pixels out by a mask"
            )
        return cls(values, inside, channel_axis)

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


def only_inside(image: FloatArray, mask: BoolArray | None) -> FloatArray:
    """The image, with its channels on the last axis, and zero outside the mask."""
    return image if mask is None else np.where(mask[..., None], image, 0.0)


def check_mask(mask: ArrayLike | None, shape: tuple[int, ...]) -> BoolArray | None:
    """The mask as booleans, or None if all pixels are inside."""
    if mask is None:
        return None
    array = np.asarray(mask)
    if array.shape != shape:
        hint = "; a mask has no colour channels" if array.ndim != len(shape) else ""
        raise ValueError(f"the mask is {_times(array.shape)}, the image {_times(shape)}{hint}")
    if array.dtype != bool and not np.isin(array, (0, 1)).all():
        raise ValueError(
            "the mask must hold booleans, or zeros and ones; compare it with something"
        )
    inside = array.astype(bool)
    if not inside.any():
        raise ValueError("the mask is empty: no pixel is inside")
    return None if inside.all() else inside


def check_shape(shape: Any) -> tuple[int, ...]:
    """The shape of a grid in two or three dimensions."""
    sizes = np.array(shape)
    if sizes.dtype.kind not in "iu" or sizes.shape not in ((2,), (3,)) or sizes.min() < 1:
        raise ValueError(
            f"an image has two or three dimensions of at least one pixel; got shape {shape!r} "
            "(channels count as none: say which axis they are on by channel_axis)"
        )
    return tuple(sizes.tolist())


def check_grid(shape: Any, mask: ArrayLike | None) -> Grid:
    """The shape and the mask, if they belong together."""
    sizes = check_shape(shape)
    return sizes, check_mask(mask, sizes)


def level_grids(grid: Grid, levels: Any, *, least: int = 0) -> list[Grid]:
    """The grid of each level of a pyramid, starting at full resolution."""
    if not isinstance(levels, (int, np.integer)) or isinstance(levels, bool) or levels < least:
        raise ValueError(f"levels must be a whole number of at least {least}; got {levels!r}")
    shape, mask = grid
    possible = int(np.ceil(np.log2(max(shape))))
    if levels > possible:
        raise ValueError(
            f"levels={levels} is too many: an image of {_times(shape)} is down to one pixel "
            f"after {possible}"
        )
    grids = [grid]
    for level in range(1, levels + 1):
        shape, mask = halve_shape(shape), mask if mask is None else reduce_mask(mask)
        if mask is not None and not mask.any():
            raise ValueError(
                f"no pixel of the mask is left after {level} levels; take fewer levels"
            )
        grids.append((shape, mask))
    return grids


def halve_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple((size + 1) // 2 for size in shape)


def reduce_mask(mask: BoolArray) -> BoolArray:
    """Every second pixel in each direction."""
    return mask[(slice(None, None, 2),) * mask.ndim]


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a single number"
