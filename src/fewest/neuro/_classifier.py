"""What a fitted decoder does with images: mask them as those of `fit`, and classify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import selection_of
from fewest._types import FloatArray
from fewest.neuro._checks import check_length
from fewest.neuro._images import load_images, require_same_grid, set_affine
from fewest.neuro._masking import mask_images, standardize_groups

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

    from fewest.neuro._grid import VoxelGrid


class VoxelClassifier(ClassifierMixin, BaseEstimator):
    """A classifier on the voxels of a mask; its subclass fits mask, grid and machine."""

    standardize: str | None
    masker_: Any
    mask_img_: SpatialImage
    grid_: VoxelGrid
    estimator_: Any
    _volumes: Any = None  # what `fit` made of the images, their labels and groups

    def predict(self, imgs: Any, *, groups: ArrayLike | None = None) -> NDArray[Any]:
        """Class of each volume.

        Parameters
        ----------
        imgs : image, file, or list of them
            Volumes on the grid of those of `fit`.
        groups : array of shape (n_volumes,), optional
            Matters for ``standardize="groups"`` only; None takes all volumes for one group.

        Returns
        -------
        array of shape (n_volumes,)
        """
        X = self._new_matrix(imgs, groups)
        return self.estimator_.predict(X)

    def decision_function(self, imgs: Any, *, groups: ArrayLike | None = None) -> FloatArray:
        """Signed value of w . x + b; positive values speak for the (second) class.

        Parameters
        ----------
        imgs, groups
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes,), or (n_volumes, n_classes) for more than two classes
        """
        X = self._new_matrix(imgs, groups)
        return self.estimator_.decision_function(X)

    def score(self, imgs: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> float:
        """Share of the volumes that are classified correctly.

        Parameters
        ----------
        imgs, groups
            As in `predict`.
        y : array of shape (n_volumes,)
            Their conditions.

        Returns
        -------
        float
        """
        return float(np.mean(self.predict(imgs, groups=groups) == np.asarray(y)))

    def transform(self, imgs: Any, *, groups: ArrayLike | None = None) -> NDArray[Any]:
        """Values of the selected voxels (of the downsampled volumes, where that was asked for).

        Parameters
        ----------
        imgs, groups
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes, n_selected)
        """
        X = self._new_matrix(imgs, groups)
        return X[:, selection_of(self.estimator_).support]

    def __getstate__(self) -> dict[str, Any]:
        """What files and other processes get: all but the volumes, which may be large."""
        return {name: value for name, value in super().__getstate__().items() if name != "_volumes"}

    def _matrix(self, images: SpatialImage, groups: NDArray[Any] | None) -> NDArray[Any]:
        values = mask_images(self.masker_, images)
        if self.standardize == "groups":
            values = standardize_groups(values, groups)
        return self.grid_.reduce(values)

    def _new_matrix(self, imgs: Any, groups: ArrayLike | None) -> NDArray[Any]:
        check_is_fitted(self)
        images = load_images(imgs)
        require_same_grid(images, self.mask_img_, "these images", "those of fit")
        names = None if groups is None else check_length("groups", groups, images.shape[3])
        return self._matrix(set_affine(images, self.mask_img_.affine), names)
