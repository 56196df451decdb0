"""The error on samples that had no part in the fit, and how alike the folds' selections are."""

from __future__ import annotations

import numpy as np
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix, roc_auc_score

from fewest._estimators.held_out import HeldOut
from fewest._types import FloatArray, IndexArray
from fewest.report._data import Data
from fewest.report.content import (
    Fold,
    FoldCount,
    FoldSpreads,
    Interval,
    Spread,
    Stability,
    Validation,
)
from fewest.significance import stability_index

_CONFIDENCE = 0.95
_MOST_COUNTS = 30


def describe_validation(held_out: HeldOut, data: Data) -> Validation:
    """All folds, and the predictions of the first repeat pooled: one for each sample."""
    pooled = held_out.first_repeat
    true, predicted = (
        np.searchsorted(data.classes, labels) for labels in (pooled.true, pooled.predicted)
    )
    n_errors = int(np.sum(true != predicted))
    interval = binomtest(n_errors, len(true)).proportion_ci(_CONFIDENCE, method="wilson")
    decisions = pooled.decisions
    return Validation(
        n_folds=len(pooled.folds),
        n_repeats=held_out.n_repeats,
        over_folds=FoldSpreads(
            spread(held_out.errors), spread(held_out.balanced_errors), spread(held_out.sizes)
        ),
        folds=_folds(held_out, len(pooled.folds), data),
        n_errors=n_errors,
        error=pooled.error,
        interval=Interval(float(interval.low), float(interval.high), _CONFIDENCE),
        balanced_error=pooled.balanced_error,
        confusion=confusion_matrix(true, predicted, labels=range(len(data.classes))).tolist(),
        auc=None if decisions is None else _areas(true, decisions),
        samples=pooled.tested.tolist(),
        true=true.tolist(),
        predicted=predicted.tolist(),
        decisions=None if decisions is None else decisions.tolist(),
    )


def _folds(held_out: HeldOut, n_folds: int, data: Data) -> list[Fold]:
    errors = zip(held_out.errors.tolist(), held_out.balanced_errors.tolist(), strict=True)
    return [
        Fold(
            repeat=number // n_folds + 1,
            fold=number % n_folds + 1,
            n_train=len(fold.train),
            n_test=len(fold.test),
            error=error,
            balanced_error=balanced,
            n_features=int(fold.support.sum()),
            features=data.names(np.flatnonzero(fold.support)),
        )
        for number, (fold, (error, balanced)) in enumerate(zip(held_out.folds, errors, strict=True))
    ]


def spread(values: FloatArray | IndexArray) -> Spread:
    """Mean and standard deviation."""
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Spread(float(np.mean(values)), sd)


def _areas(codes: IndexArray, scores: FloatArray) -> list[float]:
    positives = [1] if scores.shape[1] == 1 else range(scores.shape[1])
    return [
        float(roc_auc_score(codes == positive, scores[:, place]))
        for place, positive in enumerate(positives)
    ]


def describe_stability(held_out: HeldOut, data: Data) -> Stability:
    """Nogueira's index over the folds; a ValueError where it is not defined."""
    found = stability_index(held_out.selections, confidence=_CONFIDENCE)
    counts = held_out.selections.sum(axis=0)
    order = np.argsort(-counts, kind="stable")[: min(_MOST_COUNTS, np.count_nonzero(counts))]
    return Stability(
        index=found.index,
        interval=Interval(*found.interval, _CONFIDENCE),
        n_folds=len(held_out.folds),
        counts=[
            FoldCount(data.feature_names[column], column, int(counts[column]))
            for column in order.tolist()
        ],
    )
