"""How much a machine that chooses its features can fit: growth functions and VC dimension."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from fewest._estimators.validation import check_count
from fewest.significance import subset_separability_bounds

# Powers of two are compared in logarithms.
_ROUNDING = 1e-9


def log_growth_function(n: int, d: int, *, intercept: bool = False) -> float:
    r"""Logarithm of the number of labellings of `n` samples that hyperplanes in `d` features allow.

    .. math::

        G_d(n) = 2 \sum_{k=0}^{d-1} \binom{n-1}{k}, \qquad G_d(n) = 2^n \text{ for } n \le d

    Parameters
    ----------
    n : int
        Number of samples, in general position.
    d : int
        Number of features.
    intercept : bool
        Whether hyperplanes may miss the origin, which counts as one more feature.

    Returns
    -------
    float
        Natural logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import log_growth_function
    >>> round(np.exp(log_growth_function(n=4, d=2, intercept=True)))  # all but the two crosses
    14
    """
    bounds = subset_separability_bounds(n, d, d, intercept=intercept)
    return n * np.log(2.0) + bounds.log_lower


def log_growth_bound(n: int, d: int, d_star: int, *, intercept: bool = False) -> float:
    r"""Logarithm of an upper bound on the labellings that `d_star` of `d` features allow.

    .. math::

        G_{\binom{d}{d^*}}(n) \le \min\Big( 2^n, \; G_d(n), \; \binom{d}{d^*} G_{d^*}(n) \Big)

    Parameters
    ----------
    n : int
        Number of samples.
    d : int
        Number of features to choose from.
    d_star : int
        Number of features chosen.
    intercept : bool
        Whether hyperplanes may miss the origin.

    Returns
    -------
    float
        Natural logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import log_growth_bound
    >>> round(np.exp(log_growth_bound(n=10, d=100, d_star=1)))
    200
    """
    bounds = subset_separability_bounds(n, d, d_star, intercept=intercept)
    return n * np.log(2.0) + bounds.log_upper


def vc_dimension_bound(d: int, d_star: int, *, intercept: bool = False) -> int:
    r"""Upper bound on the VC dimension of a linear machine that chooses `d_star` of `d` features.

    The largest h with

    .. math::

        2^h \le \binom{d}{d^*} \, 2 \sum_{k=0}^{d^*-1} \binom{h-1}{k},

    or the dimension of all features if that is smaller. For one feature it is
    :math:`1 + \lfloor \log_2 d \rfloor`: the choice alone adds the logarithm.

    Parameters
    ----------
    d : int
        Number of features to choose from.
    d_star : int
        Number of features chosen.
    intercept : bool
        Whether hyperplanes may miss the origin.

    Returns
    -------
    int

    Examples
    --------
    >>> from fewest.diagnostics import vc_dimension_bound
    >>> vc_dimension_bound(d=7129, d_star=1), vc_dimension_bound(d=7129, d_star=2)
    (13, 30)
    """
    check_count("d", d)

    def exceeds(h: int) -> bool:
        bounds = subset_separability_bounds(h, d, d_star, intercept=intercept)
        return bounds.log_upper < -_ROUNDING

    return bisect_left(range(1, d + intercept + 1), True, key=exceeds)
