"""Images that were read and belong together, or an error that says what does not."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._memory import TooLargeError, check_size
from fewest._run.versions import require_package
from fewest._types import FloatArray
from fewest._wording import visible

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

_TIME_UNITS = {"sec": 1.0, "msec": 1e-3, "usec": 1e-6}
_SAME_GRID = 1e-4  # affines are single precision in the files


def require_nilearn() -> None:
    """Raise an ImportError that says how to install nilearn, if it is not there."""
    require_package("nilearn", "brain images", "neuro")


def load_images(imgs: Any) -> SpatialImage:
    """All volumes as one 4-D image in memory: of a file, an image, or a list of them."""
    from nilearn.image import concat_imgs

    if isinstance(imgs, Iterable) and not isinstance(imgs, (str, os.PathLike)):
        loaded = [_load(img, f"image {number}") for number, img in enumerate(imgs)]
    else:
        loaded = [_load(imgs, "the image")]
    if not loaded:
        raise ValueError("there are no images: name at least two volumes of different classes")
    series = [
        img if img.ndim == 4 else make_image(img, values_of(img)[..., None]) for img in loaded
    ]
    series = [
        match_grid(img, series[0], f"image {number}", "image 0")
        for number, img in enumerate(series)
    ]
    if len(series) == 1:
        return series[0]
    # Integers of two bytes are exact in single precision, which halves the memory.
    dtype = np.result_type(np.float32, *(img.get_data_dtype() for img in series))
    return concat_imgs(series, dtype=dtype)


def load_image(img: Any, what: str) -> SpatialImage:
    """One 3-D image that is to serve as `what`."""
    loaded = _load(img, what)
    if loaded.ndim == 4 and loaded.shape[3] == 1:
        return make_image(loaded, values_of(loaded)[..., 0])
    if loaded.ndim != 3:
        raise ValueError(
            f"{what} must be one 3-D image; got the shape {_times(loaded.shape)}. Take one volume "
            "of it with nilearn.image.index_img"
        )
    return loaded


def find_t_r(imgs: Any) -> float | None:
    """Seconds from one volume to the next, by the header of the (first) series; None if unsaid."""
    from nibabel.nifti1 import Nifti1Header
    from nibabel.spatialimages import SpatialImage
    from nilearn.image import load_img

    is_one = isinstance(imgs, (str, os.PathLike, SpatialImage))
    img = imgs if is_one else next(iter(imgs), None)
    if isinstance(img, (str, os.PathLike)):
        img = load_img(os.fspath(img))
    if img is None or img.ndim != 4 or not isinstance(img.header, Nifti1Header):
        return None
    # Without a unit, the field may hold anything, and 1 where nobody set it.
    seconds = _TIME_UNITS.get(img.header.get_xyzt_units()[1])
    step = float(img.header.get_zooms()[3])
    return None if seconds is None or not 0 < step < math.inf else round(step * seconds, 6)


def values_of(img: SpatialImage) -> NDArray[Any]:
    """The values of all voxels."""
    return np.asanyarray(img.dataobj)


def make_image(
    reference: SpatialImage, values: NDArray[Any], affine: FloatArray | None = None
) -> SpatialImage:
    """These values as an image on the grid of another one, or with an affine of their own."""
    from nilearn.image import new_img_like

    image = new_img_like(reference, values, affine)
    # The header is that of the other image: a file of its type would round weights to integers.
    image.set_data_dtype(values_of(image).dtype)
    return image


def has_affine_of(one: SpatialImage, other: SpatialImage) -> bool:
    """Whether affines are equal up to what files keep of them."""
    return np.allclose(one.affine, other.affine, atol=_SAME_GRID)


def match_grid(one: SpatialImage, other: SpatialImage, name: str, than: str) -> SpatialImage:
    """The image with the affine of the other one, from which its own differs by rounding at most.

    For nilearn such grids are two: it would resample one of them, and lose its outermost voxels.
    Raises unless both have voxels at the same places; `name` and `than` say what they are.
    """
    advice = "Bring them on one grid with nilearn.image.resample_to_img"
    if one.shape[:3] != other.shape[:3]:
        raise ValueError(
            f"{name}: {_times(one.shape[:3])} voxels; {than}: {_times(other.shape[:3])} voxels. "
            f"{advice}"
        )
    if not has_affine_of(one, other):
        raise ValueError(
            f"the affine of {name} and that of {than} differ by up to "
            f"{np.abs(one.affine - other.affine).max():.3g}: a voxel is not the same place. "
            f"{advice}"
        )
    if np.array_equal(one.affine, other.affine):
        return one
    return make_image(one, values_of(one), other.affine)


def _load(img: Any, what: str) -> SpatialImage:
    from nibabel.spatialimages import SpatialImage
    from nilearn.image import load_img

    if isinstance(img, SpatialImage):
        return _check_values(img, what)
    if not isinstance(img, (str, os.PathLike)):
        raise TypeError(
            f"{what} must be a NIfTI file or image, not {type(img).__name__}. Make an array into "
            "an image with nibabel.Nifti1Image(array, affine)"
        )
    what = f"{what}, {visible(os.fspath(img))},"
    if not os.path.exists(img):
        raise FileNotFoundError(f"{what} does not exist: check its name and folder")
    try:
        loaded = load_img(os.fspath(img))
        # In doubles, as soon as the header has a factor; nothing was unpacked so far.
        check_size(math.prod(map(int, loaded.shape)) * 8, what.removesuffix(","))
        if not is_place(loaded.affine):
            raise ValueError(
                "its affine gives voxels no place in space, because it has values that are not "
                "finite, or flattens them"
            )
        # Into memory: it is needed several times, and a damaged file shows only when it is read.
        loaded = make_image(loaded, values_of(loaded))
    except TooLargeError as error:
        raise ValueError(f"{error}. Take fewer volumes, or larger voxels") from error
    except _damage() as error:
        raise ValueError(
            f"{what} is not a NIfTI file, or damaged: {visible(error)}. Convert it to .nii or "
            ".nii.gz, or copy it again"
        ) from error
    return _check_values(loaded, what)


def _damage() -> tuple[type[Exception], ...]:
    """What reading a damaged file raises, depending on where the damage is."""
    from nibabel.filebasedimages import ImageFileError
    from nibabel.spatialimages import HeaderDataError

    of_numpy = (TypeError, OverflowError, np.linalg.LinAlgError)
    return (ImageFileError, HeaderDataError, EOFError, OSError, ValueError, zlib.error, *of_numpy)


def _check_values(img: SpatialImage, what: str) -> SpatialImage:
    """The image, as NIfTI, if it has real numbers in three or four dimensions."""
    from nibabel.nifti1 import Nifti1Image, Nifti1Pair

    if img.ndim not in (3, 4):
        raise ValueError(
            f"{what} has the shape {_times(img.shape)}: volumes have three dimensions, series four"
        )
    if img.get_data_dtype().kind not in "biuf":
        raise ValueError(
            f"{what} holds values of type {img.get_data_dtype()}: real numbers are needed, one "
            "per voxel"
        )
    if isinstance(img, Nifti1Pair):
        return img
    return Nifti1Image(values_of(img), img.affine)  # Analyze and the like


def is_place(affine: FloatArray | None) -> bool:
    """Whether different voxels are at different places."""
    if affine is None:
        return True
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(affine[:3, :3], axis=0)
        if not (np.all(np.isfinite(affine)) and np.all(lengths > 0) and np.all(lengths < 1e30)):
            return False
        return bool(np.linalg.matrix_rank(affine[:3, :3] / lengths) == 3)


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
