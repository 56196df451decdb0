"""Errors of support vector machines on features drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from fewest._estimators.held_out import judge_in_parallel
from fewest._estimators.splits import balanced_error, check_groups
from fewest._estimators.validation import check_count, check_positive
from fewest._solvers.svm import decisions_along_costs
from fewest._types import FloatArray, IndexArray
from fewest.informative._probe import (
    Fold,
    check_two_classes,
    kernels_of_rest,
    make_folds,
    standardize_fold,
)

_FIRST_COST = 0.1


@dataclass(frozen=True, eq=False)
class RandomSubsets:
    """Cross-validated errors of machines on random subsets of features.

    Attributes
    ----------
    n_features : array of shape (n_sizes,)
        How many features were drawn.
    errors : array of shape (n_sizes, n_subsets)
        Mean over the folds of the balanced error.
    """

    n_features: NDArray[np.intp]
    errors: FloatArray

    @property
    def below_chance(self) -> FloatArray:
        """Share of the subsets of each size with an error below one half."""
        return np.mean(self.errors < 0.5, axis=1)


def random_subset_errors(
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    n_features: Sequence[int] | None = None,
    n_subsets: int = 100,
    C: float = 100.0,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> RandomSubsets:
    """Cross-validate a linear support vector machine on d random features, d = 1, 2, 4, ...

    If many features carry information, a single one drawn at random already separates the classes
    better than chance (Klement, Anders & Martinetz 2013, fig. 3).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Numbers; standardised on the training part of every fold.
    y : array of shape (n_samples,)
        Two class labels.
    groups : array of shape (n_samples,), optional
        Groups of samples (participants); one is left out at a time.
    cv : int, splitter or iterable, optional
        Other folds: a number of stratified ones, or a splitter. Without groups, 5 by default.
    n_features : sequence of int, optional
        Sizes of the subsets; powers of two by default.
    n_subsets : int
        Subsets of each size (Klement et al. 2013: 1000).
    C : float
        Cost of the machine, for samples of norm one: large for the hard margin of Klement et al.
        (2013).
    random_state : int, RandomState instance or None
        Seed of the draws; where `cv` is a number, also shuffles the folds.
    n_jobs : int, optional
        Processes, in joblib's sense.
    verbose : int
        Above zero, shows a progress bar.

    Returns
    -------
    RandomSubsets

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.informative import random_subset_errors
    >>> X, y = make_gaussian(n=60, d=64, k=32, mu=0.5, random_state=0)
    >>> found = random_subset_errors(X, y, n_features=[1, 8, 64], n_subsets=20, random_state=0)
    >>> found.errors.mean(axis=1).round(2).tolist()
    [0.42, 0.25, 0.03]
    """
    X, labels, signs = check_two_classes("random_subset_errors", X, y)
    check_count("n_subsets", n_subsets)
    check_positive("C", C)
    sizes = _sizes(n_features, X.shape[1])
    folds = make_folds(labels, check_groups(groups, len(signs)), cv, random_state)
    rng = check_random_state(random_state)
    subsets = [
        rng.choice(X.shape[1], size, replace=False) for size in sizes for _ in range(n_subsets)
    ]
    # The machine is led through smaller costs to its own: each starts where the last one ended.
    steps = max(0, math.ceil(math.log10(C / _FIRST_COST) - 1e-9))
    costs = C / 10.0 ** np.arange(steps, -1, -1)
    jobs = [(X, signs, fold, subsets, costs) for fold in folds]
    errors = judge_in_parallel(
        jobs, judge=_measure_fold, n_jobs=n_jobs, verbose=verbose, what="random subsets"
    )
    return RandomSubsets(sizes, np.mean(list(errors), axis=0).reshape(len(sizes), n_subsets))


def _measure_fold(
    X: Any, y: FloatArray, fold: Fold, subsets: list[IndexArray], costs: FloatArray
) -> list[float]:
    columns = standardize_fold(X, fold)
    errors = []
    for subset in subsets:
        (K,) = kernels_of_rest(columns, [subset])
        decisions = decisions_along_costs(K, y, fold.training, fold.test, costs)[-1]
        errors.append(balanced_error(y[fold.test], np.where(decisions > 0.0, 1.0, -1.0)))
    return errors


def _sizes(n_features: Sequence[int] | None, total: int) -> NDArray[np.intp]:
    if n_features is None:
        return 2 ** np.arange(int(np.log2(total)) + 1)
    sizes = np.asarray(n_features)
    if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu":
        raise ValueError("n_features must be a list of whole numbers")
    if sizes.min() < 1 or sizes.max() > total:
        raise ValueError(f"n_features must lie between 1 and {total}, the number of columns of X")
    return sizes.astype(np.intp)
