"""The one held-out loop: every sample judged by an estimator that was fitted without it.

Everything that needs an honest error, the selections of the folds or decisions on held-out samples
runs it once, and passes the result on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from fewest._estimators.abilities import (
    Declaring,
    abilities_of,
    explain_no_classes,
    explain_no_selection,
    find_selection,
)
from fewest._estimators.decisions import choose_classes
from fewest._estimators.in_time import time_job
from fewest._estimators.splits import balanced_error, check_groups, fit_within, split_folds
from fewest._estimators.together import (
    advances_together,
    find_outcomes,
    find_plane,
    leave_out,
    sign_labels,
)
from fewest._estimators.validation import (
    adopt,
    is_outside_memory,
    standardize_columns,
    take_part,
)
from fewest._gaps import fill_gaps, find_medians, has_gaps
from fewest._run.progress import ignore_interrupts, progress_bar
from fewest._run.sharing import run_on_cluster
from fewest._showing import Shown, list_shortly
from fewest._solvers.columns import as_matrix
from fewest._sparse import check_sparse
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed, percent

if TYPE_CHECKING:
    from fewest._solvers.many.problem import Outcome

_NO_MATTER = {"n_jobs": None, "verbose": 0}  # parameters that do not change a result


@dataclass(frozen=True, eq=False, repr=False)
class Fold(Shown):
    """What an estimator fitted to the training samples made of the test samples.

    `decisions` has one column per linear function (or class); None without `decision_function`.
    `supports` has one row per linear function; None for an estimator that selects no columns.
    `warnings` are those of the fit, each once; `seconds` is the time it took.
    """

    train: IndexArray
    test: IndexArray
    predicted: NDArray[Any]
    decisions: FloatArray | None
    supports: NDArray[np.bool_] | None
    warnings: tuple[str, ...]
    seconds: float = 0.0

    @property
    def support(self) -> NDArray[np.bool_]:
        """Features that any of the linear functions uses."""
        if self.supports is None:
            raise ValueError("the estimator does not say which features it uses")
        return np.any(self.supports, axis=0)


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut(Shown):
    """All folds of one estimator on one data set.

    Samples of one of the `groups` were left out together, and tend to be right or wrong together:
    to judge the errors is to count groups. None where samples are independent.
    """

    report_kind = "held_out"  # as which `fewest.report` takes it
    y: NDArray[Any]
    folds: tuple[Fold, ...]
    estimator: Any = None
    groups: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        list_shortly(self, "folds")

    def _headline(self) -> str:
        error = percent(self.balanced_error)
        return f"balanced error {error} in {counted(len(self.folds), 'fold')}"

    def _facts(self) -> list[tuple[str, str]]:
        classes = np.unique(self.y).tolist()
        facts = [
            ("samples", f"{len(self.y)}; classes: {listed(classes)}"),
            ("error", f"{percent(self.error)} of all samples judged"),
        ]
        if all(fold.supports is not None for fold in self.folds):
            sizes = [int(fold.support.sum()) for fold in self.folds]
            facts.append(("features", f"{min(sizes)} to {max(sizes)} per fold"))
        return facts

    @cached_property
    def n_repeats(self) -> int:
        """How often the cross-validation tested every sample, with other folds each time."""
        counts = np.bincount(self.tested, minlength=len(self.y))
        n_repeats = int(counts.min())
        even = counts.max() == n_repeats and n_repeats and len(self.folds) % n_repeats == 0
        return n_repeats if even else 1

    @property
    def first_repeat(self) -> HeldOut:
        """The folds that test every sample once, if there are several repeats."""
        return self.first(len(self.folds) // self.n_repeats)

    @cached_property
    def tested(self) -> IndexArray:
        """Rows of X in the order in which they were judged."""
        return np.concatenate([fold.test for fold in self.folds])

    @property
    def true(self) -> NDArray[Any]:
        """Their classes."""
        return self.y[self.tested]

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """What was predicted for them."""
        return np.concatenate([fold.predicted for fold in self.folds])

    @property
    def decisions(self) -> FloatArray | None:
        """Their decisions, one column per linear function; None where there are none."""
        found = [fold.decisions for fold in self.folds if fold.decisions is not None]
        return np.concatenate(found) if len(found) == len(self.folds) else None

    @property
    def error(self) -> float:
        """Share of all judged samples that are wrong."""
        return float(np.mean(self.predicted != self.true))

    @property
    def balanced_error(self) -> float:
        """Balanced error of all judged samples together; a fold may lack a class."""
        return balanced_error(self.true, self.predicted)

    @property
    def errors(self) -> FloatArray:
        """Error of every fold."""
        return np.array([np.mean(fold.predicted != self.y[fold.test]) for fold in self.folds])

    @property
    def balanced_errors(self) -> FloatArray:
        """Balanced error of every fold."""
        return np.array([balanced_error(self.y[fold.test], fold.predicted) for fold in self.folds])

    @property
    def sizes(self) -> IndexArray:
        """Number of features of every fold."""
        return self.selections.sum(axis=1)

    @property
    def selections(self) -> NDArray[np.bool_]:
        """Selected features, one row per fold."""
        if any(fold.supports is None for fold in self.folds):
            raise ValueError(explain_no_selection(self.estimator))
        return np.array([fold.support for fold in self.folds])

    @property
    def warnings(self) -> list[str]:
        """Warnings of all fits, each once."""
        return list(dict.fromkeys(text for fold in self.folds for text in fold.warnings))

    def is_of(self, estimator: Any) -> bool:
        """Whether the folds are those of an estimator of this kind with these parameters."""
        return is_same_estimator(estimator, self.estimator)

    def first(self, n_folds: int) -> HeldOut:
        """Only the first folds, for instance those of the first of several repeats."""
        return replace(self, folds=self.folds[:n_folds])

    def in_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """One value per judged sample, in the order of y; each sample was judged once."""
        if not np.array_equal(np.sort(self.tested), np.arange(len(self.y))):
            raise ValueError("cv must test every sample exactly once")
        ordered = np.empty_like(values)
        ordered[self.tested] = values
        return ordered


def is_same_estimator(one: Any, two: Any) -> bool:
    """Whether two estimators would give the same result."""
    if type(one) is not type(two):
        return False
    given = [{**estimator.get_params(), **_NO_MATTER} for estimator in (one, two)]
    return bool(joblib.hash(given[0]) == joblib.hash(given[1]))


def judge_fold(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    train: IndexArray,
    test: IndexArray,
) -> Fold:
    """Fit a clone to the training samples and let it judge the test samples."""
    abilities = abilities_of(estimator)
    if not abilities.classifies:
        raise ValueError(explain_no_classes(estimator))
    n_features = X.shape[1]
    if abilities.columns_are_samples:
        X = X[:, train]
    fitted, (known, medians) = clone(estimator), _take_training(estimator, X, train)
    of_train = None if groups is None else groups[train]
    started = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit_within(fitted, known, y[train], of_train)
    seconds = perf_counter() - started
    del known  # there is one part of the data at a time
    fold = _describe_fold(fitted, _take_new(X, test, medians), train, test, caught)
    fold = replace(fold, seconds=seconds)
    if fold.supports is None or not abilities.columns_are_samples:
        return fold
    supports = np.zeros((len(fold.supports), n_features), dtype=bool)
    supports[:, train] = fold.supports
    return replace(fold, supports=supports)


def fold_of_outcome(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    outcome: Outcome,
    train: IndexArray,
    test: IndexArray,
) -> Fold | None:
    """The fold of a machine whose program advanced with others; None where it has to be fitted."""
    classes, codes = np.unique(y, return_inverse=True)
    plane = find_plane(estimator, outcome, sign_labels(codes[train]))
    if plane is None:
        return None
    w, b = plane
    supports = np.zeros((1, X.shape[1]), dtype=bool)
    supports[0, outcome.features] = True
    decisions = take_part(X, test, outcome.features) @ w + b
    predicted = classes[choose_classes(decisions)]
    return Fold(train, test, predicted, decisions[:, None], supports, ())


def judge_costs(
    estimator: Any,
    Cs: Sequence[float],
    X: Any,
    y: NDArray[Any],
    train: IndexArray,
    test: IndexArray,
) -> list[Fold]:
    """One fold at every C; the estimator has such a cost, and splits no samples itself."""
    (known, medians), folds = _take_training(estimator, X, train), []
    new = _take_new(X, test, medians)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for fitted in estimator._fit_along(known, y[train], Cs):
            folds.append(_describe_fold(fitted, new, train, test, caught))
            caught.clear()
    return folds


def _describe_fold(
    fitted: Any,
    X: Any,
    train: IndexArray,
    test: IndexArray,
    caught: list[warnings.WarningMessage],
) -> Fold:
    """What a fitted estimator makes of the test samples, and what its fit warned of."""
    decisions, found = None, find_selection(fitted)
    if abilities_of(fitted).has_scores:
        decisions = np.asarray(fitted.decision_function(X)).reshape(len(test), -1)
    supports = None if found is None else found.supports
    warned = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return Fold(train, test, fitted.predict(X), decisions, supports, warned)


def _take_training(estimator: Any, X: Any, train: IndexArray) -> tuple[Any, FloatArray | None]:
    """Training samples, and their medians if they, or samples left out, have gaps to fill in.

    Estimators of other packages have their own ways, a step of a pipeline for instance.
    """
    known = _take_rows(X, train)
    if not isinstance(estimator, Declaring) or not has_gaps(X):
        return known, None
    medians = find_medians(known)
    return fill_gaps(known, medians), medians


def _take_new(X: Any, test: IndexArray, medians: FloatArray | None) -> Any:
    rows = _take_rows(X, test)
    return rows if medians is None else fill_gaps(rows, medians)


def _take_rows(X: Any, rows: IndexArray) -> Any:
    """Rows of an array, a sparse matrix or, which takes longer, any data frame."""
    plain = isinstance(X, np.ndarray) or sparse.issparse(X) or is_outside_memory(X)
    return X[rows] if plain else _safe_indexing(X, rows)


def judge_in_parallel(
    jobs: Sequence[tuple[Any, ...]],
    *,
    judge: Any = judge_fold,
    n_jobs: int | None = None,
    verbose: int = 0,
    what: str = "cross-validation",
    unit: str = "fold",
) -> Iterable[Any]:
    """`judge(*job)` of every job, in their order, as they are done; Ctrl-C stops them.

    Processes, because the selection is much Python; joblib maps a large X into their memory. The
    workers of a Dask cluster, which may be other computers, are sent it once.
    """
    judge = time_job(judge)
    found = run_on_cluster(judge, jobs)
    if found is None:
        with ignore_interrupts():
            found = Parallel(n_jobs=n_jobs, return_as="generator")(
                delayed(judge)(*job) for job in jobs
            )
    return progress_bar(found, len(jobs), verbose > 0, what=what, unit=unit)


def run_held_out(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> HeldOut:
    """Cross-validate once, including the selection, and keep the result for every use.

    Displays, `permutation_test` and the report accept it, so the folds are not fitted again.

    Parameters
    ----------
    estimator : classifier
        Fitted or not; clones of it are trained.
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
        The samples. For estimators of this package, missing values (NaN) of an array are filled in
        with medians of the training samples, in every fold.
    y : array of shape (n_samples,)
        Their classes.
    cv : int, splitter or list of splits
        A number means stratified folds, of whole groups if there are groups.
    groups : array of shape (n_samples,), optional
        Samples of one group are in the same fold.
    random_state : int, RandomState instance or None
        Shuffles the folds, if `cv` is a number.
    n_jobs : int, optional
        Processes, as in joblib.
    verbose : int
        Above zero, shows a progress bar.

    Returns
    -------
    HeldOut
        Predictions, decisions and selections of all folds. A ValueError (or NotSeparableError) of
        a fold is passed on.

    Examples
    --------
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import run_held_out
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> found = run_held_out(SupportFeatureMachine(C=2.0), X, y, random_state=0)
    >>> found.error, found.sizes.tolist()
    (0.05, [2, 2, 2, 2, 2])
    """
    y = np.asarray(y)
    groups = check_groups(groups, len(y))
    X = adopt(estimator, X)
    check_sparse(X, "X")
    X = X.tocsr() if hasattr(X, "tocsr") else X  # folds take rows
    splits = split_folds(cv, y, groups, random_state=random_state)
    jobs = [(estimator, X, y, groups, train, test) for train, test in splits]
    folds = _judge_together(jobs, n_jobs)
    if folds is None:
        folds = judge_in_parallel(jobs, n_jobs=n_jobs, verbose=verbose)
    else:
        folds = progress_bar(folds, len(jobs), verbose > 0)
    return HeldOut(y, tuple(folds), estimator, groups)


def _judge_together(jobs: Sequence[tuple[Any, ...]], n_jobs: int | None) -> Iterable[Fold] | None:
    """All folds, whose programs advance together; None where they are fitted one by one."""
    estimator, X, y = jobs[0][:3]
    is_plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"
    if not (is_plain or is_outside_memory(X)) or not abilities_of(estimator).advances_together:
        return None
    classes, codes = np.unique(y, return_inverse=True)
    if not estimator.standardize or has_gaps(
        X
    ):  # one scale, or filling, for all is not that of each fold
        return None
    if not advances_together(estimator, as_matrix(X), len(classes), len(jobs)):
        return None
    estimator._check_parameters()
    columns = standardize_columns(X)
    labels = (leave_out(sign_labels(codes), job[4]) for job in jobs)
    outcomes = find_outcomes(estimator, columns, labels, n_jobs)
    return (
        (None if outcome is None else fold_of_outcome(estimator, X, y, outcome, *job[4:]))
        or judge_fold(*job)
        for job, outcome in zip(jobs, outcomes, strict=True)
    )
