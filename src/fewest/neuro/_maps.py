"""From one value per voxel of a mask to an image, and the images of a decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.abilities import Selection
from fewest._wording import counted
from fewest.neuro._grid import fill_mask
from fewest.neuro._images import load_image, make_image, require_nilearn, values_of
from fewest.neuro._regions import region_table

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage


def make_map_image(values: ArrayLike, mask_img: Any) -> SpatialImage:
    """Results of an analysis as an image: values in the mask, and zero outside. Needs nilearn.

    Parameters
    ----------
    values : array of shape (n_voxels,) or (n_maps, n_voxels)
        One value per voxel of the mask, in the order of nilearn's maskers.
    mask_img : 3-D image or file
        The voxels are those that are not zero.

    Returns
    -------
    3-D image, or 4-D with one volume per row

    Examples
    --------
    >>> import nibabel
    >>> import numpy as np
    >>> from fewest.neuro import make_map_image
    >>> mask = np.zeros((2, 2, 2), dtype="int8")
    >>> mask[0] = 1
    >>> image = make_map_image([1, 2, 3, 4], nibabel.Nifti1Image(mask, np.eye(4)))
    >>> image.get_fdata()[0].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    require_nilearn()
    mask = load_image(mask_img, "mask_img")
    inside = values_of(mask) != 0
    rows = np.asarray(values)
    if rows.dtype == bool:
        rows = rows.astype(np.int8)
    elif rows.dtype.kind in "iu":
        rows = rows.astype(np.int32)  # 64 bits are no NIfTI type for many programs
    if rows.ndim not in (1, 2) or rows.shape[-1] != inside.sum():
        raise ValueError(
            f"values have the shape {rows.shape}, but the mask has "
            f"{counted(int(inside.sum()), 'voxel')}: give one value per voxel of the mask"
        )
    return make_image(mask, fill_mask(inside, rows))


def make_maps(decoder: Any, selection: Selection, atlas: SpatialImage | None) -> None:
    """Give a decoder its maps of weights, selections, folds and repetitions, and its regions."""
    decoder.coef_img_ = decoder.ranking_img_ = decoder.consistency_img_ = decoder.regions_ = None
    if selection.coef is not None:
        coef = decoder.grid_.spread_weights(selection.coef)
        decoder.coef_img_ = decoder._image(coef[0] if len(coef) == 1 else coef)
    decoder.support_img_ = decoder._map(selection.support.astype(np.int8))
    if decoder.n_subsets != 0:
        found_in = np.zeros(decoder.n_features_, dtype=np.int32)
        subsets = [] if decoder.selector_ is None else decoder.selector_.subsets_
        for repetition, subset in enumerate(subsets, start=1):
            found_in[subset] = repetition
        decoder.ranking_img_ = decoder._map(found_in)
    if decoder.held_out_ is not None:
        counts = decoder.held_out_.selections.sum(axis=0, dtype=np.int32)
        decoder.consistency_img_ = decoder._map(counts)
    if atlas is not None:
        found = decoder.support_img_ if decoder.ranking_img_ is None else decoder.ranking_img_
        decoder.regions_ = region_table(found, atlas, decoder.atlas_labels)
