"""How likely random data are separable, in all features or in a few of many.

Everything is computed in logarithms, which a million features do not overflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from fewest._estimators.validation import check_count, check_flag
from fewest._run.progress import progress_bar
from fewest._types import FloatArray

# Least squares leave this much of a target of length one where they could reach it.
_ZERO_DISTANCE = 1e-9
_MOST_SETS = 100_000  # that a simulation tries one by one


@dataclass(frozen=True)
class SeparabilityBounds:
    """Bounds on the probability that `d_star` of `d` random features separate `n` samples.

    `log_lower` and `log_upper` are their natural logarithms, which stay finite if the
    probabilities underflow. `exact` is the probability itself if it is known (one feature, or
    all of them; no intercept), otherwise None.
    """

    n: int
    d: int
    d_star: int
    intercept: bool
    lower: float
    upper: float
    exact: float | None
    log_lower: float
    log_upper: float


@dataclass(frozen=True)
class SimulatedSeparability:
    """How often random data were separable in `d_star` of `d` features, with the bounds.

    `share` is the share of `n_runs` data sets, with its `standard_error`.
    """

    share: float
    standard_error: float
    n_runs: int
    bounds: SeparabilityBounds


def separability_probability(n: int, d: int, *, intercept: bool = False) -> float:
    r"""Probability that `n` random samples with `d` features are linearly separable (Wendel).

    .. math::

        P_{d,n} = 2^{-n+1} \sum_{k=0}^{d-1} \binom{n-1}{k}, \qquad P_{d,n} = 1 \text{ for } n \le d

    It holds for any distribution that is symmetric about the origin, if no d samples lie on a
    hyperplane through it; and for any samples in general position if the labels are coin flips.

    Parameters
    ----------
    n : int
        Number of samples.
    d : int
        Number of features.
    intercept : bool
        Whether the hyperplane may miss the origin. Then labels must be coin flips, and the
        probability is that of one more feature (Cover).

    Returns
    -------
    float

    References
    ----------
    J. G. Wendel: A problem in geometric probability. Mathematica Scandinavica 11 (1962).

    Examples
    --------
    >>> from fewest.significance import separability_probability
    >>> print(f"{separability_probability(n=20, d=10):.3f}")
    0.500
    >>> separability_probability(n=20, d=20)
    1.0
    """
    check_count("n", n)
    check_count("d", d)
    return float(np.exp(_log_wendel(n, d + intercept)))


def subset_separability_bounds(
    n: int, d: int, d_star: int, *, intercept: bool = False, n_smaller: int | None = None
) -> SeparabilityBounds:
    r"""Bounds on the chance that some `d_star` of `d` random features separate `n` samples.

    .. math::

        P_{d^*,n} \le P_{d^*,d,n} \le \min\Big(1,\; P_{d,n},\; \binom{d}{d^*} P_{d^*,n}\Big)

    for independent features with symmetric distributions, and in closed form for one feature:
    :math:`P_{1,d,n} = 1 - (1 - 2^{-n+1})^d`.

    Labels are coin flips there. If it is known that `n_smaller` samples are in the smaller class,
    few labellings are left where that is a small number m, and separation is much more likely:

    .. math::

        1 - \Big(1 - 2 / \tbinom{n}{m}\Big)^d \le P \le \min\Big(1, \;
        \binom{d}{d^*} \sum_{i=0}^{d^*} \tbinom{n-1}{i} \cdot 2^{[2m = n]} / \tbinom{n}{m}\Big).

    Parameters
    ----------
    n : int
        Number of samples.
    d : int
        Number of features to choose from.
    d_star : int
        Number of features chosen.
    intercept : bool
        Whether hyperplanes may miss the origin; labels must then be coin flips, unless `n_smaller`
        is given.
    n_smaller : int, optional
        Number of samples of the smaller class, for labels that are shuffled (with an intercept).

    Returns
    -------
    SeparabilityBounds

    References
    ----------
    S. Klement, T. Martinetz: A new approach to classification with the least number of features.
    ICMLA (2010), sec. II-C.

    Examples
    --------
    >>> from fewest.significance import subset_separability_bounds
    >>> bounds = subset_separability_bounds(n=38, d=7129, d_star=2)
    >>> print(f"{bounds.upper:.4f}")
    0.0070
    """
    for name, value in (("n", n), ("d", d), ("d_star", d_star)):
        check_count(name, value)
    if d_star > d:
        raise ValueError(f"d_star = {d_star} features cannot be chosen from d = {d}")
    if n_smaller is not None:
        return _bound_shuffled(n, d, d_star, intercept, n_smaller)
    log_lower = _log_wendel(n, d_star + intercept)
    log_union = log_choose(d, d_star) + log_lower
    log_upper = min(_log_wendel(n, d + intercept), log_union)
    exact = None
    if not intercept and d_star == d:
        exact = float(np.exp(log_lower))
    elif not intercept and d_star == 1:
        # log1p(-1) for a single sample: any feature separates it.
        with np.errstate(divide="ignore"):
            exact = float(-np.expm1(d * np.log1p(-np.exp(log_lower))))
    return SeparabilityBounds(
        n=n,
        d=d,
        d_star=d_star,
        intercept=intercept,
        lower=float(np.exp(log_lower)),
        upper=float(np.exp(log_upper)),
        exact=exact,
        log_lower=log_lower,
        log_upper=log_upper,
    )


def _bound_shuffled(
    n: int, d: int, d_star: int, intercept: bool, n_smaller: int
) -> SeparabilityBounds:
    """The bounds for shuffled labels of two classes, from the numbers of labellings."""
    check_count("n_smaller", n_smaller)
    if not intercept or 2 * n_smaller > n:
        raise ValueError(
            "n_smaller is the size of the smaller of two classes, at most half of n, and needs "
            f"intercept=True; got {n_smaller} of {n}"
        )
    log_all = log_choose(n, n_smaller)
    # One feature has two labellings of these sizes: the smaller class at either end.
    share = min(1.0, 2.0 * float(np.exp(-log_all)))
    lower = float(-np.expm1(d * np.log1p(-share))) if share < 1.0 else 1.0
    log_ones = float(np.log(d) + np.log(2.0) - log_all)
    log_lower = float(np.log(lower)) if lower > 0.0 else log_ones
    # Of every two opposite labellings one has these sizes, or both where the sizes are equal.
    log_separable = _log_wendel(n, d_star + 1) + (n - 1 + (2 * n_smaller == n)) * np.log(2.0)
    log_one = min(0.0, float(log_separable - log_all))
    if d_star == 1:
        log_one = min(log_one, float(np.log(2.0) - log_all))
    log_upper = min(0.0, log_choose(d, d_star) + log_one)
    return SeparabilityBounds(
        n=n,
        d=d,
        d_star=d_star,
        intercept=True,
        lower=float(np.exp(min(log_lower, log_upper))),
        upper=float(np.exp(log_upper)),
        exact=None,
        log_lower=min(log_lower, log_upper),
        log_upper=log_upper,
    )


def simulate_separability(
    n: int,
    d: int,
    d_star: int,
    *,
    intercept: bool = False,
    n_runs: int = 1000,
    random_state: Any = None,
    verbose: int = 0,
) -> SimulatedSeparability:
    r"""Measure :math:`P_{d^*,d,n}` on normal data, as in Klement's thesis (2013, fig. 2.8).

    `n` samples of `d` independent standard normal features are drawn and labelled at random. The
    share of such data sets that some `d_star` of the features separate is the estimate. Without an
    intercept the labels do not matter: :math:`y_i x_i` is distributed like :math:`x_i`.

    Parameters
    ----------
    n : int
        Number of samples.
    d : int
        Number of features to choose from.
    d_star : int
        Number of features chosen. All :math:`\binom{d}{d^*}` sets are tried if none separates
        the samples, so this is for small numbers of sets.
    intercept : bool
        Whether hyperplanes may miss the origin. Labels are then coin flips, as for the bounds: with
        probability :math:`2^{-n+1}` all are equal, and any hyperplane far away separates them.
    n_runs : int
        Number of data sets.
    random_state : int, RandomState instance or None
        Seed of the data.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    SimulatedSeparability

    References
    ----------
    S. Klement: The Support Feature Machine: an odyssey in high-dimensional spaces. PhD thesis,
    University of Lübeck (2013), sec. 2.5.4.

    Examples
    --------
    >>> from fewest.significance import simulate_separability
    >>> found = simulate_separability(n=8, d=5, d_star=2, random_state=0)
    >>> print(f"{found.bounds.lower:.2f} <= {found.share:.2f} <= {found.bounds.upper:.2f}")
    0.06 <= 0.29 <= 0.63
    """
    check_flag("intercept", intercept)
    check_count("n_runs", n_runs)
    bounds = subset_separability_bounds(n, d, d_star, intercept=intercept)
    if comb(d, d_star) > _MOST_SETS:
        raise ValueError(
            f"{d_star} of {d} features make {comb(d, d_star):,} sets, too many to try them all for "
            f"every data set (at most {_MOST_SETS:,}). subset_separability_bounds needs no trial"
        )
    rng = check_random_state(random_state)
    sets = np.array(list(combinations(range(d), d_star)), dtype=np.intp)
    if intercept:  # a last column of ones takes part in every set
        sets = np.column_stack([sets, np.full(len(sets), d)])
    n_separable = 0
    for _ in progress_bar(range(n_runs), n_runs, verbose > 0, what="random data sets", unit="set"):
        Z = rng.standard_normal((n, d))
        if intercept:
            Z = rng.choice([-1.0, 1.0], size=(n, 1)) * np.column_stack([Z, np.ones(n)])
        n_separable += _any_set_separates(Z, sets)
    share = n_separable / n_runs
    error = float(np.sqrt(share * (1.0 - share) / n_runs))
    return SimulatedSeparability(share, error, n_runs, bounds)


def _any_set_separates(Z: FloatArray, sets: NDArray[np.intp]) -> bool:
    """Whether all rows lie in an open half-space of some of the sets of columns."""
    width = sets.shape[1]
    if width >= len(Z):
        return True
    if width == 1:
        return bool(np.any(np.all(Z > 0.0, axis=0) | np.all(Z < 0.0, axis=0)))
    if width == 2:  # in the plane: no rows for half of a turn
        angles = np.sort(np.arctan2(Z[:, sets[:, 1]], Z[:, sets[:, 0]]), axis=0)
        gaps = np.diff(angles, axis=0, append=angles[:1] + 2.0 * np.pi)
        return bool(np.any(gaps > np.pi))
    if len(sets) > 1 and not _in_half_space(Z):
        return False
    return any(_in_half_space(Z[:, chosen]) for chosen in sets)


def _in_half_space(Z: FloatArray) -> bool:
    """Whether all rows lie in an open half-space: zero is then no convex combination of them."""
    system = np.vstack([Z.T, np.ones(len(Z))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    return bool(nnls(system, target)[1] > _ZERO_DISTANCE)


def log_choose(n: int, k: int) -> float:
    """Logarithm of the number of ways to choose k of n.

    A sum of logarithms: differences of the gamma function's would lose digits for large n.
    """
    k = min(k, n - k)
    below = np.arange(k)
    return float(np.log((n - below) / (k - below)).sum())


def _log_wendel(n: int, d: int) -> float:
    if n <= d:
        return 0.0
    k = np.arange(d - 1)
    log_terms = np.concatenate([[0.0], np.cumsum(np.log((n - 1 - k) / (k + 1)))])
    return min(0.0, float(logsumexp(log_terms) - (n - 1) * np.log(2.0)))
