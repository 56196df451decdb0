"""Folds of a classifier on some of the columns, and of the choice of these columns."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest._estimators.abilities import selection_of
from fewest._estimators.held_out import Fold, judge_fold
from fewest._estimators.splits import Split, fit_with_groups, split_folds
from fewest._estimators.validation import make_dense
from fewest._gaps import fill_all
from fewest._solvers.blas_threads import one_blas_thread
from fewest._types import BoolArray, FloatArray, IndexArray

_MOST_ITERATIONS = 1000
Predictions = tuple[IndexArray, NDArray[Any]]  # test samples, and what was predicted


def choose_classifier(
    classifier: Any, *, class_weight: str | None = None, fills: bool = False
) -> Any:
    """The classifier, if it is one; None stands for logistic regression, standardised.

    The latter also `fills` gaps with medians of the samples that it is fitted to.
    """
    if classifier is None:
        first = [SimpleImputer(strategy="median", keep_empty_features=True)] if fills else []
        model = LogisticRegression(max_iter=_MOST_ITERATIONS, class_weight=class_weight)
        return make_pipeline(*first, StandardScaler(), model)
    if not is_classifier(classifier):
        raise ValueError(
            f"classifier must be a classifier of scikit-learn's kind; got {classifier!r}"
        )
    return classifier


def draw_splits(
    cv: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    *,
    n_repeats: int,
    rng: np.random.RandomState,
) -> list[Split]:
    """The folds of all repeats; a splitter is used as it is."""
    if cv is not None and (not isinstance(cv, Integral) or isinstance(cv, bool)):
        return split_folds(cv, y, groups)
    splits = split_folds(cv, y, groups, random_state=rng)
    with warnings.catch_warnings(action="ignore"):  # of fewer folds: said once
        for _ in range(n_repeats - 1):
            splits += split_folds(cv, y, groups, random_state=rng)
    return splits


def count_repeats(splits: Sequence[Split], n_samples: int) -> int:
    """How often every sample is tested; 1 if some are tested more often than others."""
    counts = np.bincount(np.concatenate([test for _, test in splits]), minlength=n_samples)
    least = int(counts.min())
    return least if least and least == counts.max() and len(splits) % least == 0 else 1


def judge_columns(
    model: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    columns: IndexArray,
    splits: Sequence[Split],
) -> list[Fold]:
    """Folds of a classifier on these columns; without any, the largest class is predicted.

    The arrays are narrow: further threads would only wait.
    """
    model, values = _take_columns(model, X, columns)
    with one_blas_thread():
        return [judge_fold(model, values, y, groups, *split) for split in splits]


def predict_columns(
    model: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    columns: IndexArray,
    splits: Sequence[Split],
) -> list[Predictions]:
    """The predictions of such folds alone, for many panels; X is known to be finite."""
    model, values = _take_columns(model, X, columns)
    found = []
    with (
        one_blas_thread(),
        config_context(assume_finite=True, skip_parameter_validation=True),
        warnings.catch_warnings(action="ignore"),  # those of the panel itself are shown
    ):
        for train, test in splits:
            of_train = None if groups is None else groups[train]
            fitted = fit_with_groups(clone(model), values[train], y[train], of_train)
            found.append((test, fitted.predict(values[test])))
    return found


def _take_columns(model: Any, X: Any, columns: IndexArray) -> tuple[Any, FloatArray]:
    if not len(columns):
        return DummyClassifier(strategy="prior"), np.zeros((X.shape[0], 1))
    return model, np.asarray(make_dense(X[:, columns]))


def choose_on_all(chooser: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> IndexArray:
    """The columns that a selector chooses on all samples."""
    return np.flatnonzero(selection_of(fit_with_groups(clone(chooser), X, y, groups)).support)


def judge_choice(
    chooser: Any,
    model: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    split: Split,
) -> tuple[Fold, BoolArray]:
    """One fold of a classifier on the columns that a selector chose without its test samples."""
    train = split[0]
    own_groups = None if groups is None else groups[train]
    with warnings.catch_warnings(action="ignore"):  # those of the fit to all samples are shown
        fitted = fit_with_groups(clone(chooser), fill_all(X[train]), y[train], own_groups)
    support = selection_of(fitted).support
    return judge_columns(model, X, y, groups, np.flatnonzero(support), [split])[0], support


def count_votes(folds: Sequence[Predictions], classes: NDArray[Any], n_samples: int) -> FloatArray:
    """Share of the times that a sample was predicted as each class; NaN where it never was."""
    votes = np.zeros((n_samples, len(classes)))
    for test, predicted in folds:
        np.add.at(votes, (test, np.searchsorted(classes, predicted)), 1.0)
    with np.errstate(invalid="ignore"):
        return votes / votes.sum(axis=1, keepdims=True)
