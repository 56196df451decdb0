"""Do resamples select the same features? Nogueira's index, and selection frequencies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.base import BaseEstimator, clone

from fewest._estimators.splits import check_groups
from fewest._estimators.validation import check_choice, check_count, check_data
from fewest._run.progress import interrupts_ignored, progress_bar
from fewest._types import FloatArray, IndexArray
from fewest.machines.sfm import SupportFeatureMachine

_MOST_DRAWS = 50


@dataclass(frozen=True, eq=False)
class Stability:
    """How alike the selected sets are.

    `index` is one for equal sets and zero (on average) for random ones; `interval` is its
    confidence interval. `frequency` is the share of resamples that select each feature, and `sizes`
    the number of features that each resample selects.
    """

    index: float
    interval: tuple[float, float]
    confidence: float
    frequency: FloatArray = field(repr=False)
    sizes: IndexArray = field(repr=False)


def stability_index(selections: ArrayLike, *, confidence: float = 0.95) -> Stability:
    r"""Nogueira's stability of selected sets, with its confidence interval.

    For M sets, with the share :math:`p_f` of them that hold feature f and the mean size k,

    .. math::

        \Phi = 1 - \frac{\frac1d \sum_f \frac{M}{M-1} p_f (1 - p_f)}{\frac kd (1 - \frac kd)}

    Parameters
    ----------
    selections : array of shape (n_sets, n_features), bool
        Which features each set holds.
    confidence : float
        Level of the interval, from the index's asymptotic normal distribution.

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
            "one a set"
        )
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1; got {confidence!r}")
    Z = Z.astype(bool)
    n_sets, d = Z.shape
    frequency, sizes = Z.mean(axis=0), Z.sum(axis=1)
    share = sizes.mean() / d
    if not 0.0 < share < 1.0:
        raise ValueError("all sets hold no feature or all of them, so that no index is defined")
    spread = share * (1.0 - share)
    index = 1.0 - n_sets / (n_sets - 1) * np.mean(frequency * (1.0 - frequency)) / spread
    # Each set's influence on the index; their variance is that of the index (theorem 7 there).
    overlap = np.array([frequency[row].sum() for row in Z]) / d
    own = sizes / d
    influence = (overlap - own * share + index / 2 * (2 * share * own - own - share + 1.0)) / spread
    deviation = 2.0 / n_sets * np.sqrt(np.sum((influence - influence.mean()) ** 2))
    reach = norm.ppf((1.0 + confidence) / 2.0) * deviation
    return Stability(
        index=float(index),
        interval=(float(index - reach), float(min(1.0, index + reach))),
        confidence=confidence,
        frequency=frequency,
        sizes=sizes,
    )


def stability(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    n_resamples: int = 50,
    resample: str = "bootstrap",
    confidence: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Stability:
    """Select features in many resamples of the data, and measure how much the sets agree.

    Parameters
    ----------
    estimator : selector, or None for SupportFeatureMachine()
        Anything with `fit` and `get_support`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    groups : array of shape (n_samples,), optional
        Samples of the same group are drawn together or not at all.
    n_resamples : int
        How many, at least two.
    resample : {"bootstrap", "half"}
        As many samples (or groups) as the data has, drawn with replacement; or half of them
        without. Classes keep their shares in either, unless groups hold several classes.
    confidence : float
        Level of the confidence interval.
    random_state : int, Generator or None
        Seed of the resamples.
    n_jobs : int, optional
        Processes, in joblib's sense.
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
    X, y = check_data(BaseEstimator(), X, y)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    rng = np.random.default_rng(random_state)
    strata = _strata(y, check_groups(groups, len(y)))
    draws = [_draw(strata, y, resample, rng) for _ in range(n_resamples)]
    with interrupts_ignored():
        found = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(_selected)(estimator, X, y, rows) for rows in draws
        )
    selections = list(
        progress_bar(found, n_resamples, verbose > 0, what="resamples", unit="resample")
    )
    return stability_index(np.array(selections), confidence=confidence)


def _strata(y: NDArray[Any], groups: NDArray[Any] | None) -> list[list[IndexArray]]:
    """What is drawn, samples or groups, as lists of rows: a list a class where there are such."""
    if groups is None:
        units = [np.array([row]) for row in range(len(y))]
    else:
        units = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    if any(len(np.unique(y[rows])) > 1 for rows in units):
        return [units]
    return [[rows for rows in units if y[rows[0]] == label] for label in np.unique(y)]


def _draw(
    strata: list[list[IndexArray]], y: NDArray[Any], resample: str, rng: np.random.Generator
) -> IndexArray:
    """Rows of a resample that has all classes."""
    for _ in range(_MOST_DRAWS):
        drawn = []
        for units in strata:
            half = resample == "half"
            size = max(1, len(units) // 2) if half else len(units)
            drawn += [units[place] for place in rng.choice(len(units), size, replace=not half)]
        rows = np.concatenate(drawn)
        if len(np.unique(y[rows])) == len(np.unique(y)):
            return rows
    raise ValueError(
        f"{_MOST_DRAWS} resamples of the groups in turn lacked a class: name smaller groups, or "
        "none"
    )


def _selected(estimator: Any, X: Any, y: Any, rows: IndexArray) -> NDArray[np.bool_]:
    return np.asarray(clone(estimator).fit(X[rows], y[rows]).get_support())
