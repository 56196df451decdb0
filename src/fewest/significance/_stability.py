"""Do resamples select the same features? Nogueira's index, and selection frequencies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.base import clone
from sklearn.utils import check_random_state

from fewest._estimators.abilities import selection_of
from fewest._estimators.held_out import judge_in_parallel
from fewest._estimators.splits import fit_with_groups
from fewest._estimators.validation import check_choice, check_count, check_share
from fewest._types import FloatArray, IndexArray
from fewest.machines.sfm import SupportFeatureMachine
from fewest.significance._resample import check_samples, draw_rows, find_units


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
            "one per set"
        )
    check_share("confidence", confidence, strictly=True)
    Z = Z.astype(bool)
    n_sets, d = Z.shape
    frequency, sizes = Z.mean(axis=0), Z.sum(axis=1)
    share = sizes.mean() / d
    if not 0.0 < share < 1.0:
        raise ValueError("all sets hold no feature or all of them, so no index is defined")
    spread = share * (1.0 - share)
    index = 1.0 - n_sets / (n_sets - 1) * np.mean(frequency * (1.0 - frequency)) / spread
    # Each set's influence on the index; their variance is that of the index (Nogueira et al. 2018,
    # theorem 7).
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
        Anything with `fit` that says what it selected: by `get_support` or by `coef_`.
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
    random_state : int, RandomState instance or None
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
    X, y, groups = check_samples(X, y, groups)
    rng = check_random_state(random_state)
    strata = _strata(y, groups)
    jobs = [
        (estimator, X, y, groups, draw_rows(strata, y, rng, half=resample == "half")[0])
        for _ in range(n_resamples)
    ]
    selections = judge_in_parallel(
        jobs, judge=_select, n_jobs=n_jobs, verbose=verbose, what="resamples", unit="resample"
    )
    return stability_index(np.array(list(selections)), confidence=confidence)


def _strata(y: NDArray[Any], groups: NDArray[Any] | None) -> list[list[IndexArray]]:
    """What is drawn, samples or groups: one list per class, unless a group holds several."""
    units = find_units(len(y), groups)
    if any(len(np.unique(y[rows])) > 1 for rows in units):
        return [units]
    return [[rows for rows in units if y[rows[0]] == label] for label in np.unique(y)]


def _select(
    estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None, rows: IndexArray
) -> NDArray[np.bool_]:
    own_groups = None if groups is None else groups[rows]
    return selection_of(fit_with_groups(clone(estimator), X[rows], y[rows], own_groups)).support
