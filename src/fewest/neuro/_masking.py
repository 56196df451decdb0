"""From images to one row per volume and one column per voxel of the mask."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fewest._wording import counted
from fewest.neuro._images import load_image, make_image, match_grid, values_of

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage


def fit_masker(mask: Any, smoothing_fwhm: float | None, images: SpatialImage) -> Any:
    """A masker of nilearn with at least one voxel, on the grid of the images."""
    from nilearn.maskers import NiftiMasker
    from nilearn.maskers.base_masker import BaseMasker

    if isinstance(mask, NiftiMasker):
        masker = clone(mask)
        if hasattr(mask, "mask_img_"):  # the mask that was computed stays as it is
            masker.set_params(mask_img=mask.mask_img_)
        if smoothing_fwhm is not None:
            masker.set_params(smoothing_fwhm=smoothing_fwhm)
        if masker.target_affine is not None or masker.target_shape is not None:
            raise ValueError(
                "the masker has a target_affine or target_shape: bring the images on that grid "
                "first, with nilearn.image.resample_img"
            )
    elif isinstance(mask, BaseMasker):
        raise TypeError(
            f"mask is a {type(mask).__name__}, which does not keep voxels: give a NiftiMasker or a "
            "mask image"
        )
    else:
        masker = NiftiMasker(mask, smoothing_fwhm=smoothing_fwhm, standardize=None, reports=False)
    if masker.mask_img is None:
        return _compute_mask(masker, images)
    given = load_image(masker.mask_img, "mask")
    if not values_of(given).any():
        raise ValueError("the mask is empty: no voxel is above zero. Give another mask")
    given = match_grid(given, images, "the mask", "the images")
    return masker.set_params(mask_img=given).fit()


def mask_images(masker: Any, images: SpatialImage) -> NDArray[Any]:
    """One row per volume, one column per voxel of the mask, after what the masker does to them."""
    _check_finite(masker.mask_img_, images)
    runs = masker.runs
    if runs is not None and not np.array_equal(np.sort(runs, kind="stable"), runs):
        raise ValueError(
            "the runs of the masker are not sorted, and nilearn would return the volumes in "
            "another order than their labels. Number the runs in the order of the volumes (as "
            "integers: text sorts 10 before 2), or sort the volumes by run"
        )
    return masker.transform(images)


def standardize_groups(values: NDArray[Any], groups: NDArray[Any] | None) -> NDArray[Any]:
    """Every voxel with mean zero and variance one within each group; labels play no part."""
    from nilearn.signal import clean

    if groups is None:
        groups = np.zeros(len(values), dtype=int)
    names, sizes = np.unique(groups, return_counts=True)
    if sizes.min() < 2:
        raise ValueError(
            f"standardize='groups' needs at least two volumes per group; group "
            f"{names[sizes.argmin()].item()!r} has one. Use standardize=None, or give more volumes"
        )
    # Group by group: given all at once, nilearn returns them sorted by run.
    standard = np.empty_like(values)
    for inside in (groups == name for name in names):
        standard[inside] = clean(
            values[inside], detrend=False, filter=False, standardize="zscore_sample", t_r=None
        )
    return standard


def _compute_mask(masker: Any, images: SpatialImage) -> Any:
    """Fitted by nilearn's rule, then without the voxels that are the same in all volumes.

    Such voxels, outside the brain mostly, carry no information; but downsampling would mix them
    with others into voxels of next to no variance.
    """
    advice = "Give a mask image, or a NiftiMasker with another mask_strategy"
    try:
        with warnings.catch_warnings():
            # Of an empty mask: the error below says more.
            warnings.filterwarnings("ignore", message="Computed an empty mask")
            masker.fit(images)
    except ValueError as error:
        reason = str(error).rstrip(".")
        raise ValueError(f"no mask could be computed: {reason}. {advice}") from error
    data = values_of(images)
    inside = values_of(masker.mask_img_).astype(bool)
    varying = inside & (data.max(axis=3) != data.min(axis=3))
    if not varying.any():
        raise ValueError(f"the computed mask has no voxel that varies. {advice}")
    if np.array_equal(varying, inside):
        return masker
    return masker.set_params(mask_img=make_image(masker.mask_img_, varying.astype(np.int8))).fit()


def _check_finite(mask_img: SpatialImage, images: SpatialImage) -> None:
    """Maskers would take NaN for zero without a word."""
    inside = values_of(mask_img).astype(bool)
    data = values_of(images)
    for number in range(data.shape[3]):
        bad = int(np.sum(~np.isfinite(data[..., number][inside])))
        if bad:
            raise ValueError(
                f"{counted(bad, 'voxel')} of volume {number} (from 0, of those used) in the mask "
                f"{'is' if bad == 1 else 'are'} NaN or infinite. Leave such voxels out of the "
                "mask, or replace their values"
            )
