"""Images, masks, labels and groups that belong together, or an error that says what does not."""

from __future__ import annotations

import os
import warnings
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import column_or_1d

from fewest._estimators.splits import check_groups
from fewest._wording import counted, visible

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

_SAME_GRID = 1e-4  # affines are single precision in the files


def checked_images(imgs: Any) -> SpatialImage:
    """All volumes as one 4-D image in memory: of a file, an image, or a list of them."""
    from nilearn.image import concat_imgs

    if isinstance(imgs, Iterable) and not isinstance(imgs, (str, os.PathLike)):
        loaded = [_as_series(_loaded(img, number)) for number, img in enumerate(imgs)]
    else:
        loaded = [_as_series(_loaded(imgs, None))]
    if not loaded:
        raise ValueError("there are no images: name at least two volumes of different classes")
    if len(loaded) == 1:
        return loaded[0]
    _require_one_grid(loaded)
    loaded = [_exactly_on(loaded[0].affine, img) for img in loaded]
    # Integers of two bytes are exact in single precision, which halves the memory.
    dtype = np.result_type(np.float32, *(img.get_data_dtype() for img in loaded))
    return concat_imgs(loaded, dtype=dtype)


def checked_image(img: Any, what: str) -> SpatialImage:
    """One 3-D image that is to serve as `what`."""
    loaded = _loaded(img, None, what)
    if loaded.ndim == 4 and loaded.shape[3] == 1:
        from nilearn.image import index_img

        return index_img(loaded, 0)
    if loaded.ndim != 3:
        raise ValueError(
            f"{what} must be one 3-D image; got the shape {_times(loaded.shape)}. Take one volume "
            "of it with nilearn.image.index_img"
        )
    return loaded


def checked_labels(y: ArrayLike, n_volumes: int) -> NDArray[Any]:
    """A class label for every volume, at least two different ones."""
    y = column_or_1d(y)
    if len(y) != n_volumes:
        hint = ""
        if n_volumes == 1:
            hint = " One 3-D image is one volume: give a list of them, or a 4-D image."
        raise ValueError(
            f"y has {counted(len(y), 'label')}, but the images have "
            f"{counted(n_volumes, 'volume')}: give one label a volume, in their order.{hint}"
        )
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y has only one class, {classes.tolist()[0]!r}: volumes of at least two classes are "
            "needed"
        )
    return y


def checked_volume_groups(groups: ArrayLike | None, n_volumes: int) -> NDArray[Any] | None:
    """A participant or run for every volume; None stays None."""
    if groups is not None and len(column_or_1d(groups)) != n_volumes:
        raise ValueError(
            f"groups has {counted(len(column_or_1d(groups)), 'entry').replace('entrys', 'entries')}"
            f", but the images have {counted(n_volumes, 'volume')}: name one participant or run a "
            "volume, in their order"
        )
    return check_groups(groups, n_volumes)


def fitted_masker(mask: Any, smoothing_fwhm: float | None, images: SpatialImage) -> Any:
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
        image = None if mask is None else checked_image(mask, "mask")
        masker = NiftiMasker(
            mask_img=image, smoothing_fwhm=smoothing_fwhm, standardize=None, reports=False
        )
    if masker.mask_img is None:
        return _computed(masker, images)
    given = checked_image(masker.mask_img, "mask")
    if not np.any(np.asanyarray(given.dataobj)):
        raise ValueError("the mask is empty: no voxel is above zero. Give another mask")
    require_same_grid(given, images, "the mask", "the images")
    return masker.set_params(mask_img=_exactly_on(images.affine, given)).fit()


def on_grid_of_fit(images: SpatialImage, mask_img: SpatialImage) -> SpatialImage:
    """New images, if they are on the grid of those of the fit."""
    require_same_grid(images, mask_img, "these images", "those of fit")
    return _exactly_on(mask_img.affine, images)


def same_affine(one: SpatialImage, other: SpatialImage) -> bool:
    """Whether affines are equal up to what files keep of them."""
    return np.allclose(one.affine, other.affine, atol=_SAME_GRID)


def masked_values(masker: Any, images: SpatialImage) -> NDArray[np.floating]:
    """A row a volume, a column a voxel of the mask, after what the masker does to them."""
    _check_finite(masker.mask_img_, images)
    runs = getattr(masker, "runs", None)
    if runs is not None and not np.array_equal(np.sort(runs, kind="stable"), runs):
        raise ValueError(
            "the runs of the masker are not sorted, and nilearn would return the volumes in "
            "another order than their labels. Number the runs in the order of the volumes (as "
            "integers: text sorts 10 before 2), or sort the volumes by run"
        )
    return masker.transform(images)


def standardized_within(
    values: NDArray[np.floating], groups: NDArray[Any] | None
) -> NDArray[np.floating]:
    """Every voxel with mean zero and variance one within each group; labels play no part."""
    from nilearn.signal import clean

    if groups is None:
        groups = np.zeros(len(values), dtype=int)
    names, runs, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        raise ValueError(
            f"standardize='groups' needs at least two volumes a group; group "
            f"{names[sizes.argmin()].item()!r} has one. Use standardize=None, or give more volumes"
        )
    # Group by group: given all at once, nilearn returns them sorted by run.
    standard = np.empty_like(values)
    for run in range(len(names)):
        inside = runs == run
        standard[inside] = clean(
            values[inside], detrend=False, filter=False, standardize="zscore_sample", t_r=None
        )
    return standard


