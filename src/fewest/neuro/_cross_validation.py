"""The honest error on images: voxels are selected anew, without the test volumes, in every fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut

from fewest._estimators.abilities import selection_of
from fewest._estimators.splits import balanced_error, fit_with_groups, split_folds
from fewest._run.progress import ignore_interrupts, progress_bar

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One fold: its test volumes, what was predicted for them, and what was selected."""

    n_train: int
    test: NDArray[np.intp]
    predicted: NDArray[Any]
    support: NDArray[np.bool_]


def usual_cv(cv: Any, groups: Any) -> Any:
    """What was asked for; else one group is left out at a time, or there are some folds."""
    if cv is not None:
        return cv
    return _FOLDS if groups is None else LeaveOneGroupOut()


def run_folds(
    estimator: Any,
    X: NDArray[Any],
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    *,
    cv: Any,
    random_state: Any,
    n_jobs: int | None,
    show_progress: bool,
) -> list[FoldResult]:
    """Fit and test in every fold; by default one group is left out at a time."""
    folds = split_folds(usual_cv(cv, groups), y, groups, random_state=random_state)
    trials = _trials(estimator, X, y, groups, folds, n_jobs)
    return list(progress_bar(trials, len(folds), show_progress))


def summarized(
    results: list[FoldResult], y: NDArray[Any], groups: NDArray[Any] | None
) -> dict[str, NDArray[Any]]:
    """A value a fold, as arrays by name."""
    left_out = [
        "" if groups is None else ", ".join(map(str, np.unique(groups[fold.test]).tolist()))
        for fold in results
    ]
    return {
        "fold": np.arange(1, len(results) + 1),
        "left_out": np.array(left_out),
        "n_train": np.array([fold.n_train for fold in results]),
        "n_test": np.array([len(fold.test) for fold in results]),
        "error": np.array([np.mean(fold.predicted != y[fold.test]) for fold in results]),
        "balanced_error": np.array(
            [balanced_error(y[fold.test], fold.predicted) for fold in results]
        ),
        "n_features": np.array([int(fold.support.sum()) for fold in results]),
    }


def pooled_error(results: list[FoldResult], y: NDArray[Any]) -> float:
    """Balanced error of all test volumes together; a fold may lack a class."""
    tested = np.concatenate([fold.test for fold in results])
    return balanced_error(y[tested], np.concatenate([fold.predicted for fold in results]))


def _trials(
    estimator: Any,
    X: NDArray[Any],
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    n_jobs: int | None,
) -> Iterator[FoldResult]:
    # Processes, because the selection is much Python; joblib maps a large X into their memory.
    with ignore_interrupts():
        return Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(_trial)(clone(estimator), X, y, groups, train, test) for train, test in folds
        )


def _trial(
    estimator: Any,
    X: NDArray[Any],
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> FoldResult:
    fit_with_groups(estimator, X[train], y[train], None if groups is None else groups[train])
    return FoldResult(len(train), test, estimator.predict(X[test]), selection_of(estimator).support)
