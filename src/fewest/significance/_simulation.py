"""What the machine makes of random data of the same shape (after Lavine)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fewest._estimators.validation import check_choice, check_count, make_dense
from fewest._types import FloatArray, IndexArray
from fewest.significance._measure import Measure, Measured, make_measure, measure_in_parallel
from fewest.significance._permutation import PermutedStatistic, compare_trials


@dataclass(frozen=True)
class ChanceSimulation:
    """Outcome of `chance_simulation`.

    `separable` is the share of random data sets that the machine could fit at all: below one only
    where it allows no errors. A statistic that was not asked for is None.
    """

    features: PermutedStatistic | None
    error: PermutedStatistic | None
    separable: float
    n_simulations: int


def chance_simulation(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    statistics: Any = "features",
    covariance: str = "independent",
    n_simulations: int = 99,
    cv: Any = 5,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ChanceSimulation:
    """How often, and with how few features, random data of the same shape are separated.

    As many samples and features and the same class sizes, drawn from one Gaussian distribution for
    all classes; the machine is fitted to each such data set as to the data themselves.

    Parameters
    ----------
    estimator : classifier, or None for SupportFeatureMachine(C=np.inf)
        The machine, as for `permutation_test`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    statistics : "features", "error" or both
        The number of features needed, and the balanced error in cross-validation.
    covariance : {"independent", "within"}
        Independent standard normal features; or the covariance of the samples within their
        classes, for features that are correlated as in the data.
    n_simulations : int
        Number of random data sets.
    cv : int or splitter
        Folds of the cross-validation.
    random_state : int, RandomState instance or None
        Seed of the random data; where `cv` is a number, also shuffles the folds.
    n_jobs : int, optional
        Processes, in joblib's sense. Each holds a random data set of the size of X.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    ChanceSimulation

    References
    ----------
    B. K. Lavine, P. C. Jurs, D. R. Henry: Chance classifications by non-parametric linear
    discriminant functions. Journal of Chemometrics 2 (1988).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import chance_simulation
    >>> X, y = make_gaussian(n=40, d=500, k=2, mu=1.5, random_state=0)
    >>> chance = chance_simulation(None, X, y, n_simulations=19, random_state=0)
    >>> chance.features.observed, chance.features.chance_median, chance.separable
    (2.0, 6.0, 1.0)
    """
    check_count("n_simulations", n_simulations)
    check_choice("covariance", covariance, ("independent", "within"))
    rng = check_random_state(random_state)
    measure, codes = make_measure(
        estimator, X, y, statistics=statistics, cv=cv, random_state=random_state
    )
    seeds = rng.randint(2**31 - 1, size=n_simulations)
    measured = measure_in_parallel(
        _measure_random,
        [(measure, codes, covariance, seed) for seed in (None, *seeds)],
        n_jobs=n_jobs,
        verbose=verbose,
        what="simulations",
    )
    found = compare_trials(measured, measure.statistics, "conservative", rng)
    asked = [one.chance for one in (found.features, found.error) if one is not None]
    separable = float(np.isfinite(asked).all(axis=0).mean())
    return ChanceSimulation(found.features, found.error, separable, n_simulations)


def _measure_random(
    measure: Measure, codes: IndexArray, covariance: str, seed: int | None
) -> Measured:
    """The measure on a new random data set; on the data themselves without a seed."""
    if seed is None:
        return measure(codes)
    rng = np.random.RandomState(seed)
    if covariance == "independent":
        return measure.on(rng.standard_normal(measure.X.shape))(codes)
    return measure.on(_draw_like(measure.X, codes, rng))(codes)


def _draw_like(X: Any, codes: IndexArray, rng: np.random.RandomState) -> FloatArray:
    """Gaussian samples whose covariance is that of X within its classes.

    Random combinations of the centred samples have it, without a matrix of d x d entries.
    """
    n, sizes = len(codes), np.bincount(codes)
    mixing = rng.standard_normal((n, n)) / np.sqrt(n - len(sizes))
    centring = np.eye(n) - (codes[:, None] == codes) / sizes[codes]
    return np.asarray(make_dense(mixing @ centring @ X), dtype=np.float64)