def _loaded(img: Any, number: int | None, what: str = "the image") -> SpatialImage:
    from nibabel.filebasedimages import ImageFileError
    from nibabel.spatialimages import SpatialImage
    from nilearn.image import load_img, new_img_like

    if number is not None:
        what = f"image {number}"
    if isinstance(img, SpatialImage):
        return _usable(img, what)
    if not isinstance(img, (str, os.PathLike)):
        raise TypeError(
            f"{what} must be a NIfTI file or image, not {type(img).__name__}. Make an array into "
            "an image with nibabel.Nifti1Image(array, affine)"
        )
    name = visible(os.fspath(img))
    if not os.path.exists(img):
        raise FileNotFoundError(f"{what}, {name}, does not exist: check its name and folder")
    try:
        loaded = load_img(os.fspath(img))
        # Into memory: it is needed several times, and a damaged file shows only when it is read.
        loaded = new_img_like(loaded, np.asanyarray(loaded.dataobj))
    except (ImageFileError, EOFError, OSError, ValueError, zlib.error) as error:
        raise ValueError(
            f"{what}, {name}, is not a NIfTI file, or damaged: {visible(error)}. Convert it to "
            ".nii or .nii.gz, or copy it again"
        ) from error
    return _usable(loaded, f"{what}, {name},")


def _usable(img: SpatialImage, what: str) -> SpatialImage:
    """The image, as NIfTI, if it has real numbers in three or four dimensions."""
    from nibabel.nifti1 import Nifti1Image, Nifti1Pair

    if img.ndim not in (3, 4):
        raise ValueError(
            f"{what} has the shape {_times(img.shape)}: volumes have three dimensions, series four"
        )
    if img.get_data_dtype().kind not in "biuf":
        raise ValueError(
            f"{what} holds values of type {img.get_data_dtype()}: real numbers are needed, one a "
            "voxel"
        )
    if isinstance(img, Nifti1Pair):
        return img
    return Nifti1Image(np.asanyarray(img.dataobj), img.affine)  # Analyze and the like


def _as_series(img: SpatialImage) -> SpatialImage:
    from nilearn.image import new_img_like

    if img.ndim == 4:
        return img
    return new_img_like(img, np.asanyarray(img.dataobj)[..., None])


def _require_one_grid(loaded: list[SpatialImage]) -> None:
    for number, img in enumerate(loaded[1:], start=1):
        require_same_grid(img, loaded[0], f"image {number}", "image 0")


def require_same_grid(one: SpatialImage, other: SpatialImage, name: str, than: str) -> None:
    """Raise unless both have voxels at the same places; `name` and `than` say what they are."""
    advice = "Bring them on one grid with nilearn.image.resample_to_img"
    if one.shape[:3] != other.shape[:3]:
        raise ValueError(
            f"{name}: {_times(one.shape[:3])} voxels; {than}: {_times(other.shape[:3])} voxels. "
            f"{advice}"
        )
    if not same_affine(one, other):
        raise ValueError(
            f"the affine of {name} and that of {than} differ by up to "
            f"{np.abs(one.affine - other.affine).max():.3g}: a voxel is not the same place. "
            f"{advice}"
        )


def _exactly_on(affine: NDArray[np.floating], img: SpatialImage) -> SpatialImage:
    """The image with this affine, which differs from its own by rounding at most.

    For nilearn such grids are two: it would resample one of them, and lose its outermost voxels.
    """
    from nilearn.image import new_img_like

    if np.array_equal(img.affine, affine):
        return img
    return new_img_like(img, np.asanyarray(img.dataobj), affine)


def _computed(masker: Any, images: SpatialImage) -> Any:
    """Fitted by nilearn's rule, then without the voxels that are the same in all volumes.

    Such voxels, outside the brain mostly, tell nothing; but downsampling would mix them with others
    into voxels of next to no variance.
    """
    from nilearn.image import new_img_like

    advice = "Give a mask image, or a NiftiMasker with another mask_strategy"
    try:
        with warnings.catch_warnings():
            # Of an empty mask: the error below says more.
            warnings.filterwarnings("ignore", message="Computed an empty mask")
            masker.fit(images)
    except ValueError as error:
        reason = str(error).rstrip(".")
        raise ValueError(f"no mask could be computed: {reason}. {advice}") from error
    data = np.asanyarray(images.dataobj)
    inside = np.asanyarray(masker.mask_img_.dataobj).astype(bool)
    varying = inside & (data.max(axis=3) != data.min(axis=3))
    if not varying.any():
        raise ValueError(f"the computed mask has no voxel that varies. {advice}")
    if np.array_equal(varying, inside):
        return masker
    mask_img = new_img_like(masker.mask_img_, varying.astype(np.int8))
    return masker.set_params(mask_img=mask_img).fit()


def _check_finite(mask_img: SpatialImage, images: SpatialImage) -> None:
    """Maskers would take NaN for zero without a word."""
    inside = np.asanyarray(mask_img.dataobj).astype(bool)
    data = np.asanyarray(images.dataobj)
    for number in range(data.shape[3]):
        bad = int(np.sum(~np.isfinite(data[..., number][inside])))
        if bad:
            raise ValueError(
                f"{counted(bad, 'voxel')} of volume {number} (from 0, of those used) in the mask "
                f"{'is' if bad == 1 else 'are'} NaN or infinite. Leave such voxels out of the "
                "mask, or replace their values"
            )


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
