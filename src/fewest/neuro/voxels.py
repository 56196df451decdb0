"""The fewest voxels that tell conditions apart, from brain images to maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, column_or_1d

from fewest._estimators.abilities import selection_of
from fewest._estimators.splits import fit_with_groups
from fewest._estimators.validation import check_choice, check_count, check_positive
from fewest.machines.sfm import SupportFeatureMachine
from fewest.neuro._checks import (
    checked_images,
    checked_labels,
    checked_volume_groups,
    fitted_masker,
    masked_values,
    on_grid_of_fit,
    standardized_within,
)
from fewest.neuro._cross_validation import pooled_error, run_folds, summarized
from fewest.neuro._grid import VoxelGrid
from fewest.neuro._nilearn import require_nilearn
from fewest.neuro.regions import checked_atlas, region_table
from fewest.repetition.selector import RepetitiveSelector

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

    from fewest.report import Report


class FewestVoxels(ClassifierMixin, BaseEstimator):
    r"""Classifier on the fewest voxels of brain images, with maps of what it uses.

    The images are masked (and smoothed, standardised, downsampled if asked for), a machine is
    trained on all of them, and again without the test volumes in every fold of a cross-validation.
    (A mask that is computed comes from all volumes, without a look at their labels.) Setting the
    voxels found aside and training again gives the order in which voxels are found (the rSFM of the
    paper).

    Parameters
    ----------
    estimator : selecting classifier, default=None
        Any of this package with `coef_`; None stands for ``SupportFeatureMachine()``.
    mask : image, file or NiftiMasker, default=None
        The voxels that count. None computes a mask from the images as nilearn does, and leaves out
        voxels that are the same in all volumes.
    smoothing_fwhm : float, default=None
        Width of the Gaussian that smoothes each volume, in millimetres.
    standardize : {None, "groups"}, default=None
        "groups" gives every voxel mean zero and variance one within each group (run or
        participant), without a look at the labels. The estimators of this package scale voxels by
        their deviation in the training volumes in any case.
    downsample : int, default=0
        How often the Gaussian pyramid halves the resolution, within the mask.
    cv : int, splitter, iterable or None, default=None
        Folds. None leaves one group out at a time, or makes 5 stratified folds if there are no
        groups; a number asks for that many stratified folds (of whole groups); 0 for none.
    n_repetitions : int or None, default=10
        How often to set aside and train again; None goes on until the classes cannot be told apart
        any more, 0 leaves it out.
    informative : bool or dict, default=False
        Also estimate the share of voxels that carry information (two classes only; may take long).
        A dict holds parameters of :func:`fewest.informative.informative_features`.
    atlas : image or file, default=None
        Labelled regions: `regions_` then counts the voxels found in each.
    atlas_labels : dict or sequence of str, default=None
        Names of the regions, see :func:`fewest.neuro.region_table`.
    n_jobs : int, default=None
        Folds computed at the same time, in joblib's sense.
    random_state : int, RandomState or None, default=None
        Decides the folds where they are drawn, and the permutations of `informative`.
    verbose : int, default=0
        Above zero, shows progress bars, if tqdm is installed.

    Attributes
    ----------
    coef_img_ : image
        Weights of the voxels, for volumes as `masker_` returns them; 4-D with a volume a class (in
        the order of `classes_`) for more than two classes. Downsampled voxels have their weight
        spread over the voxels they are made of, so that decisions are the same.
    support_img_ : image of 0 and 1
        The selected voxels; of downsampled ones all that are nearest to them.
    ranking_img_ : image of int, or None
        Repetition in which a voxel was found, from 1; 0 for never. None without repetitions.
    consistency_img_ : image of int, or None
        In how many folds a voxel was selected. None without folds.
    estimator_ : classifier
        Trained on all volumes, a feature a voxel (of the downsampled mask).
    selector_ : RepetitiveSelector or None
        The repetitions.
    masker_, mask_img_ : NiftiMasker, image
        The mask.
    mean_img_ : image
        Mean of the volumes, which figures are drawn on.
    error_, error_sd_ : float or None
        Balanced error of all test volumes of the folds together, and the standard deviation of
        the folds' balanced errors.
    cv_results_ : dict of arrays, or None
        A value a fold: "fold", "left_out" (groups), "n_train", "n_test", "error", "balanced_error",
        "n_features".
    informative_ : InformativeFeatures or None
        The estimate, if asked for.
    regions_ : RegionTable or None
        Where in the atlas the voxels of `ranking_img_` are (of `support_img_` without repetitions).
    classes_ : array of shape (n_classes,)
        The class labels.
    n_elements_ : int
        Number of voxels in the mask.
    n_features_ : int
        Number of voxels that the estimator sees; fewer if downsampled.

    References
    ----------
    S. Klement, S. Anders, T. Martinetz: The Support Feature Machine: classification with the least
    number of features and application to neuroimaging data. Neural Computation 25 (2013), sec. 4.

    Examples
    --------
    >>> import nibabel
    >>> import numpy as np
    >>> from fewest.datasets import make_brain
    >>> from fewest.neuro import FewestVoxels
    >>> brain = make_brain(6, 4, n_voxels=300, strength=2.0, random_state=0)
    >>> volumes = np.zeros((*brain.mask.shape, len(brain.y)))
    >>> volumes[brain.mask] = brain.X.T
    >>> images = nibabel.Nifti1Image(volumes, np.diag([3.0, 3.0, 3.0, 1.0]))
    >>> mask = nibabel.Nifti1Image(brain.mask.astype("int8"), images.affine)
    >>> decoder = FewestVoxels(mask=mask, standardize="groups")
    >>> decoder = decoder.fit(images, brain.y, groups=brain.groups)
    >>> int(decoder.support_img_.get_fdata().sum()), len(decoder.cv_results_["error"])
    (2, 6)
    >>> print(f"{decoder.error_:.2f}")
    0.08
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        mask: Any = None,
        smoothing_fwhm: float | None = None,
        standardize: str | None = None,
        downsample: int = 0,
        cv: Any = None,
        n_repetitions: int | None = 10,
        informative: bool | dict[str, Any] = False,
        atlas: Any = None,
        atlas_labels: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.mask = mask
        self.smoothing_fwhm = smoothing_fwhm
        self.standardize = standardize
        self.downsample = downsample
        self.cv = cv
        self.n_repetitions = n_repetitions
        self.informative = informative
        self.atlas = atlas
        self.atlas_labels = atlas_labels
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, imgs: Any, y: ArrayLike, groups: ArrayLike | None = None) -> FewestVoxels:
        """Select voxels, estimate the error, and make the maps.

        Parameters
        ----------
        imgs : image, file, or list of them
            3-D volumes, or a 4-D series, all on one grid.
        y : array of shape (n_volumes,)
            The condition of every volume.
        groups : array of shape (n_volumes,), optional
            The participant or run of every volume: what folds leave out as a whole.

        Returns
        -------
        self
            The fitted decoder.
        """
        require_nilearn()
        from nilearn.image import mean_img

        self._check_parameters()
        images = checked_images(imgs)
        n_volumes = images.shape[3]
        y = checked_labels(y, n_volumes)
        groups = checked_volume_groups(groups, n_volumes)
        if self.standardize == "groups" and groups is None:
            raise ValueError(
                "standardize='groups' needs groups: name the run or participant of every volume"
            )
        if self.informative is not False and len(np.unique(y)) > 2:
            raise ValueError(
                f"informative needs two classes; y has {len(np.unique(y))}. Leave it out, or "
                "compare two of them"
            )
        atlas = None if self.atlas is None else checked_atlas(self.atlas)
        self.masker_ = fitted_masker(self.mask, self.smoothing_fwhm, images)
        self.mask_img_ = self.masker_.mask_img_
        self.mean_img_ = mean_img(images, copy_header=True)
        inside = np.asanyarray(self.mask_img_.dataobj).astype(bool)
        self.n_elements_ = int(inside.sum())
        self.grid_ = VoxelGrid(inside, self.downsample)
        self.n_features_ = self.grid_.n_features
        X = self._matrix(images, groups)
        self.classes_ = np.unique(y)
        self.estimator_ = fit_with_groups(self._new_estimator(), X, y, groups)
        if not hasattr(self.estimator_, "coef_"):
            raise TypeError(
                f"{type(self.estimator).__name__} has no coef_: use a linear classifier that "
                "selects features, such as SupportFeatureMachine"
            )
        self._validate(X, y, groups)
        self._repeat(X, y, groups)
        self._estimate_informative(X, y, groups)
        self._make_maps(atlas)
        return self

    def predict(self, imgs: Any, groups: ArrayLike | None = None) -> NDArray[Any]:
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
        return self.estimator_.predict(self._new_matrix(imgs, groups))

    def decision_function(self, imgs: Any, groups: ArrayLike | None = None) -> NDArray[np.float64]:
        """Signed value of w . x + b; positive values speak for the (second) class.

        Parameters
        ----------
        imgs, groups
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes,), or (n_volumes, n_classes) for more than two classes
        """
        return self.estimator_.decision_function(self._new_matrix(imgs, groups))

    def score(self, imgs: Any, y: ArrayLike, groups: ArrayLike | None = None) -> float:
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
        return float(np.mean(self.predict(imgs, groups) == np.asarray(y)))

    def transform(self, imgs: Any, groups: ArrayLike | None = None) -> NDArray[np.floating]:
        """Values of the selected voxels (of the downsampled volumes, where that was asked for).

        Parameters
        ----------
        imgs, groups
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes, n_selected)
        """
        matrix = self._new_matrix(imgs, groups)
        return matrix[:, selection_of(self.estimator_).support]

    def generate_report(
        self, imgs: Any, y: ArrayLike, groups: ArrayLike | None = None, **settings: Any
    ) -> Report:
        """One page of the fit, with its maps, tests against chance and alternatives.

        It shows itself in a notebook; `save` writes it, `open` shows it in a browser.

        Parameters
        ----------
        imgs, y, groups
            The volumes of `fit`.
        **settings
            As for :func:`fewest.report.make_report`.

        Returns
        -------
        Report
        """
        from fewest.neuro.page import voxel_report

        return voxel_report(self, self._new_matrix(imgs, groups), y, groups, **settings)

    def _check_parameters(self) -> None:
        check_choice("standardize", self.standardize, (None, "groups"))
        if self.smoothing_fwhm is not None:
            check_positive("smoothing_fwhm", self.smoothing_fwhm)
        if not _is_zero(self.downsample):
            check_count("downsample", self.downsample)
        if self.n_repetitions is not None and not _is_zero(self.n_repetitions):
            check_count("n_repetitions", self.n_repetitions)
        if not isinstance(self.informative, (bool, dict)):
            raise ValueError(
                "informative must be True, False, or a dict with parameters of "
                f"informative_features; got {self.informative!r}"
            )

    def _new_estimator(self) -> Any:
        return SupportFeatureMachine() if self.estimator is None else clone(self.estimator)

    def _matrix(self, images: SpatialImage, groups: NDArray[Any] | None) -> NDArray[np.floating]:
        values = masked_values(self.masker_, images)
        if self.standardize == "groups":
            values = standardized_within(values, groups)
        return self.grid_.reduced(values)

    def _new_matrix(self, imgs: Any, groups: ArrayLike | None) -> NDArray[np.floating]:
        check_is_fitted(self)
        images = checked_images(imgs)
        images = on_grid_of_fit(images, self.mask_img_)
        if groups is not None:
            groups = column_or_1d(groups)
            if len(groups) != images.shape[3]:
                checked_volume_groups(groups, images.shape[3])
        return self._matrix(images, groups)

    def _validate(self, X: NDArray[Any], y: NDArray[Any], groups: NDArray[Any] | None) -> None:
        self.cv_results_ = self.error_ = self.error_sd_ = self._fold_counts = None
        if _is_zero(self.cv):
            return
        results = run_folds(
            self._new_estimator(),
            X,
            y,
            groups,
            cv=self.cv,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            show_progress=self.verbose > 0,
        )
        self.cv_results_ = summarized(results, y, groups)
        self.error_ = pooled_error(results, y)
        errors = self.cv_results_["balanced_error"]
        self.error_sd_ = float(np.std(errors, ddof=1)) if len(errors) > 1 else 0.0
        self._fold_counts = np.sum([fold.support for fold in results], axis=0, dtype=np.int32)

    def _repeat(self, X: NDArray[Any], y: NDArray[Any], groups: NDArray[Any] | None) -> None:
        self.selector_ = self._found_in = None
        if _is_zero(self.n_repetitions):
            return
        self._found_in = np.zeros(self.n_features_, dtype=np.int32)
        if not selection_of(self.estimator_).support.any():  # the estimator has warned already
            return
        self.selector_ = RepetitiveSelector(
            self._new_estimator(), n_subsets=self.n_repetitions, verbose=self.verbose
        )
        try:
            self.selector_.fit(X, y, groups)
        except AttributeError as error:
            raise TypeError(
                f"{type(self.estimator).__name__} cannot be trained repetitively. Use "
                "n_repetitions=0, or an estimator such as SupportFeatureMachine or Liknon"
            ) from error
        _stop_if(self.selector_.stop_reason_ == "interrupted")
        for repetition, subset in enumerate(self.selector_.subsets_, start=1):
            self._found_in[subset] = repetition

    def _estimate_informative(
        self, X: NDArray[Any], y: NDArray[Any], groups: NDArray[Any] | None
    ) -> None:
        self.informative_ = None
        if self.informative is False:
            return
        from fewest.informative import informative_features

        settings = {
            "groups": groups,
            "cv": None if _is_zero(self.cv) else self.cv,
            "random_state": self.random_state,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }
        if isinstance(self.informative, dict):
            settings |= self.informative
        found = informative_features(settings.pop("estimator", None), X, y, **settings)
        _stop_if(len(found.folds) < found.n_folds_planned)
        self.informative_ = found

    def _make_maps(self, atlas: SpatialImage | None) -> None:
        coef = self.grid_.spread_weights(np.atleast_2d(self.estimator_.coef_))
        self.coef_img_ = self._image(coef[0] if len(coef) == 1 else coef)
        self.support_img_ = self._map(selection_of(self.estimator_).support.astype(np.int8))
        self.ranking_img_ = None if self._found_in is None else self._map(self._found_in)
        self.consistency_img_ = None if self._fold_counts is None else self._map(self._fold_counts)
        self.regions_ = None
        if atlas is not None:
            found = self.support_img_ if self.ranking_img_ is None else self.ranking_img_
            self.regions_ = region_table(found, atlas, self.atlas_labels)

    def _map(self, values: NDArray[Any]) -> SpatialImage:
        return self._image(self.grid_.nearest(values))

    def _image(self, values: NDArray[Any]) -> SpatialImage:
        """A value a voxel of the mask, or several, on the grid of the images."""
        from nilearn.image import new_img_like

        inside = self.grid_.mask
        volume = np.zeros((*inside.shape, *values.shape[:-1]), dtype=values.dtype)
        volume[inside] = values.T
        return new_img_like(self.mask_img_, volume)


def _stop_if(interrupted: bool) -> None:
    """A part that ends early on Ctrl-C must not pass for the whole."""
    if interrupted:
        raise KeyboardInterrupt


def _is_zero(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value == 0
