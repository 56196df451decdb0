"""Planted regions of a brain
=============================

Planted regions of a brain, and how much of them selection finds.

The maps of two conditions (12 participants, 4 runs each) are generated in the mask of nilearn's MNI
template, with voxels of 8 mm. Three percent of the voxels lie in planted regions. glass.png shows
these regions, and as many voxels that repetitive selection finds first, in a glass brain.
slices.png shows the same in the colours of Klement, Anders & Martinetz (2013, fig. 5). ranking.png
shows the voxels for growing shares of the ranking.

In a clone, ``python -m examples.plot_brain_regions folder`` writes the pictures there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from nibabel import Nifti1Image
from nilearn.datasets import load_mni152_brain_mask

from examples._pictures import write_pictures
from fewest import RepetitiveSelector
from fewest.datasets import BrainMaps, make_brain
from fewest.neuro.analyses import map_overlap
from fewest.neuro.pictures import plot_ranking, plot_two_maps

MILLIMETRES = 8
PLANTED = 0.03
NAMES = ("planted", "found")


def generated() -> tuple[BrainMaps, Nifti1Image]:
    """Maps of both conditions, one column per voxel, and their mask."""
    mask = load_mni152_brain_mask(resolution=MILLIMETRES)
    inside = np.asarray(mask.dataobj) > 0
    return make_brain(mask=inside, informative=PLANTED, strength=1.5, random_state=2), mask


def ranking_of(maps: BrainMaps, n_subsets: int) -> np.ndarray:
    """The repetition that finds each voxel, counted from 1; 0 for voxels that none finds."""
    selector = RepetitiveSelector(n_subsets=n_subsets).fit(maps.X, maps.y)
    ranking = np.zeros(maps.X.shape[1])
    for number, subset in enumerate(selector.subsets_, start=1):
        ranking[subset] = number
    return ranking


def draw(n_subsets: int) -> dict[str, Figure]:
    """The pictures by name."""
    maps, mask = generated()
    ranking = ranking_of(maps, n_subsets)
    order = np.argsort(np.where(ranking > 0, ranking, np.inf), kind="stable")
    found = np.zeros(len(ranking))
    found[order[: maps.informative.sum()]] = 1
    print(map_overlap(maps.informative, found))
    both = [image_of(values, mask) for values in (maps.informative, found)]
    return {
        "glass": plot_two_maps(*both, names=NAMES, kind="glass"),
        "slices": plot_two_maps(*both, names=NAMES, palette="papers"),
        "ranking": plot_ranking(image_of(ranking, mask), mask),
    }


def image_of(values: np.ndarray, mask: Nifti1Image) -> Nifti1Image:
    """Values of the voxels as an image on the grid of the mask."""
    volume = np.zeros(mask.shape, dtype=np.float32)
    volume[np.asarray(mask.dataobj) > 0] = values
    return Nifti1Image(volume, mask.affine)


def main() -> None:
    parser = argparse.ArgumentParser(description="Planted regions of a brain.")
    parser.add_argument(
        "folder", nargs="?", type=Path, help="where to write the pictures (default: show)"
    )
    parser.add_argument("--subsets", type=int, default=200, help="at most (default: 200)")
    arguments = parser.parse_args()
    write_pictures(arguments.folder, draw(arguments.subsets))


if __name__ == "__main__":
    main()
