"""From images to one row per volume and one column per voxel of the mask, by nilearn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from fewest._types import FloatArray
from fewest._wording import counted, cut
from fewest.neuro._images import load_image, make_image, match_grid, values_of

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

# Parameters of nilearn's masker that decoders have too, with its defaults.
HANDED_ON: dict[str, Any] = {
    "mask_strategy": "background",
    "smoothing_fwhm": None,
    "standardize": None,
    "detrend": False,
    "low_pass": None,
    "high_pass": None,
    "t_r": None,
}
STRATEGIES = ("background", "epi", "whole-brain-template", "gm-template", "wm-template")
STANDARDS = (None, False, True, "zscore_sample", "psc", "groups")
_IN_TIME = ("standardize", "detrend", "low_pass", "high_pass", "high_variance_confounds")


def fit_masker(mask: Any, settings: Mapping[str, Any], images: SpatialImage) -> Any:
    """A masker of nilearn with at least one voxel, on the grid of the images.

    `settings` are values of `HANDED_ON`. A masker that is given keeps its own, except where these
    are not the defaults.
    """
    from nilearn.maskers import NiftiMasker
    from nilearn.maskers.base_masker import BaseMasker

    own = {**settings, "standardize": _to_nilearn(settings["standardize"])}
    if isinstance(mask, NiftiMasker):
        masker = clone(mask)
        if hasattr(mask, "mask_img_"):  # the mask that was computed stays as it is
            masker.set_params(mask_img=mask.mask_img_)
        asked = {name: value for name, value in own.items() if value != HANDED_ON[name]}
        masker.set_params(**asked, reports=False)
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
        masker = NiftiMasker(mask, reports=False, **own)
    if masker.mask_img is None:
        return _compute_mask(masker, images)
    given = load_image(masker.mask_img, "mask")
    if not values_of(given).any():
        raise ValueError("the mask is empty: no voxel is above zero. Give another mask")
    given = match_grid(given, images, "the mask", "the images")
    return masker.set_params(mask_img=given).fit()


def works_in_time(settings: Mapping[str, Any], mask: Any = None) -> bool:
    """Whether what becomes of a volume depends on the others of its run.

    `mask` may be a masker with settings of its own.
    """
    if isinstance(mask, BaseEstimator) and works_in_time(mask.get_params()):
        return True
    asked = {**settings, "standardize": _to_nilearn(settings.get("standardize"))}
    return any(asked.get(name) not in (None, False) for name in _IN_TIME)


def mask_images(
    masker: Any,
    images: SpatialImage,
    groups: NDArray[Any] | None = None,
    confounds: FloatArray | None = None,
) -> NDArray[Any]:
    """One row per volume, one column per voxel of the mask, after what the masker does to them.

    Trends, filters, means and confounds are those of every group: no run continues another.
    """
    from nilearn.image import index_img

    _check_finite(masker.mask_img_, images)
    runs = masker.runs
    if runs is not None and not np.array_equal(np.sort(runs, kind="stable"), runs):
        raise ValueError(
            "the runs of the masker are not sorted, and nilearn would return the volumes in "
            "another order than their labels. Number the runs in the order of the volumes (as "
            "integers: text sorts 10 before 2), or sort the volumes by run"
        )
    if not works_in_time(masker.get_params()) and confounds is None:
        return masker.transform(images)
    if groups is None or runs is not None:
        return _clean(masker, images, confounds, "")
    values: NDArray[Any] | None = None
    for name in np.unique(groups):
        rows = groups == name
        own = None if confounds is None else confounds[rows]
        where = f" of group {cut(name.item())}"
        cleaned = _clean(masker, index_img(images, rows), own, where)
        if values is None:
            values = np.empty((len(groups), cleaned.shape[1]), dtype=cleaned.dtype)
        values[rows] = cleaned
    assert values is not None
    return values


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


def _to_nilearn(standardize: Any) -> str | None:
    """As nilearn's masker will take it: truth values go out of use there.

    "groups" is done later, to the volumes that are used.
    """
    if isinstance(standardize, (bool, np.bool_)):
        return "zscore_sample" if standardize else None
    return None if standardize == "groups" else standardize


def _clean(
    masker: Any, images: SpatialImage, confounds: FloatArray | None, where: str
) -> NDArray[Any]:
    """A run by itself; what nilearn has against it is said with the run."""
    if images.shape[3] < 2:
        raise ValueError(
            f"the run{where} has a single volume: standardize, detrend, filters and confounds need "
            "several. Give all volumes of a run together"
        )
    try:
        return masker.transform(images, confounds=confounds)
    except (ValueError, TypeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(
            f"nilearn cannot prepare the {counted(images.shape[3], 'volume')}{where}: {reason}. "
            "Check t_r, the filters (in Hz) and the confounds"
        ) from error


def _compute_mask(masker: Any, images: SpatialImage) -> Any:
    """Fitted by nilearn's rule, then without the voxels that are the same in all volumes.

    Such voxels, outside the brain mostly, carry no information; but downsampling would mix them
    with others into voxels of next to no variance.
    """
    advice = "Give a mask image, or another mask_strategy"
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
