"""Images that are one slice thick, drawn without a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIDES = (("L", "R"), ("P", "A"), ("I", "S"))


def is_flat(image: Any) -> bool:
    """Whether some axis of the image has a single voxel."""
    return 1 in image.shape[:3]


def draw_flat(ax: Axes, image: Any, colours: Any, background: Any = None, **settings: Any) -> Any:
    """Draw the voxels that are not zero on the background; returns what `imshow` does.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    image : image
        One slice thick.
    colours : matplotlib Colormap
        Of its values.
    background : image of that shape, optional
        Grey values; nothing by default.
    settings
        For `imshow`: vmin, vmax.
    """
    values, sides, aspect = _as_seen(image)
    if background is not None:
        grey = np.nan_to_num(_as_seen(background)[0], posinf=0.0, neginf=0.0)
        if grey.shape != values.shape:
            raise ValueError(
                f"the background has shape {background.shape[:3]}, but the map has "
                f"{image.shape[:3]}: resample it to the grid of the map"
            )
        ax.imshow(
            np.ma.masked_equal(grey, 0),
            cmap="gray",
            origin="lower",
            aspect=aspect,
            vmin=0,
            vmax=1.1 * grey.max(),
        )
    shown = ax.imshow(
        np.ma.masked_equal(values, 0),
        cmap=colours,
        origin="lower",
        aspect=aspect,
        interpolation="nearest",
        **settings,
    )
    ax.set_axis_off()
    for place, side in zip((0.02, 0.98), sides, strict=True):
        ax.text(place, 0.5, side, color="white", transform=ax.transAxes, ha="center", va="center")
    return shown


def _as_seen(image: Any) -> tuple[NDArray[Any], tuple[str, str], float]:
    """Values with a row a line of the picture, its two sides, and height by width of a voxel."""
    import nibabel

    canonical = nibabel.as_closest_canonical(image)
    values = np.asarray(canonical.dataobj)
    flat = max(axis for axis in range(3) if values.shape[axis] == 1)
    across, up = (axis for axis in range(3) if axis != flat)
    sizes = canonical.header.get_zooms()
    return np.squeeze(values, axis=flat).T, _SIDES[across], float(sizes[up] / sizes[across])
