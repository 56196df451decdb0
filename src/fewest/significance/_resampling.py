"""Resamples with all classes: the bootstrap error, and how stable a selection is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import make_scorer, zero_one_loss
from sklearn.utils import check_random_state

from fewest._estimators.abilities import selection_of
from fewest._estimators.copies import warn_of_copies
from fewest._estimators.held_out import judge_fold, judge_in_parallel
from fewest._estimators.many_samples import find_members, hold_several
from fewest._estimators.splits import balanced_error, check_groups, fit_within
from fewest._estimators.validation import check_choice, check_count, check_data
from fewest._gaps import fill_all, has_gaps
from fewest._run.budget import Budget, take_in_time
from fewest._showing import Shown
from fewest._solvers.many.arrays import is_device_array
from fewest._types import FloatArray, IndexArray
from fewest.machines.sfm import SupportFeatureMachine

_MOST_DRAWS = 100
# For `scoring` in scikit-learn, where larger is better: minus the balanced error.
balanced_error_scorer = make_scorer(balanced_error, greater_is_better=False)


def check_samples(
    X: Any, y: ArrayLike, groups: ArrayLike | None, estimator: Any = None
) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
    """All three in a form of which rows can be taken; on a device if the estimator can use it."""
    if is_device_array(X) and estimator is not None:
        X, labels = check_data(clone(estimator), X, y)
    elif has_gaps(X):  # which folds fill in
        _, labels = check_data(BaseEstimator(), fill_all(X), y)
    else:
        X, labels = check_data(BaseEstimator(), X, y, may_read_blocks=True)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    groups = check_groups(groups, len(labels))
    warn_of_copies(X, labels, groups)
    return X, labels, groups


# What is drawn: the rows of each group, or single rows in one array.
Units = list[IndexArray] | IndexArray


def find_units(n_samples: int, groups: NDArray[Any] | None) -> Units:
    """The rows of each unit that is drawn: of every group, or single samples."""
    return np.arange(n_samples) if groups is None else find_members(groups)


def draw_rows(
    strata: list[Units],
    y: NDArray[Any],
    rng: np.random.RandomState,
    *,
    half: bool = False,
    classes_outside: bool = False,
) -> tuple[IndexArray, IndexArray]:
    """Rows inside (some several times) and outside; there are all classes inside.

    From each stratum as many units are drawn as it has, with replacement; or `half` of them
    without. Where the rows outside need all classes too, it is drawn until they have them.
    """
    n_classes = len(np.unique(y))
    for _ in range(_MOST_DRAWS):
        drawn = []
        for units in strata:
            size = max(1, len(units) // 2) if half else len(units)
            places = rng.choice(len(units), size, replace=not half)
            if isinstance(units, np.ndarray):
                drawn.append(units[places])
            else:
                drawn += [units[place] for place in places]
        inside = np.concatenate(drawn)
        outside = find_outside(inside, len(y))
        parts = (inside, outside) if classes_outside else (inside,)
        if all(len(np.unique(y[rows])) == n_classes for rows in parts):
            return inside, outside
    raise ValueError(
        f"{_MOST_DRAWS} resamples all lacked a class: a class has too few samples (or groups)"
    )


def find_outside(inside: IndexArray, n_samples: int) -> IndexArray:
    """The rows that were not drawn."""
    return np.flatnonzero(np.bincount(inside, minlength=n_samples) == 0)


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap632(Shown):
    """Outcome of `bootstrap_632`: mean errors, and those of every resample.

    `test_error` is that on the samples that were not drawn, and the one to report: `error` is the
    same number. `training_error`, on those that were drawn, is no estimate of any error.
    """

    test_error: float
    training_error: float
    test_errors: FloatArray = field(repr=False)
    training_errors: FloatArray = field(repr=False)

    @property
    def error(self) -> float:
        """The estimate: the error on samples that were not drawn."""
        return self.test_error


def bootstrap_632(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_resamples: int = 50,
    error: str = "balanced",
    groups: ArrayLike | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Bootstrap632:
    """Estimate the error on samples that a bootstrap sample leaves out.

    A machine is fitted to n samples drawn with replacement, which are 63.2 % of all samples on
    average; its error on the others is averaged over the resamples. It is a little too large, since
    a machine of all samples knows more.

    The weights of Efron (1983), which give the name, correct that by 0.368 times the training
    error, and those of the .632+ bootstrap (Efron & Tibshirani 1997) by less. Neither is reported:
    where features are selected, training errors are small whatever the classes are. On noise, where
    guessing has an error of 0.5, the mean is 0.32 to 0.35 by the first and 0.48 by the second, and
    0.50 to 0.51 on the samples left out (``python -m benchmarks.honest_numbers``).

    Parameters
    ----------
    estimator : classifier
        Cloned and fitted to every resample, including its selection of features.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    n_resamples : int
        How many.
    error : {"balanced", "plain"}
        Mean of the classes' error rates, or share of wrong samples.
    groups : array of shape (n_samples,), optional
        Draw whole groups of samples that belong together.
    random_state : int, RandomState instance or None
        Seed of the draws.
    n_jobs : int, optional
        Processes, as in joblib.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    Bootstrap632

    References
    ----------
    B. Efron: Estimating the error rate of a prediction rule: improvement on cross-validation.
    JASA 78 (1983).

    B. Efron, R. Tibshirani: Improvements on cross-validation: the .632+ bootstrap method. JASA 92
    (1997).

    Examples
    --------
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import bootstrap_632
    >>> X, y = make_gaussian(n=60, d=100, k=2, mu=1.5, random_state=0)
    >>> found = bootstrap_632(SupportFeatureMachine(), X, y, n_resamples=10, random_state=0)
    >>> print(f"{found.error:.2f}, and {found.training_error:.2f} on the training samples")
    0.04, and 0.00 on the training samples
    """
    check_count("n_resamples", n_resamples)
    check_choice("error", error, ("balanced", "plain"))
    X, y, groups = check_samples(X, y, groups)
    rng = check_random_state(random_state)
    strata = [find_units(len(y), groups)]
    rate = balanced_error if error == "balanced" else zero_one_loss
    jobs = [
        (estimator, X, y, groups, _draw_compactly(strata, y, rng, classes_outside=True), rate)
        for _ in range(n_resamples)
    ]
    errors = list(
        judge_in_parallel(
            jobs,
            judge=_measure_resample,
            n_jobs=n_jobs,
            verbose=verbose,
            what="bootstrap",
            unit="resample",
        )
    )
    test_errors, training_errors = np.array(errors).T
    return Bootstrap632(
        test_error=float(test_errors.mean()),
        training_error=float(training_errors.mean()),
        test_errors=test_errors,
        training_errors=training_errors,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Shown):
    """How alike the selected sets are.

    `index` is one for equal sets and zero (on average) for random ones. `frequency` is the share of
    resamples that select each feature, and `sizes` the number of features that each resample
    selects. There is no interval: resamples are of the same samples, and say nothing of others.
    """

    index: float
    frequency: FloatArray = field(repr=False)
    sizes: IndexArray = field(repr=False)


def stability_index(selections: ArrayLike) -> Stability:
    r"""Nogueira's stability of selected sets.

    For M sets, with the share :math:`p_f` of them that contain feature f and the mean size k,

    .. math::

        \Phi = 1 - \frac{\frac1d \sum_f \frac{M}{M-1} p_f (1 - p_f)}{\frac kd (1 - \frac kd)}

    Parameters
    ----------
    selections : array of shape (n_sets, n_features), bool
        Which features each set contains.

    Returns
    -------
    Stability

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown: On the stability of feature selection algorithms. JMLR 18
    (2018).

    Examples
    --------
    >>> from fewest.significance import stability_index
    >>> found = stability_index([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 0]])
    >>> print(f"{found.index:.3f}")
    0.444
    >>> found.frequency.round(2)
    array([1.  , 0.67, 0.33, 0.  , 0.  ])
    """
    Z = np.asarray(selections)
    if Z.ndim != 2 or len(Z) < 2 or not np.all((Z == 0) | (Z == 1)):
        raise ValueError(
            "selections must be a table of zeros and ones (or booleans) with at least two rows, "
            "one per set"
        )
    Z = Z.astype(bool)
    n_sets, d = Z.shape
    frequency, sizes = Z.mean(axis=0), Z.sum(axis=1)
    share = sizes.mean() / d
    if not 0.0 < share < 1.0:
        raise ValueError("all sets hold no feature or all of them, so no index is defined")
    spread = share * (1.0 - share)
    index = 1.0 - n_sets / (n_sets - 1) * np.mean(frequency * (1.0 - frequency)) / spread
    return Stability(index=float(index), frequency=frequency, sizes=sizes)


def stability(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    n_resamples: int = 50,
    resample: str = "bootstrap",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Stability:
    """Select features in many resamples of the data, and measure how much the sets agree.

    Parameters
    ----------
    estimator : selector, or None for SupportFeatureMachine()
        Anything with `fit` and either `get_support` or `coef_`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    groups : array of shape (n_samples,), optional
        Samples of the same group are drawn together or not at all.
    n_resamples : int
        How many, at least two.
    resample : {"bootstrap", "half"}
        As many samples (or groups) as in the data, drawn with replacement; or half of them
        without. Both keep the shares of the classes, unless groups contain several classes.
    random_state : int, RandomState instance or None
        Seed of the resamples.
    n_jobs : int, optional
        Processes, as in joblib.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import stability
    >>> X, y = make_gaussian(n=100, d=50, k=2, mu=1.5, random_state=0)
    >>> found = stability(None, X, y, n_resamples=20, random_state=0)
    >>> sorted(found.frequency.argsort()[-2:].tolist())
    [0, 1]
    """
    check_count("n_resamples", n_resamples)
    check_choice("resample", resample, ("bootstrap", "half"))
    estimator = SupportFeatureMachine() if estimator is None else estimator
    X, y, groups = check_samples(X, y, groups)
    rng = check_random_state(random_state)
    selections = select_in_resamples(
        estimator,
        X,
        y,
        groups,
        rng,
        n_resamples=n_resamples,
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return stability_index(selections)


def select_in_resamples(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    rng: np.random.RandomState,
    *,
    n_resamples: int,
    resample: str = "bootstrap",
    budget: Budget | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> NDArray[np.bool_]:
    """Which features are selected, one row per resample of the samples (or groups).

    When time is over, no further resample is begun; there is one at least, or an OutOfTimeError.
    """
    strata = find_strata(y, groups)
    jobs = [
        (estimator, X, y, groups, _draw_compactly(strata, y, rng, half=resample == "half"))
        for _ in range(n_resamples)
    ]
    selections = judge_in_parallel(
        jobs, judge=_select, n_jobs=n_jobs, verbose=verbose, what="resamples", unit="resample"
    )
    budget = budget or Budget(None)
    found = list(take_in_time(selections, budget))
    if not found:
        raise budget.refuse("resamples", "this panel")
    return np.array(found)


def _draw_compactly(strata: list[Units], y: NDArray[Any], *how: Any, **more: Any) -> Any:
    """The rows inside of one resample, small enough to hold those of all resamples at once."""
    return draw_rows(strata, y, *how, **more)[0].astype(np.min_scalar_type(len(y)))


def find_strata(y: NDArray[Any], groups: NDArray[Any] | None) -> list[Units]:
    """What is drawn, samples or groups: one list per class, unless a group holds several."""
    if groups is None:
        return list(find_members(y))
    units = find_members(groups)
    if hold_several(y, groups).any():
        return [units]
    classes = y[[rows[0] for rows in units]]
    return [[units[place] for place in places] for places in find_members(classes)]


def _measure_resample(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    rows: NDArray[Any],
    rate: Any,
) -> tuple[float, float]:
    """Errors of a machine on the samples that were not drawn, and on those that were."""
    inside = rows.astype(np.intp)
    outside = find_outside(inside, len(y))
    fold = judge_fold(estimator, X, y, groups, inside, np.append(outside, inside))
    new, seen = np.split(fold.predicted, [len(outside)])
    return rate(y[outside], new), rate(y[inside], seen)


def _select(
    estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None, rows: NDArray[Any]
) -> NDArray[np.bool_]:
    own_groups = None if groups is None else groups[rows]
    return selection_of(fit_within(clone(estimator), X[rows], y[rows], own_groups)).support
