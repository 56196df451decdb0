"""The fewest voxels that tell conditions apart, from brain images to maps."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import Selection, selection_of
from fewest._estimators.held_out import run_held_out
from fewest._estimators.probabilities import fit_temperature, pair_scores, share_scores
from fewest._estimators.splits import check_groups, fit_with_groups
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_positive,
    encode_classes,
)
from fewest._types import FloatArray
from fewest.machines.sfm import SupportFeatureMachine
from fewest.neuro._checks import check_length, check_machine
from fewest.neuro._grid import VoxelGrid, fill_mask
from fewest.neuro._images import (
    load_images,
    make_image,
    match_grid,
    require_nilearn,
    values_of,
)
from fewest.neuro._masking import fit_masker, mask_images, standardize_groups
from fewest.neuro._regions import load_atlas, region_table
from fewest.neuro._tables import name_voxels, tabulate_folds
from fewest.repetition.selector import RepetitiveSelector

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

    from fewest.report import Report

_FOLDS = 5  # without groups


def _has_probabilities(decoder: FewestVoxels) -> bool:
    """Whether folds, or the estimator itself, know what decisions are worth."""
    fitted = vars(decoder).get("estimator_")
    return fitted is not None and (
        decoder.temperature_ is not None or hasattr(fitted, "predict_proba")
    )


class FewestVoxels(ClassifierMixin, BaseEstimator):
    r"""Classifier on the fewest voxels of brain images, with maps of what it uses.

    The images are masked (and smoothed, standardised, downsampled if asked for), a machine is
    trained on all of them, and again without the test volumes in every fold of a cross-validation.
    (A mask that is computed comes from all volumes, without a look at their labels.) Setting the
    voxels found aside and training again gives the order in which voxels are found (the rSFM of the
    2013 paper).

    Parameters
    ----------
    estimator : selecting classifier, default=None
        None stands for ``SupportFeatureMachine()``.
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
    n_subsets : int or None, default=10
        Most disjoint subsets of voxels to find, each without those found before; None goes on until
        the classes cannot be told apart any more, 0 leaves it out.
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
        1 shows progress bars, if tqdm is installed.

    Attributes
    ----------
    coef_img_ : image, or None
        Weights of the voxels, for volumes as `masker_` returns them; 4-D with one volume per class
        (in the order of `classes_`) for more than two classes. Downsampled voxels have their weight
        spread over the voxels they are made of, which keeps the decisions the same. None for a
        machine that is not linear.
    support_img_ : image of 0 and 1
        The selected voxels; of downsampled ones all that are nearest to them.
    ranking_img_ : image of int, or None
        Repetition in which a voxel was found, from 1; 0 for never. None for ``n_subsets=0``.
    consistency_img_ : image of int, or None
        In how many folds a voxel was selected. None without folds.
    estimator_ : classifier
        Trained on all volumes, one feature per voxel (of the downsampled mask).
    selector_ : RepetitiveSelector or None
        The repetitions.
    masker_, mask_img_ : NiftiMasker, image
        The mask.
    mean_img_ : image
        Mean of the volumes, which figures are drawn on.
    held_out_ : HeldOut or None
        All folds: what was predicted for the test volumes, and what was selected without them.
    error_, error_sd_ : float or None
        Balanced error of all test volumes of the folds together, and the standard deviation of
        the folds' balanced errors.
    cv_results_ : dict of arrays, or None
        One value per fold: "fold", "left_out" (groups), "n_train", "n_test", "error",
        "balanced_error", "n_features".
    temperature_ : float or None
        What decisions are divided by in `predict_proba`; None without folds.
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
    (1, 6)
    >>> print(f"{decoder.error_:.2f}")
    0.06
    """

    _volumes: Any = None  # what `fit` made of the images, their labels and groups

    def __init__(
        self,
        estimator: Any = None,
        *,
        mask: Any = None,
        smoothing_fwhm: float | None = None,
        standardize: str | None = None,
        downsample: int = 0,
        cv: Any = None,
        n_subsets: int | None = 10,
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
        self.n_subsets = n_subsets
        self.informative = informative
        self.atlas = atlas
        self.atlas_labels = atlas_labels
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, imgs: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> FewestVoxels:
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
        estimator = check_machine(self.estimator, SupportFeatureMachine())
        images = load_images(imgs)
        labels, names = self._check_labels(y, groups, images.shape[3])
        atlas = None if self.atlas is None else load_atlas(self.atlas)
        self.masker_ = fit_masker(self.mask, self.smoothing_fwhm, images)
        self.mask_img_ = self.masker_.mask_img_
        self.mean_img_ = mean_img(images, copy_header=True)
        self.grid_ = VoxelGrid(values_of(self.mask_img_).astype(bool), self.downsample)
        self.n_elements_ = int(self.grid_.mask.sum())
        X = self._matrix(images, names)
        self._volumes = X, labels, names
        self.n_features_ = X.shape[1]
        self.classes_ = np.unique(labels)
        self.estimator_ = fit_with_groups(clone(estimator), X, labels, names)
        selection = selection_of(self.estimator_)
        settings = {name: getattr(self, name) for name in ("random_state", "n_jobs", "verbose")}
        self._validate(estimator, settings)
        self._repeat(estimator, selection)
        self._estimate_informative(settings)
        self._make_maps(selection, atlas)
        return self

    def generate_report(
        self,
        imgs: Any = None,
        y: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        **settings: Any,
    ) -> Report:
        """One page of the fit, with its maps, tests against chance and alternatives.

        It shows itself in a notebook; `save` writes it, `open` shows it in a browser.

        Parameters
        ----------
        imgs, y, groups : optional
            Other volumes than those of `fit`; they get folds of their own. A decoder that was
            pickled has left its volumes behind, and needs them here.
        **settings
            As for :func:`fewest.report.make_report`.

        Returns
        -------
        Report
        """
        check_is_fitted(self)
        from fewest.neuro._figures import list_figures
        from fewest.report import make_report

        volumes, held_out = self._volumes, self.held_out_
        if imgs is not None:
            volumes, held_out = (self._new_matrix(imgs, groups), y, groups), None
        elif volumes is None:
            raise ValueError("a decoder from a file has no volumes: give imgs, y and groups")
        X, labels, names = volumes
        usual = {
            "also": [one for one in (self.selector_, self.informative_) if one is not None],
            "groups": names,
            "feature_names": name_voxels(self),
            "title": "The fewest voxels that tell conditions apart",
            "cv": self._folds(names),
            "held_out": None if "cv" in settings else held_out,
        }
        if "figures" not in settings:
            usual["figures"] = list_figures(self)
        return make_report(self.estimator_, X, labels, **{**usual, **settings})

    def find_consensus(self, share: float = 0.025, *, min_folds: int | float = 0.5) -> SpatialImage:
        """Map of the voxels that are among the first ones found in at least half of the folds.

        Needs a decoder that was fitted with ``informative=True`` (or a dict; ``{"probe": None}``
        is enough and faster).

        Parameters
        ----------
        share, min_folds
            As for :func:`fewest.neuro.analyses.find_consensus`; the share is one of the voxels
            that the estimator sees.

        Returns
        -------
        image of int
            In how many folds each voxel of the consensus is among the first; 0 elsewhere.
        """
        check_is_fitted(self)
        if self.informative_ is None:
            raise ValueError(
                "a consensus needs the repetitions of every fold: fit the decoder with "
                "informative={'probe': None}"
            )
        from fewest.neuro.analyses import find_consensus

        found = find_consensus(self.informative_, share=share, min_folds=min_folds)
        return self._map(found.map.astype(np.int32))

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
        return self.estimator_.predict(self._new_matrix(imgs, groups))

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
        return self.estimator_.decision_function(self._new_matrix(imgs, groups))

    @available_if(_has_probabilities)
    def predict_proba(self, imgs: Any, *, groups: ArrayLike | None = None) -> FloatArray:
        """Probability of every class: its share of the exponential decisions.

        These are divided by the temperature that suits the test volumes of the folds, whose voxels
        were selected without them. Without folds the probabilities are those of the estimator.

        Parameters
        ----------
        imgs, groups
            As in `predict`.

        Returns
        -------
        array of shape (n_volumes, n_classes)
        """
        X = self._new_matrix(imgs, groups)
        if self.temperature_ is None:
            return np.asarray(self.estimator_.predict_proba(X))
        return share_scores(self.estimator_.decision_function(X), self.temperature_)

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

    def _check_parameters(self) -> None:
        check_choice("standardize", self.standardize, (None, "groups"))
        if self.smoothing_fwhm is not None:
            check_positive("smoothing_fwhm", self.smoothing_fwhm)
        if self.downsample != 0:
            check_count("downsample", self.downsample)
        if self.n_subsets not in (None, 0):
            check_count("n_subsets", self.n_subsets)
        if not isinstance(self.informative, (bool, dict)):
            raise ValueError(
                "informative must be True, False, or a dict with parameters of "
                f"informative_features; got {self.informative!r}"
            )

    def _check_labels(
        self, y: ArrayLike, groups: ArrayLike | None, n_volumes: int
    ) -> tuple[NDArray[Any], NDArray[Any] | None]:
        labels, names = check_length("y", y, n_volumes), None
        n_classes = len(encode_classes("selecting voxels", labels)[0])
        if groups is not None:
            names = check_groups(check_length("groups", groups, n_volumes), n_volumes)
        elif self.standardize == "groups":
            raise ValueError(
                "standardize='groups' needs groups: name the run or participant of every volume"
            )
        if self.informative is not False and n_classes > 2:
            raise ValueError(
                f"informative needs two classes; y has {n_classes}. Leave it out, or compare two "
                "of them"
            )
        return labels, names

    def _folds(self, groups: ArrayLike | None) -> Any:
        """What to cross-validate by, also where no folds were asked for."""
        return self.cv or (_FOLDS if groups is None else LeaveOneGroupOut())

    def _validate(self, estimator: Any, settings: dict[str, Any]) -> None:
        self.held_out_ = self.cv_results_ = self.error_ = self.error_sd_ = None
        self.temperature_ = None
        if self.cv == 0:
            return
        X, y, groups = self._volumes
        self.held_out_ = run_held_out(
            estimator, X, y, cv=self._folds(groups), groups=groups, **settings
        )
        for text in self.held_out_.warnings:
            warnings.warn(f"in a fold: {text}", stacklevel=3)
        if self.held_out_.decisions is not None:
            codes = np.searchsorted(self.classes_, self.held_out_.true)
            self.temperature_ = fit_temperature(pair_scores(self.held_out_.decisions), codes)
        errors = self.held_out_.balanced_errors
        self.cv_results_ = tabulate_folds(self.held_out_, groups)
        self.error_ = self.held_out_.balanced_error
        self.error_sd_ = float(np.std(errors, ddof=1)) if len(errors) > 1 else 0.0

    def _repeat(self, estimator: Any, selection: Selection) -> None:
        self.selector_ = None
        if self.n_subsets == 0 or not selection.n_selected:  # of which the estimator has warned
            return
        X, y, groups = self._volumes
        self.selector_ = RepetitiveSelector(
            estimator, n_subsets=self.n_subsets, verbose=self.verbose
        )
        self.selector_.fit(X, y, groups=groups)
        _stop_if(self.selector_.stop_reason_ == "interrupted")

    def _estimate_informative(self, settings: dict[str, Any]) -> None:
        self.informative_ = None
        if self.informative is False:
            return
        from fewest.informative import informative_features

        X, y, groups = self._volumes
        asked = self.informative if isinstance(self.informative, dict) else {}
        settings = {"estimator": None, "groups": groups, "cv": self.cv or None, **settings, **asked}
        found = informative_features(X=X, y=y, **settings)
        _stop_if(len(found.folds) < found.n_folds_planned)
        self.informative_ = found

    def _make_maps(self, selection: Selection, atlas: SpatialImage | None) -> None:
        self.coef_img_ = self.ranking_img_ = self.consistency_img_ = self.regions_ = None
        if selection.coef is not None:
            coef = self.grid_.spread_weights(selection.coef)
            self.coef_img_ = self._image(coef[0] if len(coef) == 1 else coef)
        self.support_img_ = self._map(selection.support.astype(np.int8))
        if self.n_subsets != 0:
            found_in = np.zeros(self.n_features_, dtype=np.int32)
            subsets = [] if self.selector_ is None else self.selector_.subsets_
            for repetition, subset in enumerate(subsets, start=1):
                found_in[subset] = repetition
            self.ranking_img_ = self._map(found_in)
        if self.held_out_ is not None:
            counts = self.held_out_.selections.sum(axis=0, dtype=np.int32)
            self.consistency_img_ = self._map(counts)
        if atlas is not None:
            found = self.support_img_ if self.ranking_img_ is None else self.ranking_img_
            self.regions_ = region_table(found, atlas, self.atlas_labels)

    def _matrix(self, images: SpatialImage, groups: NDArray[Any] | None) -> NDArray[Any]:
        values = mask_images(self.masker_, images)
        if self.standardize == "groups":
            values = standardize_groups(values, groups)
        return self.grid_.reduce(values)

    def _new_matrix(self, imgs: Any, groups: ArrayLike | None) -> NDArray[Any]:
        check_is_fitted(self)
        images = match_grid(load_images(imgs), self.mask_img_, "these images", "those of fit")
        names = None if groups is None else check_length("groups", groups, images.shape[3])
        return self._matrix(images, names)

    def _map(self, values: NDArray[Any]) -> SpatialImage:
        return self._image(self.grid_.copy_nearest(values))

    def _image(self, values: NDArray[Any]) -> SpatialImage:
        """One value per voxel of the mask, or several, on the grid of the images."""
        return make_image(self.mask_img_, fill_mask(self.grid_.mask, values))


def _stop_if(interrupted: bool) -> None:
    """A part that ends early on Ctrl-C must not pass for the whole."""
    if interrupted:
        raise KeyboardInterrupt
