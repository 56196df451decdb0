"""Volumes drawn by nilearn, and images that are one slice thick, drawn without a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest.neuro._images import make_image, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CUTS = 7
_SIDES = (("L", "R"), ("P", "A"), ("I", "S"))
_PLACE = (0.02, 0.14, 0.96, 0.84)  # of the brain in the figure, above a legend


def draw_slices(figure: Figure, labels: Any, colours: Any, background: Any) -> None:
    """Horizontal slices through the voxels of a label image."""
    from nilearn.plotting import plot_roi

    plot_roi(
        labels,
        **({} if background is None else {"bg_img": background}),
        display_mode="z",
        cut_coords=_heights(labels),
        cmap=colours,
        vmin=1,
        vmax=colours.N,
        alpha=1.0,
        colorbar=False,
        black_bg=True,
        figure=figure,
        axes=_PLACE,
    )


def draw_glass(figure: Figure, labels: Any, colours: Any) -> None:
    """All voxels of a label image through a glass brain, those of the last label on top."""
    from matplotlib.colors import ListedColormap
    from nilearn.plotting import plot_glass_brain

    display = plot_glass_brain(None, display_mode="lyrz", black_bg=True, figure=figure, axes=_PLACE)
    values = values_of(labels)
    for code in range(1, colours.N + 1):
        if np.any(values == code):
            image = make_image(labels, (values == code).astype(np.float32))
            colour = ListedColormap([colours.colors[code - 1]])
            display.add_overlay(image, threshold=0.5, cmap=colour, vmin=0, vmax=1)


def draw_ranked_glass(figure: Figure, axes: Axes, image: Any, colours: Any, darkest: float) -> None:
    """The brightest voxel on each line of sight through a glass brain."""
    from nilearn.plotting import plot_glass_brain

    plot_glass_brain(
        image,
        display_mode="xz",
        threshold=np.finfo(np.float32).tiny,
        cmap=colours,
        vmin=darkest,
        vmax=1.0,
        plot_abs=False,
        resampling_interpolation="nearest",
        colorbar=False,
        black_bg=True,
        figure=figure,
        axes=axes,
    )


def _heights(labels: Any) -> list[float]:
    """Where to cut: evenly from the lowest voxels to the highest, without stray ones."""
    from nibabel.affines import apply_affine

    places = np.argwhere(values_of(labels))
    if not len(places):
        places = np.array([[size // 2 for size in labels.shape]])
    low, high = np.quantile(apply_affine(labels.affine, places)[:, 2], [0.03, 0.97])
    heights: list[float] = np.unique(np.linspace(low, high, _CUTS).round(1)).tolist()
    return heights


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
    values, sides, aspect = _turn(image)
    drawn: dict[str, Any] = {"origin": "lower", "aspect": aspect}
    if background is not None:
        grey = np.nan_to_num(_turn(background)[0], posinf=0.0, neginf=0.0)
        if grey.shape != values.shape:
            raise ValueError(
                f"the background has shape {background.shape[:3]}, but the map has "
                f"{image.shape[:3]}: resample it to the grid of the map"
            )
        ax.imshow(np.ma.masked_equal(grey, 0), cmap="gray", vmin=0, vmax=1.1 * grey.max(), **drawn)
    shown = ax.imshow(
        np.ma.masked_equal(values, 0), cmap=colours, interpolation="nearest", **drawn, **settings
    )
    ax.set_axis_off()
    for place, side in zip((0.02, 0.98), sides, strict=True):
        ax.text(place, 0.5, side, color="white", transform=ax.transAxes, ha="center", va="center")
    return shown


def _turn(image: Any) -> tuple[NDArray[Any], tuple[str, str], float]:
    """One row per line of the picture, its two sides, and height by width of a voxel."""
    import nibabel

    canonical = nibabel.as_closest_canonical(image)
    flat = max(axis for axis in range(3) if canonical.shape[axis] == 1)
    across, up = (axis for axis in range(3) if axis != flat)
    sizes = canonical.header.get_zooms()
    values = np.squeeze(values_of(canonical), axis=flat).T
    return values, _SIDES[across], float(sizes[up] / sizes[across])
