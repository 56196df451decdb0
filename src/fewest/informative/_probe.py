"""Folds, and in them errors of support vector machines: on what remains, and on random features.

Klement, Anders & Martinetz (2013) subtract what is removed from the kernel matrix. Adding what
remains, from the last features to the first, reads every column once as well, but nothing cancels:
with 50 of 50,000 features left, the difference of two large sums would have lost three digits, and
drifts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.utils import check_random_state, check_X_y

from fewest._estimators.held_out import judge_in_parallel
from fewest._estimators.many_samples import MOST_COMPARED, draw_subsample
from fewest._estimators.splits import (
    balanced_error,
    check_groups,
    find_smallest_class,
    require_all_classes,
    split_folds,
)
from fewest._estimators.validation import (
    check_count,
    check_positive,
    encode_classes,
    standardize_columns,
)
from fewest._gaps import fill_all, has_gaps
from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._sparse import check_sparse
from fewest._types import FloatArray, IndexArray
from fewest.informative._votes import predict_along_costs, weigh_classes_equally

_FOLDS = 5
_MOST_INNER_FOLDS = 10  # of a subsample
_FIRST_COST = 0.1
_WIDTH = 4096  # columns that are made explicit at a time
COSTS: FloatArray = 10.0 ** np.arange(-8.0, 9.0)


def check_classes(name: str, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], FloatArray]:
    """X as an array or sparse matrix, the labels, and their places among the classes."""
    check_sparse(X, "X")
    checked, labels = check_X_y(fill_all(X), y, accept_sparse=("csr", "csc"), dtype="numeric")
    X = X if has_gaps(X) else checked  # folds fill gaps in
    _, codes = encode_classes(name, labels)
    return X, labels, codes.astype(np.float64)


def chance_error(y: FloatArray) -> float:
    """The balanced error of guessing."""
    return 1.0 - 1.0 / len(np.unique(y))


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of X to train on and to test on, and the inner fold of each row to train on."""

    training: IndexArray
    test: IndexArray
    inner: IndexArray


def make_folds(
    y: NDArray[Any], groups: NDArray[Any] | None, cv: Any, random_state: Any = None
) -> list[Fold]:
    """Leave one group out, or stratified folds where there are no groups; the same inside.

    A number stands for that many stratified folds (of whole groups), and a splitter for itself.
    """
    if cv is None and groups is not None:
        try:
            require_all_classes(groups, y)
        except ValueError as error:
            raise ValueError(f"{error}. Or leave out several groups at a time: cv=5") from error
        cv = LeaveOneGroupOut()
    splits = split_folds(_FOLDS if cv is None else cv, y, groups, random_state=random_state)
    folds, n_classes = [], len(np.unique(y))
    for number, (training, test) in enumerate(splits):
        if len(np.unique(y[test])) < n_classes:
            every = "both" if n_classes == 2 else "all"
            raise ValueError(
                f"the test part of split {number} does not hold {every} classes. Use fewer folds, "
                "or another splitter"
            )
        own_groups = None if groups is None else groups[training]
        folds.append(Fold(training, test, _inner_folds(y[training], own_groups)))
    return folds


def _inner_folds(y: NDArray[Any], groups: NDArray[Any] | None) -> IndexArray:
    """The inner fold of each training sample; each leaves samples of all classes to train on."""
    if groups is not None:
        inner = np.unique(groups, return_inverse=True)[1]
        if _leaves_all_classes(y, inner):
            return inner
    inner = np.empty(len(y), dtype=np.intp)
    n_folds = min(_FOLDS, find_smallest_class(y, None)[1])
    for number, (_, rows) in enumerate(split_folds(max(2, n_folds), y)):
        inner[rows] = number
    return inner


def _leaves_all_classes(y: NDArray[Any], inner: IndexArray) -> bool:
    """Whether all classes are left to train on without any of the folds."""
    n_classes = len(np.unique(y))
    return all(len(np.unique(y[inner != fold])) == n_classes for fold in range(inner.max() + 1))


