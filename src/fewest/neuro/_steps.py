"""What a decoder does with its volumes besides the fit: folds, repetitions, informative voxels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fewest._estimators.abilities import Selection
from fewest._estimators.held_out import run_held_out
from fewest._estimators.probabilities import fit_temperature, pair_scores
from fewest.neuro._tables import tabulate_folds
from fewest.repetition.selector import RepetitiveSelector


def judge(decoder: Any, estimator: Any, settings: dict[str, Any]) -> None:
    """The folds: their errors, and what decisions are worth."""
    decoder.held_out_ = decoder.cv_results_ = decoder.error_ = decoder.error_sd_ = None
    decoder.temperature_ = None
    if decoder.cv == 0:
        return
    X, y, groups, _ = decoder._volumes
    decoder.held_out_ = run_held_out(
        estimator, X, y, cv=decoder._folds(groups), groups=groups, **settings
    )
    for text in decoder.held_out_.warnings:
        warnings.warn(f"in a fold: {text}", stacklevel=3)
    if decoder.held_out_.decisions is not None:
        codes = np.searchsorted(decoder.classes_, decoder.held_out_.true)
        decoder.temperature_ = fit_temperature(pair_scores(decoder.held_out_.decisions), codes)
    errors = decoder.held_out_.balanced_errors
    decoder.cv_results_ = tabulate_folds(decoder.held_out_, groups)
    decoder.error_ = decoder.held_out_.balanced_error
    decoder.error_sd_ = float(np.std(errors, ddof=1)) if len(errors) > 1 else 0.0


def repeat(decoder: Any, estimator: Any, selection: Selection) -> None:
    """Further subsets, each without the voxels of those before."""
    decoder.selector_ = None
    if decoder.n_subsets == 0 or not selection.n_selected:  # of which the estimator has warned
        return
    X, y, groups, _ = decoder._volumes
    decoder.selector_ = RepetitiveSelector(
        estimator, n_subsets=decoder.n_subsets, verbose=decoder.verbose
    )
    decoder.selector_.fit(X, y, groups=groups)
    _stop_if(decoder.selector_.stop_reason_ == "interrupted")


def estimate_informative(decoder: Any, settings: dict[str, Any]) -> None:
    """How many voxels carry information, if that is asked for."""
    decoder.informative_ = None
    if decoder.informative is False:
        return
    from fewest.informative import informative_features

    X, y, groups, _ = decoder._volumes
    asked = decoder.informative if isinstance(decoder.informative, dict) else {}
    settings = {"estimator": None, "groups": groups, "cv": decoder.cv or None, **settings, **asked}
    found = informative_features(X=X, y=y, **settings)
    _stop_if(len(found.folds) < found.n_folds_planned)
    decoder.informative_ = found


def _stop_if(interrupted: bool) -> None:
    """A part that ends early on Ctrl-C must not pass for the whole."""
    if interrupted:
        raise KeyboardInterrupt
