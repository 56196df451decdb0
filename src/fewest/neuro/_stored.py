"""A fitted decoder as model files hold it: numbers, text and a machine, no image and no masker."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from fewest._estimators.abilities import selection_of
from fewest._estimators.validation import check_choice, check_positive
from fewest.neuro._grid import VoxelGrid
from fewest.neuro._images import is_place, require_nilearn, values_of
from fewest.neuro._maps import make_maps
from fewest.neuro._masking import HANDED_ON, STANDARDS, STRATEGIES
from fewest.neuro._voxels import FewestVoxels

# What nilearn's masker can do besides, and files do not hold.
_MASKER_ONLY = ("runs", "clean_args", "dtype", "high_variance_confounds")
_AS_THEY_ARE = (
    *("classes_", "estimator_", "temperature_", "confounded_"),
    *("error_", "error_sd_", "cv_results_"),
)
_MOST_LEVELS = 20
_WIDEST = 1_000.0  # voxels that smoothing may reach: strange files must not fill the memory


class StoredVoxels(BaseEstimator):
    """What `fewest.save` writes for a `FewestVoxels`, and what `fewest.load` makes one of.

    The mask is an array with its shape and affine; maps are made again. The volumes of the fit, the
    predictions of the folds and the atlas are left out.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        mask_strategy: str = "background",
        smoothing_fwhm: float | None = None,
        standardize: str | bool | None = None,
        detrend: bool = False,
        low_pass: float | None = None,
        high_pass: float | None = None,
        t_r: float | None = None,
        standardize_confounds: bool = True,
        downsample: int = 0,
        cv: int | None = None,
        n_subsets: int | None = 10,
    ) -> None:
        self.estimator = estimator
        self.mask_strategy = mask_strategy
        self.smoothing_fwhm = smoothing_fwhm
        self.standardize = standardize
        self.detrend = detrend
        self.low_pass = low_pass
        self.high_pass = high_pass
        self.t_r = t_r
        self.standardize_confounds = standardize_confounds
        self.downsample = downsample
        self.cv = cv
        self.n_subsets = n_subsets

    @classmethod
    def of(cls, decoder: FewestVoxels) -> StoredVoxels:
        """The stored form; a ValueError if the masker does what cannot be stored."""
        masker = decoder.masker_.get_params(deep=False)
        for name in _MASKER_ONLY:
            if np.size(masker[name]) > 1 or masker[name]:
                raise ValueError(
                    f"its masker has {name}, which cannot be stored. Use one without it"
                )
        kept = {name: masker[name] for name in (*HANDED_ON, "standardize_confounds")}
        if decoder.standardize == "groups":
            kept["standardize"] = "groups"
        stored = cls(
            decoder.estimator,
            **kept,
            downsample=decoder.downsample,
            cv=decoder.cv if isinstance(decoder.cv, int) else None,
            n_subsets=decoder.n_subsets,
        )
        stored.n_features_in_ = int(decoder.n_features_)
        stored.mask_ = decoder.grid_.mask.ravel()
        stored.shape_ = np.array(decoder.grid_.mask.shape)
        stored.affine_ = np.array(decoder.mask_img_.affine, dtype=np.float64)
        for name in _AS_THEY_ARE:
            setattr(stored, name, getattr(decoder, name))
        stored.ranking_ = _restrict(decoder, decoder.ranking_img_)
        stored.consistency_ = _restrict(decoder, decoder.consistency_img_)
        return stored

    def as_decoder(self) -> FewestVoxels:
        """The decoder, which predicts as the one that was stored; a ValueError if it cannot be."""
        require_nilearn()
        from nibabel.nifti1 import Nifti1Image
        from nilearn.maskers import NiftiMasker

        shape = tuple(self.shape_.tolist())
        if math.prod(shape) != len(self.mask_) or min(shape) < 1 or not self.mask_.any():
            raise ValueError("its mask is empty, or does not fit its shape")
        self._check_space()
        inside = self.mask_.reshape(shape)
        mask_img = Nifti1Image(inside.astype(np.int8), self.affine_)
        given = self.get_params(deep=False)
        confounds = given.pop("standardize_confounds")
        decoder = FewestVoxels(mask=mask_img, **given)
        decoder._check_parameters()
        settings = {name: given[name] for name in HANDED_ON}
        if settings["standardize"] == "groups":
            settings["standardize"] = None
        decoder.masker_ = NiftiMasker(
            mask_img, **settings, standardize_confounds=confounds, reports=False
        ).fit()
        decoder.mask_img_ = decoder.masker_.mask_img_
        decoder.mean_img_ = Nifti1Image(inside.astype(np.float32), self.affine_)
        decoder.grid_ = VoxelGrid(inside, self.downsample)
        decoder.n_elements_ = int(inside.sum())
        decoder.n_features_ = int(decoder.grid_.small_mask.sum())
        if decoder.n_features_ != self.n_features_in_:
            raise ValueError("its mask has another number of voxels than its machine")
        self._fill(decoder)
        return decoder

    def _fill(self, decoder: FewestVoxels) -> None:
        """What the fit found, and its maps; what is not stored is None."""
        for name in _AS_THEY_ARE:
            setattr(decoder, name, getattr(self, name))
        if not np.array_equal(self.classes_, self.estimator_.classes_):
            raise ValueError("its machine knows other classes")
        has_folds = self.cv_results_ is not None and "fold" in self.cv_results_
        if has_folds != (self.consistency_ is not None):
            raise ValueError("it counts folds that it does not have")
        decoder.held_out_ = decoder.selector_ = decoder.informative_ = None
        make_maps(decoder, selection_of(self.estimator_), None)
        for name in ("ranking", "consistency"):
            counts = getattr(self, f"{name}_")
            image = None if counts is None else decoder._map(counts)
            setattr(decoder, f"{name}_img_", image)

    def _check_parameters(self) -> None:
        """Called when a file is read; nothing in it may take endless time or memory."""
        check_choice("mask_strategy", self.mask_strategy, STRATEGIES)
        check_choice("standardize", self.standardize, STANDARDS)
        for name in ("smoothing_fwhm", "low_pass", "high_pass", "t_r"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name))
        for name in ("detrend", "standardize_confounds"):
            check_choice(name, getattr(self, name), (False, True))
        if type(self.downsample) is not int or not 0 <= self.downsample <= _MOST_LEVELS:
            raise ValueError(f"downsample must be a number from 0 to {_MOST_LEVELS}")

    def _check_space(self) -> None:
        if not is_place(self.affine_) or not np.array_equal(self.affine_[3], [0, 0, 0, 1]):
            raise ValueError("its affine gives voxels no place in space")
        sizes = np.linalg.norm(self.affine_[:3, :3], axis=0)
        if self.smoothing_fwhm is not None and self.smoothing_fwhm > _WIDEST * sizes.min():
            raise ValueError("its smoothing is far wider than any brain")
        if self.temperature_ is not None and not 0 < self.temperature_ < np.inf:
            raise ValueError("its temperature is no number above zero")


def _restrict(decoder: FewestVoxels, image: Any) -> Any:
    """The values of a map at the voxels of the coarser grid, one per feature."""
    if image is None:
        return None
    return values_of(image)[tuple(decoder.grid_.places.T)].astype(np.int64)
