"""How likely random data are separable, in all features or in a few of many.

Everything is computed in logarithms, which a million features do not overflow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from fewest._estimators.validation import check_count


@dataclass(frozen=True)
class SeparabilityBounds:
    """Bounds on the probability that `d_star` of `d` random features separate `n` samples.

    `log_lower` and `log_upper` are their natural logarithms, which stay finite where the
    probabilities underflow. `exact` is the probability itself where it is known (one feature, or
    all of them; no intercept), else None.
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
    n: int, d: int, d_star: int, *, intercept: bool = False
) -> SeparabilityBounds:
    r"""Bounds on the chance that some `d_star` of `d` random features separate `n` samples.

    .. math::

        P_{d^*,n} \le P_{d^*,d,n} \le \min\Big(1,\; P_{d,n},\; \binom{d}{d^*} P_{d^*,n}\Big)

    for independent features with symmetric distributions, and in closed form for one feature:
    :math:`P_{1,d,n} = 1 - (1 - 2^{-n+1})^d`.

    Parameters
    ----------
    n : int
        Number of samples.
    d : int
        Number of features to choose from.
    d_star : int
        Number of features chosen.
    intercept : bool
        Whether hyperplanes may miss the origin; labels must be coin flips then.

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
