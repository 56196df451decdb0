"""Every sample judged by a machine that was fitted, selection included, without it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.metrics import confusion_matrix, roc_auc_score

from fewest._estimators.splits import balanced_error, fit_with_groups, split_folds
from fewest._types import FloatArray, IndexArray
from fewest.report._data import Data
from fewest.report._subject import Subject, selected_columns
from fewest.report.content import FoldCount, Interval, Stability, Validation
from fewest.significance import stability_index

_CONFIDENCE = 0.95
_MOST_COUNTS = 30


@dataclass(frozen=True, eq=False)
class Fold:
    """What one fold's machine made of its test samples, and which columns it selected."""

    test: IndexArray
    predicted: NDArray[Any]
    decisions: FloatArray | None
    supports: NDArray[np.bool_]

    @property
    def support(self) -> NDArray[np.bool_]:
        return self.supports.any(axis=0)


def run_folds(subject: Subject, data: Data) -> list[Fold]:
    """Stratified folds (groups stay together) of the whole job; a ValueError if one fails."""
    if not hasattr(subject.estimator, "predict"):
        raise ValueError(f"{type(subject.estimator).__name__} selects, but does not classify")
    rng = np.random.RandomState(data.seed)
    splits = split_folds(data.cv, data.y, data.groups, random_state=rng)
    return Parallel(n_jobs=data.n_jobs)(
        delayed(_fold)(subject, data, train, test) for train, test in splits
    )


def _fold(subject: Subject, data: Data, train: IndexArray, test: IndexArray) -> Fold:
    X, columns = data.X, np.arange(data.X.shape[1])
    if subject.columns_are_samples:
        X, columns = X[:, train], train
    machine = clone(subject.estimator)
    groups = None if data.groups is None else data.groups[train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said of the whole already
        fit_with_groups(machine, X[train], data.y[train], groups)
    decisions = None
    if hasattr(machine, "decision_function"):
        decisions = np.asarray(machine.decision_function(X[test])).reshape(len(test), -1)
    found = selected_columns(machine)
    supports = np.zeros((len(found), data.X.shape[1]), dtype=bool)
    supports[:, columns] = found
    return Fold(test, machine.predict(X[test]), decisions, supports)


def validation(folds: list[Fold], data: Data) -> Validation:
    """The out-of-fold predictions, pooled."""
    tested = np.concatenate([fold.test for fold in folds])
    predicted = np.concatenate([fold.predicted for fold in folds])
    true = data.y[tested]
    wrong = predicted != true
    interval = binomtest(int(wrong.sum()), len(wrong)).proportion_ci(_CONFIDENCE, method="wilson")
    codes = np.searchsorted(data.classes, true)
    decisions, auc = None, None
    if all(fold.decisions is not None for fold in folds):
        scores = np.concatenate([fold.decisions for fold in folds])
        decisions, auc = scores.tolist(), _areas(codes, scores)
    return Validation(
        n_folds=len(folds),
        n_errors=int(wrong.sum()),
        error=float(wrong.mean()),
        interval=Interval(float(interval.low), float(interval.high), _CONFIDENCE),
        balanced_error=balanced_error(true, predicted),
        fold_balanced_errors=[balanced_error(data.y[fold.test], fold.predicted) for fold in folds],
        fold_sizes=[int(fold.support.sum()) for fold in folds],
        confusion=confusion_matrix(true, predicted, labels=data.classes).tolist(),
        true=codes.tolist(),
        predicted=np.searchsorted(data.classes, predicted).tolist(),
        decisions=decisions,
        auc=auc,
    )


def _areas(codes: IndexArray, scores: FloatArray) -> list[float]:
    positives = [1] if scores.shape[1] == 1 else range(scores.shape[1])
    return [
        float(roc_auc_score(codes == positive, scores[:, place]))
        for place, positive in enumerate(positives)
    ]


def fold_stability(folds: list[Fold], data: Data) -> Stability:
    """Nogueira's index over the folds; a ValueError where it is not defined."""
    selections = np.array([fold.support for fold in folds])
    found = stability_index(selections, confidence=_CONFIDENCE)
    counts = selections.sum(axis=0)
    order = np.argsort(-counts, kind="stable")[: min(_MOST_COUNTS, np.count_nonzero(counts))]
    return Stability(
        index=found.index,
        interval=Interval(*found.interval, _CONFIDENCE),
        n_folds=len(folds),
        counts=[
            FoldCount(data.names[column], int(column), int(counts[column])) for column in order
        ],
    )
