"""One slice of the first participant of Haxby et al. (2001): voxels, categories and runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.real_files import find_file

REST = "rest"


@dataclass(frozen=True, eq=False)
class HaxbySlice:
    """Volumes of the categories (rest is left out), detrended and standardised within runs.

    `X` has one row per volume and one column per voxel of `mask_image`.
    """

    X: np.ndarray
    y: np.ndarray
    runs: np.ndarray
    mask_image: Any
    mean_image: Any


def load_haxby_slice() -> HaxbySlice | None:
    """The slice, cleaned by nilearn's masker; None, and a printed line, if it is absent."""
    from nilearn.image import mean_img, new_img_like
    from nilearn.maskers import NiftiMasker

    volumes = find_file("haxby_slice_bold.nii.gz")
    labels = find_file("haxby_slice_attributes_literal.txt")
    if volumes is None or labels is None:
        return None
    categories, runs = np.loadtxt(labels, dtype=str).T
    runs = runs.astype(int)  # nilearn returns cleaned volumes in the order of the runs' names
    mean = mean_img(volumes, copy_header=True)
    mask = new_img_like(mean, (np.asarray(mean.dataobj) > 0).astype(np.uint8))
    # Volumes of rest are used for cleaning, too: drifts are the same there.
    masker = NiftiMasker(mask, runs=runs, detrend=True, standardize="zscore_sample")
    X = masker.fit_transform(volumes)
    shown = categories != REST
    return HaxbySlice(X[shown], categories[shown], runs[shown], mask, mean)