def standardize_fold(X: Any, fold: Fold) -> Columns:
    """All samples, standardised on the training ones."""
    trained = standardize_columns(X[fold.training])
    return Columns(X, trained.mean, trained.inverse_scale)


def pick_samples(
    columns: Columns, y: FloatArray, fold: Fold, max_samples: int | None
) -> tuple[Columns, Fold, IndexArray]:
    """At most so many samples of a fold, classes in their shares, and which rows they are.

    A kernel matrix of all pairs of more would not fit into memory. Inner folds are those of the
    fold, up to ten of them together.
    """
    n = columns.n_samples
    if max_samples is None or n <= max_samples:
        return columns, fold, np.arange(n)
    most = round(max_samples * len(fold.training) / (len(fold.training) + len(fold.test)))
    chosen = draw_subsample(y[fold.training], most)
    training = fold.training[chosen]
    test = fold.test[draw_subsample(y[fold.test], max_samples - most)]
    inner = np.unique(fold.inner[chosen], return_inverse=True)[1] % _MOST_INNER_FOLDS
    if not _leaves_all_classes(y[training], inner):
        inner = _inner_folds(y[training], None)
    rows = np.concatenate([training, test])
    places = np.arange(len(rows))
    picked = Fold(places[: len(training)], places[len(training) :], inner)
    return columns.rows(rows), picked, rows


def kernels_of_rest(columns: Columns, blocks: Sequence[IndexArray]) -> Iterator[FloatArray]:
    """Gram matrices of blocks k, k + 1, ..., for k from the last block to the first.

    They are divided by the number of features that vary: samples have norm one, and a cost means
    the same for any number of features. The array belongs to the caller.
    """
    total = np.zeros((columns.n_samples, columns.n_samples))
    n_features = 0
    for block in reversed(blocks):
        for start in range(0, len(block), _WIDTH):
            part = columns.take(block[start : start + _WIDTH])
            total += part @ part.T
        n_features += int(np.count_nonzero(columns.inverse_scale[block]))
        yield total / max(n_features, 1)


