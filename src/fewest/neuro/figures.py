"""Figures of a fitted decoder, drawn by nilearn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._wording import counted
from fewest.neuro._nilearn import require_nilearn
from fewest.plotting._figures import CURVES, PALE, require_matplotlib
from fewest.plotting._labels import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fewest.neuro.regions import RegionTable

_CUTS = 5  # slices of a map with many
_DPI = 150
_FAINT = 0.05  # of the largest value: what is less would only veil the background
_TINY = float(np.finfo(np.float32).tiny)
_TILTED = 1e-3  # radians
_BELOW_TITLE = (0.02, 0.03, 0.96, 0.85)


def decoder_figures(decoder: Any, background: Any = None) -> dict[str, Figure]:
    """Maps of the weights (one a machine), of folds and of repetitions, as figures by name.

    Parameters
    ----------
    decoder : FewestVoxels
        A fitted one.
    background : 3-D image or file, optional
        What the maps are drawn on; the mean of the volumes by default.

    Returns
    -------
    dict of matplotlib figures
        "coef" (or "coef-1", "coef-2", ... for more than two classes), "consistency" if there were
        folds, and "ranking" if there were repetitions.
    """
    require_nilearn()
    require_matplotlib()
    from nilearn.image import iter_img

    background = decoder.mean_img_ if background is None else background
    machines = [decoder.coef_img_]
    if decoder.coef_img_.ndim == 4:
        machines = list(iter_img(decoder.coef_img_))
    labels = decoder.classes_.tolist()
    figures = {}
    for number, weights in enumerate(machines):
        if len(machines) == 1:
            name, title = "coef", f"weights: {labels[1]} (positive) against {labels[0]}"
        else:
            name, title = f"coef-{number + 1}", f"weights: {labels[number]} against the rest"
        figures[name] = _slices(weights, background, title, symmetric=True)
    if decoder.consistency_img_ is not None:
        n_folds = len(decoder.cv_results_["fold"])
        title = f"selected in how many of {n_folds} folds"
        figures["consistency"] = _slices(
            decoder.consistency_img_, background, title, symmetric=False, vmax=n_folds
        )
    if decoder.ranking_img_ is not None:
        n_repetitions = len(decoder.selector_.subsets_)
        title = f"found in which of {counted(n_repetitions, 'repetition')}"
        figures["ranking"] = _slices(
            decoder.ranking_img_,
            background,
            title,
            symmetric=False,
            vmax=n_repetitions,
            colours="plasma_r",
        )
    return figures


def region_figure(regions: RegionTable) -> Figure:
    """Voxels found in every region, by hemisphere; small regions are one row.

    Parameters
    ----------
    regions : RegionTable
        From `region_table`.

    Returns
    -------
    matplotlib Figure
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    rows = regions.listed().regions
    figure = Figure(figsize=(6.4, 1.2 + 0.34 * len(rows)), layout="constrained")
    ax = figure.add_subplot()
    places = np.arange(len(rows))
    start = np.zeros(len(rows))
    for side, colour in (("left", CURVES[0]), ("right", CURVES[1]), ("midline", PALE)):
        counts = np.array([getattr(region, side) for region in rows])
        if counts.any():
            ax.barh(places, counts, left=start, color=colour, height=0.7, label=side)
        start = start + counts
    ax.set_yticks(places, [short(region.name) for region in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel(f"of {counted(regions.n_voxels, 'voxel')} found")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return figure


def write_figures(decoder: Any, folder: Path, background: Any = None) -> list[str]:
    """Write the figures into a folder as PNG; returns the names of the files."""
    written = []
    for name, figure in decoder_figures(decoder, background).items():
        figure.savefig(folder / f"{name}.png", dpi=_DPI)
        written.append(f"{name}.png")
    return written


def _slices(
    image: Any,
    background: Any,
    title: str,
    *,
    symmetric: bool,
    vmax: float | None = None,
    colours: str = "viridis",
) -> Figure:
    """Slices through the voxels of a map that are not zero."""
    from matplotlib.figure import Figure
    from nilearn.plotting import plot_stat_map

    axis = _axis(image)
    upright = _upright(image)
    cuts = _cuts(image, axis) if upright is image else _snapped(_cuts(image, axis), upright, axis)
    faint = _FAINT * float(np.abs(np.asanyarray(image.dataobj)).max()) if symmetric else 0.0
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
        cmap="RdBu_r" if symmetric else colours,
        symmetric_cbar=symmetric,
        vmin=None if symmetric else 0,
        vmax=vmax,
        black_bg=False,
        figure=figure,
        axes=_BELOW_TITLE,
    )
    return figure


def _upright(image: Any) -> Any:
    """The image itself, or a tilted one on a straight grid so fine that no voxel is lost."""
    from nibabel.affines import obliquity, voxel_sizes
    from nilearn.image import new_img_like, resample_img

    if np.max(obliquity(image.affine)) < _TILTED:
        return image
    # Resampling ends at the centres of the outermost voxels: a margin keeps these whole.
    affine = image.affine.copy()
    affine[:3, 3] -= affine[:3, :3].sum(axis=1)
    return resample_img(
        new_img_like(image, np.pad(np.asanyarray(image.dataobj), 1), affine),
        target_affine=np.diag(np.full(3, voxel_sizes(image.affine).min() / 2)),
        interpolation="nearest",
        force_resample=True,
        copy_header=True,
    )


def _snapped(cuts: list[float], upright: Any, axis: int) -> list[float]:
    """The nearest slices of a straight grid: nilearn takes no place beyond its last one."""
    start, step = upright.affine[axis, 3], upright.affine[axis, axis]
    places = np.round((np.array(cuts) - start) / step).clip(0, upright.shape[axis] - 1)
    return np.unique(start + step * places).tolist()


def _axis(image: Any) -> int:
    """Where to look along: from above, unless the image is one slice thick in another direction."""
    from nibabel import io_orientation

    directions = io_orientation(image.affine)[:, 0].astype(int)
    flat = [way for way, size in zip(directions, image.shape[:3], strict=True) if size == 1]
    return max(flat, default=2)


def _cuts(image: Any, axis: int) -> list[float]:
    """Places of the slices with the largest sums, in millimetres; some slice if all is zero."""
    data = np.abs(np.asanyarray(image.dataobj))
    rows = np.argwhere(data)
    values = data[tuple(rows.T)]
    if not len(rows):
        rows, values = np.array([[size // 2 for size in data.shape]]), np.zeros(1)
    # Along an axis of space, which need not be one of the array, nor parallel to one.
    along = image.affine[axis, :3]
    places = rows @ along + image.affine[axis, 3]
    slices = np.round((places - image.affine[axis, 3]) / np.abs(along).max()).astype(int)
    member = np.unique(slices, return_inverse=True)[1]
    largest = np.argsort(-np.bincount(member, weights=values), kind="stable")[:_CUTS]
    return sorted(float(places[member == one][np.argmax(values[member == one])]) for one in largest)
