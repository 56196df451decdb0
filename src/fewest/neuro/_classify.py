"""What a fitted decoder says about volumes: prepared as those of the fit, then classified."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import Abilities, Declaring, Selection, selection_of
from fewest._estimators.probabilities import share_scores
from fewest._types import FloatArray
from fewest.neuro._checks import check_length
from fewest.neuro._confounds import read_confounds
from fewest.neuro._grid import VoxelGrid, fill_mask
from fewest.neuro._images import find_t_r, load_images, make_image, match_grid
from fewest.neuro._masking import mask_images, standardize_groups

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

_SAME_TIME = 0.01  # of t_r: headers round it


def _has_probabilities(decoder: VolumeClassifierBase) -> bool:
    """Whether folds, or the estimator itself, know what decisions are worth."""
    fitted = vars(decoder).get("estimator_")
    return fitted is not None and (
        decoder.temperature_ is not None or hasattr(fitted, "predict_proba")
    )


class VolumeClassifierBase(Declaring, ClassifierMixin, BaseEstimator):
    """Classifies volumes by a machine on the voxels of a mask.

    A fit leaves behind `masker_`, `mask_img_`, `grid_`, `estimator_`, `temperature_` and
    `confounded_`.
    """

    standardize: Any
    masker_: Any
    mask_img_: Any
    grid_: VoxelGrid
    estimator_: Any
    temperature_: float | None
    confounded_: bool

    def _abilities(self) -> Abilities:
        return Abilities("the fewest voxels", splits_samples=True, reads_images=True)

    def _selection(self) -> Selection:
        check_is_fitted(self)
        return selection_of(self.estimator_)

    def predict(
        self, imgs: Any, *, groups: ArrayLike | None = None, confounds: Any = None
    ) -> NDArray[Any]:
        """Class of each volume.

        Parameters
        ----------
        imgs : image, file, or list of them
            Volumes on the grid of those of `fit`.
        groups : array of shape (n_volumes,), optional
            The run of every volume. Matters where volumes are prepared run by run (`standardize`,
            `detrend`, `high_pass`, `low_pass`, `confounds`); None stands for a single run.
        confounds : table, file, or list of them, optional
            As in `fit`.

        Returns
        -------
        array of shape (n_volumes,)
        """
        return self.estimator_.predict(self._new_matrix(imgs, groups, confounds))

    def decision_function(
        self, imgs: Any, *, groups: ArrayLike | None = None, confounds: Any = None
    ) -> FloatArray:
        """Signed value of w . x + b; positive values speak for the (second) class.

        Parameters
        ----------
        imgs, groups, confounds
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes,), or (n_volumes, n_classes) for more than two classes
        """
        return self.estimator_.decision_function(self._new_matrix(imgs, groups, confounds))

    @available_if(_has_probabilities)
    def predict_proba(
        self, imgs: Any, *, groups: ArrayLike | None = None, confounds: Any = None
    ) -> FloatArray:
        """Probability of every class: its share of the exponential decisions.

        These are divided by the temperature that suits the test volumes of the folds, whose voxels
        were selected without them. Without folds the probabilities are those of the estimator.

        Parameters
        ----------
        imgs, groups, confounds
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes, n_classes)
        """
        return self._find_shares(self._new_matrix(imgs, groups, confounds))

    def score(
        self, imgs: Any, y: ArrayLike, *, groups: ArrayLike | None = None, confounds: Any = None
    ) -> float:
        """Share of the volumes that are classified correctly.

        Parameters
        ----------
        imgs, groups, confounds
            As in `predict`.
        y : array of shape (n_volumes,)
            Their conditions.

        Returns
        -------
        float
        """
        predicted = self.predict(imgs, groups=groups, confounds=confounds)
        return float(np.mean(predicted == np.asarray(y)))

    def transform(
        self, imgs: Any, *, groups: ArrayLike | None = None, confounds: Any = None
    ) -> NDArray[Any]:
        """Values of the selected voxels (of the downsampled volumes, where that was asked for).

        Parameters
        ----------
        imgs, groups, confounds
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes, n_selected)
        """
        X = self._new_matrix(imgs, groups, confounds)
        return X[:, selection_of(self.estimator_).support]

    def _find_shares(self, X: NDArray[Any]) -> FloatArray:
        if self.temperature_ is None:
            return np.asarray(self.estimator_.predict_proba(X))
        return share_scores(self.estimator_.decision_function(X), self.temperature_)

    def _matrix(
        self,
        images: SpatialImage,
        groups: NDArray[Any] | None,
        confounds: FloatArray | None = None,
        used: NDArray[np.bool_] | None = None,
    ) -> NDArray[Any]:
        """One row per volume that is used; the others only take part in filters and means."""
        values = mask_images(self.masker_, images, groups, confounds)
        if used is not None:
            values, groups = values[used], None if groups is None else groups[used]
        if self.standardize == "groups":
            values = standardize_groups(values, groups)
        return self.grid_.reduce(values)

    def _new_matrix(
        self, imgs: Any, groups: ArrayLike | None, confounds: Any = None
    ) -> NDArray[Any]:
        check_is_fitted(self)
        images = match_grid(load_images(imgs), self.mask_img_, "these images", "those of fit")
        self._check_time(imgs)
        n_volumes = images.shape[3]
        names = None if groups is None else check_length("groups", groups, n_volumes)
        table = read_confounds(confounds, n_volumes)
        if (table is None) == self.confounded_:
            told = "with" if self.confounded_ else "without"
            warnings.warn(
                f"the decoder was fitted {told} confounds taken out of its volumes, and these come "
                "otherwise: predictions may be worse than its error",
                UserWarning,
                stacklevel=3,
            )
        return self._matrix(images, names, table)

    def _check_time(self, imgs: Any) -> None:
        """A filter means something else where volumes follow each other faster or slower."""
        wanted, found = self.masker_.t_r, find_t_r(imgs)
        if self.masker_.high_pass is None and self.masker_.low_pass is None:
            return
        if found is not None and abs(found - wanted) > _SAME_TIME * wanted:
            raise ValueError(
                f"these images have {found:g} s from one volume to the next (their header), those "
                f"of fit {wanted:g} s: the same filter would do something else to them"
            )

    def _map(self, values: NDArray[Any]) -> SpatialImage:
        return self._image(self.grid_.copy_nearest(values))

    def _image(self, values: NDArray[Any]) -> SpatialImage:
        """One value per voxel of the mask, or several, on the grid of the images."""
        return make_image(self.mask_img_, fill_mask(self.grid_.mask, values))