def probe(
    columns: Columns,
    blocks: Sequence[IndexArray],
    y: FloatArray,
    fold: Fold,
    labellings: FloatArray,
    chance_places: NDArray[np.intp],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Train on blocks k, k + 1, ... for every k; test on the samples that the fold leaves out.

    Returns the errors and the chosen costs for every k, and the errors for other labels: one row
    per place of `chance_places`, one column per labelling.

    Parameters
    ----------
    columns : Columns
        All samples, standardised on the training ones.
    blocks : sequence of arrays of int
        Features in the order in which they are removed.
    y : array of shape (n_samples,)
        Classes, as numbers.
    fold : Fold
        Training, inner and test samples.
    labellings : array of shape (n_labellings, n_samples)
        Other classes to repeat it with.
    chance_places : array of int
        After how many blocks.
    """
    errors, chosen = np.empty(len(blocks)), np.empty(len(blocks))
    chance = np.empty((len(chance_places), len(labellings)))
    for step, K in enumerate(kernels_of_rest(columns, blocks)):
        place = len(blocks) - 1 - step
        errors[place], chosen[place] = _probe_once(K, y, fold)
        for row in np.flatnonzero(chance_places == place):
            chance[row] = [_probe_once(K, labels, fold)[0] for labels in labellings]
    return errors, chosen, chance


def _probe_once(K: FloatArray, y: FloatArray, fold: Fold) -> tuple[float, float]:
    predicted, place = predict_nested(K, y, fold, COSTS)
    return balanced_error(y[fold.test], predicted), float(COSTS[place])


def predict_nested(
    K: FloatArray, y: FloatArray, fold: Fold, costs: FloatArray
) -> tuple[FloatArray, int]:
    """Labels of the test samples, at the cost with the smallest balanced error in the inner folds.

    If several costs are best, the smallest is used; its place is returned too.
    """
    labels = y[fold.training]
    weights, errors = weigh_classes_equally(labels), np.zeros(len(costs))
    for number in range(fold.inner.max() + 1):
        held_out = fold.inner == number
        rows = fold.training[~held_out], fold.training[held_out]
        errors += (predict_along_costs(K, y, *rows, costs) != labels[held_out]) @ weights[held_out]
    # Sums of the same numbers in another order must count as equal.
    best = int(np.argmin(errors.round(9)))
    return predict_along_costs(K, y, fold.training, fold.test, costs[: best + 1])[best], best


@dataclass(frozen=True, eq=False, repr=False)
class RandomSubsets(Shown):
    """Cross-validated errors of machines on random subsets of features.

    Attributes
    ----------
    n_features : array of shape (n_sizes,)
        How many features were drawn.
    errors : array of shape (n_sizes, n_subsets)
        Mean over the folds of the balanced error.
    n_samples : int
        Largest number of samples that the machines of a fold used; None if not known.
    chance : float
        The balanced error of guessing: one half for two classes.
    """

    n_features: NDArray[np.intp]
    errors: FloatArray
    n_samples: int | None = None
    chance: float = 0.5

    @property
    def below_chance(self) -> FloatArray:
        """Share of the subsets of each size with an error below that of guessing."""
        return np.mean(self.errors < self.chance, axis=1)


def random_subset_errors(
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    n_features: Sequence[int] | None = None,
    n_subsets: int = 100,
    C: float = 100.0,
    max_samples: int | None = MOST_COMPARED,
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
        Class labels, two or more different ones. With more than two, there is one machine for every
        two classes, and their votes decide.
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
    max_samples : int or None
        If there are more samples than this, that many are drawn at random in every fold (always the
        same ones, in proportion to the sizes of the classes) to train and test on; None uses all,
        which takes memory for a matrix of all pairs.
    random_state : int, RandomState instance or None
        Seed of the draws; if `cv` is a number, also shuffles the folds.
    n_jobs : int, optional
        Processes, as in joblib.
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
    X, labels, codes = check_classes("random_subset_errors", X, y)
    check_count("n_subsets", n_subsets)
    check_positive("C", C)
    check_count("max_samples", max_samples, or_none=True)
    sizes = _sizes(n_features, X.shape[1])
    folds = make_folds(labels, check_groups(groups, len(codes)), cv, random_state)
    rng = check_random_state(random_state)
    subsets = [
        rng.choice(X.shape[1], size, replace=False) for size in sizes for _ in range(n_subsets)
    ]
    # The machine is led through smaller costs to its own: each starts where the last one ended.
    steps = max(0, math.ceil(math.log10(C / _FIRST_COST) - 1e-9))
    costs = C / 10.0 ** np.arange(steps, -1, -1)
    jobs = [(X, codes, fold, subsets, costs, max_samples) for fold in folds]
    found = judge_in_parallel(
        jobs, judge=_measure_fold, n_jobs=n_jobs, verbose=verbose, what="random subsets"
    )
    errors, counts = zip(*found, strict=True)
    mean = np.mean(errors, axis=0).reshape(len(sizes), n_subsets)
    return RandomSubsets(sizes, mean, max(counts), chance_error(codes))


def _measure_fold(
    X: Any,
    y: FloatArray,
    fold: Fold,
    subsets: list[IndexArray],
    costs: FloatArray,
    max_samples: int | None,
) -> tuple[list[float], int]:
    """Errors on all subsets, and how many samples they come from."""
    columns, fold, rows = pick_samples(standardize_fold(X, fold), y, fold, max_samples)
    y, errors = y[rows], []
    for subset in subsets:
        (K,) = kernels_of_rest(columns, [subset])
        predicted = predict_along_costs(K, y, fold.training, fold.test, costs)[-1]
        errors.append(balanced_error(y[fold.test], predicted))
    return errors, len(rows)


def _sizes(n_features: Sequence[int] | None, total: int) -> NDArray[np.intp]:
    if n_features is None:
        return 2 ** np.arange(int(np.log2(total)) + 1)
    sizes = np.asarray(n_features)
    if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu":
        raise ValueError("n_features must be a list of whole numbers")
    if sizes.min() < 1 or sizes.max() > total:
        raise ValueError(f"n_features must lie between 1 and {total}, the number of columns of X")
    return sizes.astype(np.intp)
