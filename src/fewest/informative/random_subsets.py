"""Errors of support vector machines on features drawn at random (fig. 3 of 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.splits import balanced_error, check_groups
from fewest._estimators.validation import check_count, check_positive, standardize_columns
from fewest._run.progress import Progress
from fewest._solvers.columns import Columns
from fewest._solvers.svm import decisions_along_costs
from fewest._types import FloatArray, IndexArray
from fewest.informative._folds import Fold, make_folds
from fewest.informative._gram import kernels_of_rest
from fewest.informative._input import two_classes

# Costs through which the machine is led to its own: each starts where the last one ended.
_STEP = 10.0
_FIRST_COST = 0.1


@dataclass(frozen=True, eq=False)
class RandomSubsets:
    """Cross-validated errors of machines on random subsets of features.

    Attributes
    ----------
    n_features : array of shape (n_sizes,)
        How many features were drawn.
    errors : array of shape (n_sizes, n_repeats)
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
    n_repeats: int = 100,
    C: float = 100.0,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> RandomSubsets:
    """Cross-validate a linear support vector machine on d random features, d = 1, 2, 4, ...

    If many features carry information, already one drawn at random tells the classes apart better
    than chance.

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
    n_repeats : int
        Subsets of each size (the paper: 1000).
    C : float
        Cost of the machine, for samples of norm one: large for the hard margin of the paper.
    random_state : int or None
        Seed of the draws.
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
    >>> found = random_subset_errors(X, y, n_features=[1, 8, 64], n_repeats=20)
    >>> found.errors.mean(axis=1).round(2).tolist()
    [0.45, 0.24, 0.02]
    """
    X, signs = two_classes(X, y)
    check_count("n_repeats", n_repeats)
    check_positive("C", C)
    sizes = _sizes(n_features, X.shape[1])
    folds = make_folds(signs, check_groups(groups, len(signs)), cv)
    rng = np.random.default_rng(random_state)
    subsets = [
        rng.choice(X.shape[1], size, replace=False) for size in sizes for _ in range(n_repeats)
    ]
    costs = _costs_up_to(C)
    errors = []
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fold_errors)(X, signs, fold, subsets, costs) for fold in folds
    )
    with Progress(len(folds), what="random subsets", unit="fold", show=verbose > 0) as progress:
        for result in results:
            errors.append(result)
            progress.advance(1)
    return RandomSubsets(sizes, np.mean(errors, axis=0).reshape(len(sizes), n_repeats))


def _fold_errors(
    X: Any, y: FloatArray, fold: Fold, subsets: list[IndexArray], costs: FloatArray
) -> list[float]:
    trained = standardize_columns(X[fold.training], None, per_column=True)
    columns = Columns(X, trained.mean, trained.inverse_scale)
    return [_subset_error(columns, y, fold, subset, costs) for subset in subsets]


def _subset_error(
    columns: Columns, y: FloatArray, fold: Fold, subset: IndexArray, costs: FloatArray
) -> float:
    (K,) = kernels_of_rest(columns, [subset])
    decisions = decisions_along_costs(K, y, fold.training, fold.test, costs)[-1]
    return balanced_error(y[fold.test], np.where(decisions > 0.0, 1.0, -1.0))


def _costs_up_to(C: float) -> FloatArray:
    costs = [C]
    while costs[-1] > _FIRST_COST:
        costs.append(costs[-1] / _STEP)
    return np.array(costs[::-1])


def _sizes(n_features: Sequence[int] | None, total: int) -> NDArray[np.intp]:
    if n_features is None:
        return 2 ** np.arange(int(np.log2(total)) + 1)
    sizes = np.asarray(n_features)
    if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu":
        raise ValueError("n_features must be a list of whole numbers")
    if sizes.min() < 1 or sizes.max() > total:
        raise ValueError(f"n_features must lie between 1 and {total}, the number of columns of X")
    return sizes.astype(np.intp)
