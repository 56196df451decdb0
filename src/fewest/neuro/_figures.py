"""Figures of a fitted decoder, drawn by nilearn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._wording import counted
from fewest.neuro._images import values_of
from fewest.neuro._regions import SIDES, RegionTable
from fewest.plotting._figures import CURVES, PALE, require_matplotlib
from fewest.plotting._names import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CUTS = 5  # slices of a map with many
_DPI = 150
_FAINT = 0.05  # of the largest value: what is less would only veil the background
_TINY = float(np.finfo(np.float32).tiny)
_TILTED = 1e-3  # radians
# Colours and their limits, for nilearn.
_WEIGHTS: dict[str, Any] = {"cmap": "RdBu_r", "symmetric_cbar": True}
_COUNTS: dict[str, Any] = {"cmap": "viridis", "symmetric_cbar": False, "vmin": 0}
_BELOW_TITLE = (0.02, 0.03, 0.96, 0.85)
_SENTENCES = {
    "coef": "Weights of the selected voxels, on the mean of all volumes.",
    "support": "The voxels that the machine uses, on the mean of all volumes.",
    "consistency": "In how many folds each voxel was selected, on the mean of all volumes.",
    "ranking": "When repetitive selection found each voxel: those found so far are set aside, and "
    "the selection is repeated.",
}
_REGIONS = "Where in the atlas the voxels are that were found, by hemisphere."


def list_figures(decoder: Any) -> list[tuple[str, str, Figure]]:
    """Title, sentence and figure of all that a page shows."""
    figures = [found[1:] for found in draw_maps(decoder)]
    if decoder.regions_ is not None:
        figures.append(("Regions", _REGIONS, draw_regions(decoder.regions_)))
    return figures


def draw_maps(decoder: Any) -> Iterator[tuple[str, str, str, Figure]]:
    """Weights (one map per class for more than two), folds and repetitions.

    Each with its name, its title and a sentence. Selected voxels stand for weights where the
    machine is not linear. What is behind them is the mean of the volumes.
    """
    require_matplotlib()
    for name, title, image, settings in _list_maps(decoder):
        figure = _draw_slices(image, decoder.mean_img_, title, settings)
        yield name, title, _SENTENCES[name.partition("-")[0]], figure


def _list_maps(decoder: Any) -> Iterator[tuple[str, str, Any, dict[str, Any]]]:
    from nilearn.image import iter_img

    labels = decoder.classes_.tolist()
    weights = decoder.coef_img_
    if weights is None:
        yield "support", "Selected voxels", decoder.support_img_, {**_COUNTS, "vmax": 1}
    elif weights.ndim == 3:
        title = f"Weights: {labels[1]} (positive) against {labels[0]}"
        yield "coef", title, weights, _WEIGHTS
    else:
        for number, (label, image) in enumerate(zip(labels, iter_img(weights), strict=True), 1):
            title = f"Weights: {label} against the rest"
            yield f"coef-{number}", title, image, _WEIGHTS
    if decoder.consistency_img_ is not None:
        n_folds = len(decoder.cv_results_["fold"])
        title = f"Selected in how many of {n_folds} folds"
        yield "consistency", title, decoder.consistency_img_, {**_COUNTS, "vmax": n_folds}
    if decoder.ranking_img_ is not None:
        last = max(1, int(values_of(decoder.ranking_img_).max()))
        title = f"Found in which of {counted(last, 'repetition')}"
        settings = {**_COUNTS, "vmax": last, "cmap": "plasma_r"}
        yield "ranking", title, decoder.ranking_img_, settings


def draw_regions(regions: RegionTable) -> Figure:
    """Voxels found in every region, by hemisphere; small regions are one row."""
    require_matplotlib()
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    rows = regions.merge_small().regions
    figure = Figure(figsize=(6.4, 1.2 + 0.34 * len(rows)), layout="constrained")
    ax = figure.add_subplot()
    places = np.arange(len(rows))
    start = np.zeros(len(rows))
    for side, colour in zip(SIDES, (*CURVES[:2], PALE), strict=True):
        counts = np.array([getattr(region, side) for region in rows])
        if counts.any():
            ax.barh(places, counts, left=start, color=colour, height=0.7, label=side)
        start = start + counts
    ax.set_yticks(places, [short(region.name) for region in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set_xlabel(f"of {counted(regions.n_voxels, 'voxel')} found")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return figure


def write_figures(decoder: Any, folder: Path) -> list[str]:
    """Write the maps into a folder as PNG; returns the names of the files."""
    written = []
    for name, *_, figure in draw_maps(decoder):
        written.append(f"{name}.png")
        figure.savefig(folder / written[-1], dpi=_DPI)
    return written


def _draw_slices(image: Any, background: Any, title: str, settings: dict[str, Any]) -> Figure:
    """Slices through the voxels of a map that are not zero."""
    from matplotlib.figure import Figure
    from nilearn.plotting import plot_stat_map

    upright, axis = _straighten(image)
    cuts = _choose_cuts(upright, axis, np.abs(image.affine[axis, :3]).max())
    faint = _FAINT * float(np.abs(values_of(image)).max()) if settings is _WEIGHTS else 0.0
    # Not of pyplot, which would open windows and keep the figure.
    figure = Figure(figsize=(max(5.0, 2.2 * len(cuts) + 1.4), 3.2))
    figure.suptitle(title)
    plot_stat_map(
        upright,
        bg_img=background,
        display_mode="xyz"[axis],
        cut_coords=cuts,
        threshold=max(faint, _TINY),
        resampling_interpolation="nearest",  # counts stay whole, and few voxels few
        black_bg=False,
        figure=figure,
        axes=_BELOW_TITLE,
        **settings,
    )
    return figure


def _straighten(image: Any) -> tuple[Any, int]:
    """The image along the axes of space, and which of them to look along.

    A tilted image is put on a straight grid so fine that no voxel is lost. One looks from above,
    unless the image is one slice thick in another direction.
    """
    from nibabel import as_closest_canonical
    from nibabel.affines import apply_affine, obliquity, voxel_sizes
    from nibabel.nifti1 import Nifti1Image
    from nilearn.image import resample_img

    upright = as_closest_canonical(image)
    axis = max((axis for axis in range(3) if upright.shape[axis] == 1), default=2)
    if np.max(obliquity(image.affine)) < _TILTED:
        return upright, axis
    # Resampling ends at the centres of the outermost voxels: a margin keeps these whole.
    affine = image.affine.copy()
    affine[:3, 3] = apply_affine(affine, [-1, -1, -1])
    fine = resample_img(
        Nifti1Image(np.pad(values_of(image), 1), affine),
        target_affine=np.diag(np.full(3, voxel_sizes(affine).min() / 2)),
        interpolation="nearest",
        force_resample=True,
        copy_header=True,
    )
    return fine, axis


def _choose_cuts(upright: Any, axis: int, thickness: float) -> list[float]:
    """Places of the slices with the largest sums, in millimetres; some slice if all is zero."""
    totals = np.abs(values_of(upright)).sum(axis=tuple({0, 1, 2} - {axis}))
    places = upright.affine[axis, 3] + upright.affine[axis, axis] * np.arange(len(totals))
    cuts: list[float] = []
    while totals.any() and len(cuts) < _CUTS:
        cuts.append(float(places[totals.argmax()]))
        totals[np.abs(places - cuts[-1]) < 0.99 * thickness] = 0  # the same slice, on a fine grid
    return sorted(cuts) or [float(places[len(places) // 2])]
