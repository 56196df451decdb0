"""Volumes drawn by nilearn: slices on a background, and the glass brain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CUTS = 7
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
    from nilearn.image import new_img_like
    from nilearn.plotting import plot_glass_brain

    display = plot_glass_brain(None, display_mode="lyrz", black_bg=True, figure=figure, axes=_PLACE)
    values = np.asarray(labels.dataobj)
    for code in range(1, colours.N + 1):
        if np.any(values == code):
            image = new_img_like(labels, (values == code).astype(np.float32))
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
    places = np.argwhere(np.asarray(labels.dataobj) != 0)
    if not len(places):
        places = np.array([[size // 2 for size in labels.shape]])
    heights = (places @ labels.affine[:3, :3].T + labels.affine[:3, 3])[:, 2]
    return np.unique(np.linspace(*np.quantile(heights, [0.03, 0.97]), _CUTS).round(1)).tolist()
