"""Checks of images, masks and numbers of levels; errors say what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import BoolArray, FloatArray


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
    try:
        sizes = tuple(int(size) for size in shape)
        whole = all(size == given for size, given in zip(sizes, shape, strict=True))
    except (TypeError, ValueError):
        sizes, whole = (), False
    if not whole or len(sizes) not in (2, 3) or min(sizes) < 1:
        raise ValueError(
            f"an image has two or three dimensions of at least one pixel; got shape {shape!r} "
            "(channels count as none: say which axis they are on by channel_axis)"
        )
    return sizes


def check_finite(image: FloatArray, mask: BoolArray | None) -> None:
    """Raise if a pixel inside is NaN or infinite; the sum finds that without a copy."""
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = mask is not None or not np.isfinite(image.sum())
    if suspicious:
        bad = ~np.isfinite(image if mask is None else image[mask])
        if bad.any():
            raise ValueError(
                f"{int(bad.sum())} values of the image are NaN or infinite; leave these pixels out "
                "by a mask"
            )


def level_grids(
    shape: tuple[int, ...], mask: BoolArray | None, levels: Any, *, least: int = 0
) -> list[tuple[tuple[int, ...], BoolArray | None]]:
    """Shape and mask of each level of a pyramid, starting at full resolution."""
    if not isinstance(levels, (int, np.integer)) or isinstance(levels, bool) or levels < least:
        raise ValueError(f"levels must be a whole number of at least {least}; got {levels!r}")
    possible = int(np.ceil(np.log2(max(shape))))
    if levels > possible:
        raise ValueError(
            f"levels={levels} is too many: an image of {_times(shape)} is down to one pixel "
            f"after {possible}"
        )
    grids = [(shape, mask)]
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
