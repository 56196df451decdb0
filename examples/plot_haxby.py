"""Faces, houses and other objects in one slice of a brain
==========================================================

Faces, houses and six other categories in one slice of a brain.

The slice is from the Haxby data (12 runs, 530 voxels). The script looks for it in $FEWEST_DATA and
in ../shared/data; if it is not there, the script says so and draws nothing. overlap.png shows the
voxels that distinguish faces from houses by t-statistics and by repetitive selection, the same
number of each. ranking.png shows the order in which selection finds voxels, and pairs.png the error
and the number of voxels for all pairs of categories, with one run left out at a time.

In a clone, ``python -m examples.plot_haxby folder`` writes the pictures there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from nibabel import Nifti1Image

from benchmarks.haxby_slice import HaxbySlice, load_haxby_slice
from examples._pictures import write_pictures
from fewest import SupportFeatureMachine
from fewest.informative import t_map
from fewest.neuro import FewestVoxels
from fewest.neuro.analyses import AllPairs, all_pairs, map_overlap
from fewest.neuro.pictures import plot_ranking, plot_two_maps

SHARE = 0.1  # of the voxels, in the maps that are compared


def draw(data: HaxbySlice, n_subsets: int, categories: list[str] | None) -> dict[str, Figure]:
    """The pictures by name."""
    rows = np.isin(data.y, ["face", "house"])
    X, y, runs = data.X[rows], data.y[rows], data.runs[rows]
    decoder = FewestVoxels(
        SupportFeatureMachine(C=np.inf), mask=data.mask_image, n_subsets=n_subsets
    )
    decoder.fit(image_of(X.T, data), y, groups=runs)
    voxels = ", ".join(f"{size:.0f}" for size in decoder.cv_results_["n_features"])
    print(f"face against house: error {decoder.error_:.3f}; voxels in the folds: {voxels}")

    univariate = t_map(X, y, groups=runs)
    by_t = np.zeros(X.shape[1])
    by_t[univariate.top(SHARE)] = 1
    first = np.zeros(X.shape[1])
    first[np.concatenate(decoder.selector_.subsets_)[: int(by_t.sum())]] = 1
    print(map_overlap(by_t, first))

    pairs = all_pairs(
        SupportFeatureMachine(), data.X, data.y, groups=data.runs, conditions=categories
    )
    print(pairs)
    return {
        "overlap": plot_two_maps(
            image_of(by_t, data),
            image_of(first, data),
            names=("t-statistics", "selection"),
            background=data.mean_image,
        ),
        "ranking": plot_ranking(decoder.ranking_img_, data.mask_image, background=data.mean_image),
        "pairs": draw_pairs(pairs),
    }


def image_of(values: np.ndarray, data: HaxbySlice) -> Nifti1Image:
    """Values of the voxels (and volumes) as an image."""
    inside = np.asarray(data.mask_image.dataobj) > 0
    volume = np.zeros((*inside.shape, *values.shape[1:]), dtype=np.float32)
    volume[inside] = values
    return Nifti1Image(volume, data.mask_image.affine)


def draw_pairs(pairs: AllPairs) -> Figure:
    """Two squares of numbers, one row and one column per category."""
    figure, axes = pyplot.subplots(1, 2, figsize=(12.5, 5.6), layout="constrained")
    draw_square(axes[0], pairs.errors(), pairs.conditions, "error on the run left out", "{:.2f}")
    draw_square(axes[1], pairs.features(), pairs.conditions, "voxels", "{:.1f}")
    return figure


def draw_square(
    ax: Axes, values: np.ndarray, names: tuple[str, ...], title: str, number: str
) -> None:
    ax.imshow(values, cmap="cividis_r", vmin=0)
    dark = 0.55 * np.nanmax(values)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            ink = "white" if value > dark else "black"
            ax.text(column, row, number.format(value), ha="center", va="center", color=ink)
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.set_title(title)
    ax.spines[:].set_visible(False)


def main() -> None:
    parser = argparse.ArgumentParser(description="One slice of a brain.")
    parser.add_argument(
        "folder", nargs="?", type=Path, help="where to write the pictures (default: show)"
    )
    parser.add_argument("--subsets", type=int, default=40, help="at most (default: 40)")
    parser.add_argument("--categories", nargs="+", help="which to compare (default: all)")
    arguments = parser.parse_args()
    data = load_haxby_slice()
    if data is not None:
        figures = draw(data, arguments.subsets, arguments.categories)
        write_pictures(arguments.folder, figures)


if __name__ == "__main__":
    main()
