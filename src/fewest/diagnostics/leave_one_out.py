"""Will leave-one-out tell the truth about a support vector machine?

With many more features than samples, these sit on the corners of a simplex, and the machine's
hyperplane halves the segment between the class means. Whether it puts a sample x of class X on its
side depends on the sign of

    |x - mean(Y)|^2 - |x - mean(X)|^2  ~  d (mu^2 + tau^2 / l - sigma^2 / k)  +-  fluctuations,

with k and l training samples of variance sigma^2 and tau^2 a feature. Leaving x out makes k smaller
by one: the mean of its class moves away from it, which may turn the sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.utils import check_consistent_length, column_or_1d

from fewest._estimators.validation import check_positive, encode_two_classes
from fewest._types import FloatArray
from fewest.diagnostics._geometry import columns_of, gram
from fewest.diagnostics.concentration import trace_estimates

# An estimate this close to what new samples would show is honest, and this close to 0 or 1 there.
_CLOSE = 0.1

_WORDS = {
    "one": "would be near 1 even where new samples are classified correctly: leaving a sample out "
    "moves its class's mean away from it",
    "zero": "would be near 0, as the error of new samples",
    "honest": "would be close to the error of new samples",
    "pessimistic": "would be above the error of new samples: leaving a sample out moves its "
    "class's mean away from it",
    "optimistic": "would be below the error of new samples",
}


@dataclass(frozen=True)
class LooReliability:
    """What leave-one-out would say about a support vector machine on these data.

    `sigma2` and `tau2` are the mean variances of the first and the second class, `mu2` the mean
    squared difference of their means (without bias; negative by chance) and `mu2_error` its
    standard error. `limit_error` is the leave-one-out error that many more features of this kind
    would lead to, `predicted_error` that to be expected at this number of features, and
    `new_sample_error` the error of samples that had no part in it. `critical_n` is the number of
    samples (in equal classes) above which leave-one-out tends to 0 instead of 1, infinite where
    the classes do not differ. `effective_dimension` is d + 1 / C. `verdict` is "one", "zero",
    "honest", "pessimistic" or "optimistic".
    """

    sigma2: float
    tau2: float
    mu2: float
    mu2_error: float
    limit_error: float
    predicted_error: float
    new_sample_error: float
    critical_n: float
    effective_dimension: float
    verdict: str

    @property
    def explanation(self) -> str:
        """The verdict in a sentence."""
        return (
            f"Leave-one-out with a linear support vector machine {_WORDS[self.verdict]} "
            f"(about {self.predicted_error:.0%} against {self.new_sample_error:.0%})."
        )


def loo_reliability(
    X: Any, y: ArrayLike, *, C: float = np.inf, standardize: bool = False
) -> LooReliability:
    r"""Predict whether leave-one-out tends to 0, to 1, or stays honest.

    In high dimension a left-out sample of the first class, of k, is classified correctly if

    .. math::

        \mu^2 > \frac{\sigma^2 + 1/(Cd)}{k - 1} - \frac{\tau^2 + 1/(Cd)}{l}

    and likewise for the second one. At a finite number of features both sides fluctuate; errors
    follow from a normal approximation, in which correlated features count as fewer.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Two classes with at least two samples each.
    C : float
        Softness of the machine with squared slacks; ``np.inf`` for a hard margin. It refers to X
        as it enters, like d + 1 / C.
    standardize : bool
        Standardise columns first (implicitly); the default takes X as it is, as the machine
        would.

    Returns
    -------
    LooReliability

    References
    ----------
    P. Hall, J. S. Marron, A. Neeman: Geometric representation of high dimension, low sample size
    data. JRSS B 67 (2005).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import loo_reliability
    >>> X = np.random.default_rng(0).standard_normal((20, 100_000))
    >>> noise = loo_reliability(X, np.arange(20) % 2)
    >>> noise.verdict, noise.limit_error
    ('one', 1.0)
    """
    check_positive("C", C, infinity="for a hard margin")
    columns = columns_of(X, standardize)
    y = column_or_1d(y)
    check_consistent_length(columns.X, y)
    _, codes = encode_two_classes("loo_reliability", y)
    k, l = np.bincount(codes)  # noqa: E741
    if min(k, l) < 2 or k + l < 5:
        raise ValueError(
            f"loo_reliability needs two samples of each class and five in all; got {k} and {l}"
        )
    moments = _Moments.of(gram(columns), codes, columns.n_features)
    return _judged(moments, int(k), int(l), columns.n_features, C)


@dataclass(frozen=True)
class _Moments:
    """Per feature: variances within the classes and squared difference of the means.

    `square` is the sum of the squared eigenvalues of the covariance within classes, by d^2.
    """

    sigma2: float
    tau2: float
    mu2: float
    square: float

    @classmethod
    def of(cls, products: FloatArray, codes: Any, d: int) -> _Moments:
        """All from inner products of the samples."""
        n = len(codes)
        centring = np.eye(n)
        sizes = np.bincount(codes)
        for code in (0, 1):
            rows = np.flatnonzero(codes == code)
            centring[np.ix_(rows, rows)] -= 1.0 / len(rows)
        within = centring @ products @ centring
        sigma2, tau2 = (
            np.diag(within)[codes == code].sum() / ((sizes[code] - 1) * d) for code in (0, 1)
        )
        contrast = np.where(codes == 0, 1.0 / sizes[0], -1.0 / sizes[1])
        distance = contrast @ products @ contrast / d
        _, of_squares = trace_estimates(within, n - 2)
        # No fewer than one direction, and no more than d.
        least = ((sizes[0] * sigma2 + sizes[1] * tau2) / n) ** 2
        return cls(
            float(sigma2),
            float(tau2),
            float(distance - sigma2 / sizes[0] - tau2 / sizes[1]),
            float(np.clip(of_squares / d**2, least / d, least)),
        )


def _judged(moments: _Moments, k: int, l: int, d: int, C: float) -> LooReliability:  # noqa: E741
    softness = 0.0 if np.isinf(C) else 1.0 / (C * d)
    first, second = moments.sigma2 + softness, moments.tau2 + softness
    limits = (
        first / (k - 1) - second / l >= moments.mu2,
        second / (l - 1) - first / k >= moments.mu2,
    )
    limit_error = (k * limits[0] + l * limits[1]) / (k + l)
    left_out = (
        _error(moments, first, second, k - 1, l),
        _error(moments, second, first, l - 1, k),
    )
    predicted = (k * left_out[0] + l * left_out[1]) / (k + l)
    new = (k * _error(moments, first, second, k, l) + l * _error(moments, second, first, l, k)) / (
        k + l
    )
    critical = max(
        _critical_size(first, second, moments.mu2), _critical_size(second, first, moments.mu2)
    )
    spread = np.sqrt(
        2.0 * moments.square * (1 / k + 1 / l) ** 2
        + 4.0 * max(0.0, moments.mu2) * _own_direction(moments) * (1 / k + 1 / l)
    )
    return LooReliability(
        sigma2=moments.sigma2,
        tau2=moments.tau2,
        mu2=moments.mu2,
        mu2_error=float(spread),
        limit_error=float(limit_error),
        predicted_error=float(predicted),
        new_sample_error=float(new),
        critical_n=critical,
        effective_dimension=d if np.isinf(C) else d + 1.0 / C,
        verdict=_verdict(predicted, new),
    )


def _error(moments: _Moments, own: float, other: float, n_own: int, n_other: int) -> float:
    """Chance that a sample is nearer to the other class's mean, in a normal approximation."""
    mu2 = max(0.0, moments.mu2)
    mean = mu2 + other / n_other - own / n_own
    variance = (
        4.0 * moments.square * (1 / n_own + 1 / n_other)
        + 2.0 * moments.square * (1 / n_own**2 + 1 / n_other**2)
        + 4.0 * mu2 * _own_direction(moments) * (1 + 1 / n_other)
    )
    return float(norm.cdf(-mean / np.sqrt(variance))) if variance > 0.0 else float(mean < 0.0)


def _own_direction(moments: _Moments) -> float:
    """Variance along a typical direction of the data, by d."""
    total = (moments.sigma2 + moments.tau2) / 2
    return moments.square / total if total > 0.0 else 0.0


def _critical_size(first: float, second: float, mu2: float) -> float:
    """Twice the m that solves first / (m - 1) - second / m = mu^2."""
    if mu2 <= 0.0:
        return float(np.inf)
    middle = mu2 + first - second
    return float((middle + np.sqrt(middle**2 + 4.0 * mu2 * second)) / mu2)


def _verdict(predicted: float, new: float) -> str:
    if predicted >= 1.0 - _CLOSE:
        return "one"
    if predicted <= _CLOSE and new <= _CLOSE:
        return "zero"
    if abs(predicted - new) <= _CLOSE:
        return "honest"
    return "pessimistic" if predicted > new else "optimistic"
