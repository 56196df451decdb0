"""Temperatures from decisions on samples left out of the whole fit, selection included."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from fewest._estimators.abilities import feature_names_of
from fewest._estimators.many_samples import draw_subsample
from fewest._estimators.probabilities import ENOUGH, N_FOLDS, fit_temperature, pair_scores
from fewest._estimators.rules import number_rules
from fewest._estimators.splits import Split, find_smallest_class, fit_within, make_splitter
from fewest._types import FloatArray, IndexArray

# Probabilities of other classifiers are not taken for more certain than this: three neighbours of
# one class prove little.
_LEAST_SHARE = 0.01


def score_classes(classifier: Any, X: Any) -> FloatArray:
    """One column of scores per class, or one for two classes, of any fitted classifier.

    Decisions where there is one per class, else logarithms of probabilities, else one for the
    predicted class.
    """
    n_classes = len(classifier.classes_)
    if hasattr(classifier, "decision_function"):
        scores = np.asarray(classifier.decision_function(X), dtype=np.float64).reshape(
            X.shape[0], -1
        )
        if scores.shape[1] == (1 if n_classes == 2 else n_classes):
            return scores
    if hasattr(classifier, "predict_proba"):
        return np.asarray(np.log(np.maximum(classifier.predict_proba(X), _LEAST_SHARE)))
    predicted = np.asarray(classifier.predict(X))
    return np.asarray(predicted[:, None] == classifier.classes_, dtype=np.float64)


def draw_folds(
    codes: IndexArray, groups: NDArray[Any] | None = None
) -> tuple[IndexArray, list[Split]]:
    """Rows to calibrate with, and folds of them; none where a class is too small for any."""
    rows = draw_subsample(codes, ENOUGH)
    few = codes[rows]
    own = None if groups is None else groups[rows]
    n_folds = min(N_FOLDS, find_smallest_class(few, own)[1])
    if n_folds < 2:
        return rows, []
    splitter = make_splitter(n_folds, few, own, random_state=0)
    with warnings.catch_warnings(action="ignore"):  # of groups that do not fit evenly
        folds = [(rows[train], rows[test]) for train, test in splitter.split(few, few, own)]
    n_classes = len(np.unique(codes))
    return rows, [one for one in folds if len(np.unique(codes[one[0]])) == n_classes]


def calibrate(fitted: Any, X: Any, y: ArrayLike, groups: NDArray[Any] | None = None) -> None:
    """Give a classifier the temperature of decisions on samples left out of fits of its clones.

    A class with one sample only, or folds that cannot be fitted, leave the decisions on the
    training samples.
    """
    if not fitted._calibrates:
        return
    y = np.asarray(y)
    codes = np.searchsorted(fitted.classes_, y)
    rows, folds = draw_folds(codes, groups)
    names = feature_names_of(fitted)
    machine = fitted if names is None else number_rules(fitted, names)  # X has no names here
    pairs = [(score_part(machine, X, y, groups, *fold), fold[1]) for fold in folds]
    known = [(scores, codes[test]) for scores, test in pairs if scores is not None]
    if not known:
        known = [(pair_scores(fitted._class_scores(X[rows])), codes[rows])]
    scores, truth = (np.concatenate(part) for part in zip(*known, strict=True))
    fitted.temperature_ = fit_temperature(scores, truth)


def score_part(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    train: IndexArray,
    test: IndexArray,
) -> FloatArray | None:
    """Scores of some samples by a clone that was fitted to others; None if that cannot be."""
    own = None if groups is None else groups[train]
    try:
        with warnings.catch_warnings(action="ignore"):  # the fit to all samples warns
            machine = fit_within(clone(estimator), X[train], y[train], own)
    except ValueError:  # too few samples of a fold, or no solution for them
        return None
    return pair_scores(machine._class_scores(X[test]))
