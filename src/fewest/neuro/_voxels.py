"""The fewest voxels that tell conditions apart, from brain images to maps."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import selection_of
from fewest._estimators.splits import fit_with_groups
from fewest._estimators.validation import check_choice, check_count, check_positive
from fewest.machines.sfm import SupportFeatureMachine
from fewest.neuro._checks import NO_GROUPS, check_machine
from fewest.neuro._classify import VolumeClassifierBase
from fewest.neuro._grid import VoxelGrid
from fewest.neuro._images import find_t_r, require_nilearn, values_of
from fewest.neuro._labelled import Labelled, Volumes
from fewest.neuro._maps import make_maps
from fewest.neuro._masking import HANDED_ON, STANDARDS, STRATEGIES, fit_masker, works_in_time
from fewest.neuro._regions import load_atlas
from fewest.neuro._steps import estimate_informative, judge, repeat
from fewest.neuro._tables import name_voxels

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

    from fewest.report import Report

_FOLDS = 5  # without groups


class FewestVoxels(VolumeClassifierBase):
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
        voxels that are the same in all volumes. A NiftiMasker keeps its own settings where those
        below have their defaults.
    mask_strategy : str, default="background"
        How nilearn computes it: "background", "epi", "whole-brain-template", "gm-template" or
        "wm-template".
    smoothing_fwhm : float, default=None
        Width of the Gaussian that smoothes each volume, in millimetres.
    standardize : {None, "zscore_sample", "psc", "groups"} or bool, default=None
        What nilearn's masker does to every voxel within each group (run or participant): mean zero
        and variance one ("zscore_sample" or True), or percent of its mean ("psc"), over all volumes
        of the group. "groups" is "zscore_sample" over the volumes that have a label. The labels
        themselves play no part. The estimators of this package scale voxels by their deviation in
        the training volumes in any case.
    detrend : bool, default=False
        Take linear trends out of every group.
    low_pass, high_pass : float, default=None
        Limits of nilearn's filter in time, in Hz, within every group.
    t_r : float, default=None
        Seconds from one volume to the next, for the filter. None reads it from the header.
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
    confounded_ : bool
        Whether confounds were taken out of the volumes.
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

    _volumes: Any = None  # what `fit` made of the images, their labels, groups and blocks

    def __init__(
        self,
        estimator: Any = None,
        *,
        mask: Any = None,
        mask_strategy: str = "background",
        smoothing_fwhm: float | None = None,
        standardize: str | bool | None = None,
        detrend: bool = False,
        low_pass: float | None = None,
        high_pass: float | None = None,
        t_r: float | None = None,
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
        self.mask_strategy = mask_strategy
        self.smoothing_fwhm = smoothing_fwhm
        self.standardize = standardize
        self.detrend = detrend
        self.low_pass = low_pass
        self.high_pass = high_pass
        self.t_r = t_r
        self.downsample = downsample
        self.cv = cv
        self.n_subsets = n_subsets
        self.informative = informative
        self.atlas = atlas
        self.atlas_labels = atlas_labels
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        imgs: Any,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        confounds: Any = None,
        blocks: ArrayLike | str | None = None,
    ) -> FewestVoxels:
        """Select voxels, estimate the error, and make the maps.

        Parameters
        ----------
        imgs : image, file, or list of them
            3-D volumes, or a 4-D series, all on one grid.
        y : array of shape (n_volumes,)
            The condition of every volume; None (or NaN) for volumes between conditions. These take
            part in trends, filters and means over time, and are left out then.
        groups : array of shape (n_volumes,), optional
            The participant or run of every volume: what folds leave out as a whole, and what is
            prepared by itself. Without groups, a warning says what that does to the error.
        confounds : table of shape (n_volumes, n_confounds), file, or list of them, optional
            What nilearn takes out of every voxel, motion for instance; a list has one table per
            run. Files are separated by tabs, or by commas if they end in .csv.
        blocks : array of shape (n_volumes,) or "consecutive", optional
            Volumes of one condition that follow each other: permutations of the report give all
            volumes of a block the same label. "consecutive" finds them. None moves the labels of
            single volumes, which suits maps that are independent of each other.

        Returns
        -------
        self
            The fitted decoder.
        """
        require_nilearn()
        from nilearn.image import mean_img

        self._check_parameters()
        estimator = check_machine(self.estimator, SupportFeatureMachine())
        given = Labelled.read(imgs, y, groups, confounds, blocks)
        self._check_needs(given)
        if given.confounds is None and not works_in_time(self.get_params(False), self.mask):
            given = given.without_unused()
        atlas = None if self.atlas is None else load_atlas(self.atlas)
        self.masker_ = fit_masker(self.mask, self._masker_settings(imgs), given.images)
        self.mask_img_ = self.masker_.mask_img_
        self.confounded_ = given.confounds is not None
        self.mean_img_ = mean_img(given.images, copy_header=True)
        self.grid_ = VoxelGrid(values_of(self.mask_img_).astype(bool), self.downsample)
        self.n_elements_ = int(self.grid_.mask.sum())
        X = self._matrix(given.images, given.groups, given.confounds, given.used)
        self._volumes = given.as_volumes(X)
        _, labels, names, _ = self._volumes
        self.n_features_ = X.shape[1]
        self.classes_ = np.unique(labels)
        self.estimator_ = fit_with_groups(clone(estimator), X, labels, names)
        selection = selection_of(self.estimator_)
        settings = {name: getattr(self, name) for name in ("random_state", "n_jobs", "verbose")}
        judge(self, estimator, settings)
        repeat(self, estimator, selection)
        estimate_informative(self, settings)
        make_maps(self, selection, atlas)
        return self

    def generate_report(
        self,
        imgs: Any = None,
        y: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        confounds: Any = None,
        **settings: Any,
    ) -> Report:
        """One page of the fit, with its maps, tests against chance and alternatives.

        It shows itself in a notebook; `save` writes it, `open` shows it in a browser.

        Parameters
        ----------
        imgs, y, groups, confounds : optional
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
            X = self._new_matrix(imgs, groups, confounds)
            runs = None if groups is None else np.asarray(groups)
            volumes, held_out = Volumes(X, np.asarray(y), runs, None), None
        elif volumes is None:
            raise ValueError("a decoder from a file has no volumes: give imgs, y and groups")
        X, labels, names, blocks = volumes
        usual = {
            "also": [one for one in (self.selector_, self.informative_) if one is not None],
            "groups": names,
            "blocks": blocks,
            "kind": "volumes",
            "feature_names": name_voxels(self),
            "title": "The fewest voxels that tell conditions apart",
            "cv": self._folds(names),
            "held_out": None if "cv" in settings else held_out,
        }
        if names is None:
            usual["notes"] = [f"{NO_GROUPS}."]
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

    def __getstate__(self) -> dict[str, Any]:
        """What files and other processes get: all but the volumes, which may be large."""
        return {name: value for name, value in super().__getstate__().items() if name != "_volumes"}

    def _check_parameters(self) -> None:
        check_choice("mask_strategy", self.mask_strategy, STRATEGIES)
        check_choice("standardize", self.standardize, STANDARDS)
        for name in ("low_pass", "high_pass", "t_r"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name))
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

    def _check_needs(self, given: Labelled) -> None:
        n_classes = len(np.unique(given.labels[given.used].astype(str)))
        if given.groups is None and self.standardize == "groups":
            raise ValueError(
                "standardize='groups' needs groups: name the run or participant of every volume"
            )
        if self.informative is not False and n_classes > 2:
            raise ValueError(
                f"informative needs two classes; y has {n_classes}. Leave it out, or compare two "
                "of them"
            )
        if given.groups is None and (self.cv is None or (isinstance(self.cv, int) and self.cv)):
            warnings.warn(NO_GROUPS, UserWarning, stacklevel=3)

    def _masker_settings(self, imgs: Any) -> dict[str, Any]:
        """What nilearn's masker is told, with the time of a volume where a filter needs it."""
        settings = {name: getattr(self, name) for name in HANDED_ON}
        if self.t_r is None and (self.low_pass is not None or self.high_pass is not None):
            settings["t_r"] = find_t_r(imgs)
            if settings["t_r"] is None:
                raise ValueError(
                    "high_pass and low_pass need t_r, the seconds from one volume to the next, "
                    "which the header of the images does not say. Give t_r"
                )
        return settings

    def _folds(self, groups: ArrayLike | None) -> Any:
        """What to cross-validate by, also where no folds were asked for."""
        return self.cv or (_FOLDS if groups is None else LeaveOneGroupOut())
