"""Whether the leave-one-out error of a support vector machine can be trusted.

With many more features than samples, these sit on the corners of a simplex, and the machine's
hyperplane halves the segment between the class means. Whether it puts a sample x of class X on its
side depends on the sign of

    |x - mean(Y)|^2 - |x - mean(X)|^2  ~  d (mu^2 + tau^2 / l - sigma^2 / k)  +-  fluctuations,

with k and l training samples of variance sigma^2 and tau^2 per feature. Leaving x out makes k
smaller by one: the mean of its class moves away from it, which may turn the sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.utils import check_consistent_length

from fewest._estimators.many_samples import MOST_COMPARED
from fewest._estimators.validation import check_positive, encode_two_classes
from fewest._solvers.columns import Columns, weighted_moments
from fewest._types import FloatArray, IndexArray
from fewest.diagnostics._geometry import columns_of, compare_some, gram, trace_estimates

# Errors this close to each other are alike, and those this close to 0 or 1 are there.
_CLOSE = 0.1

_WORDS = {
    "one": "would be near 1 even where new samples are classified correctly: leaving a sample out "
    "moves its class's mean away from it",
    "zero": "would be near 0",
    "close": "would be close to the error of new samples",
    "pessimistic": "would be above the error of new samples: leaving a sample out moves its "
    "class's mean away from it",
    "optimistic": "would be below the error of new samples",
}


@dataclass(frozen=True)
class LooReliability:
    """The leave-one-out error to expect of a support vector machine on these data.

    `sigma2` and `tau2` are the mean variances of the first and the second class, `mu2` the mean
    squared difference of their means (without bias; negative by chance) and `mu2_error` its
    standard error. `limit_error` is the leave-one-out error that many more features of this kind
    would lead to, and `predicted_error` that to be expected at this number of features.
    `new_sample_error` is what `predicted_error` is compared with, and is no error of new samples:
    it is computed from these samples and takes any difference of their classes for a true one, so
    it is optimistic (on noise about 0.4 in place of one half). Ask cross-validation for an error.
    `critical_n` is the number of samples (in equal classes) above which leave-one-out tends to 0
    instead of 1; it is infinite if the classes do not differ. `effective_dimension` is d + 1 / C.
    `verdict` compares both errors: "one", "zero", "close", "pessimistic" or "optimistic".
    `n_compared` is how many samples were compared with each other, to find out how many directions
    the variance within the classes has.
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
    n_compared: int
    verdict: str

    @property
    def explanation(self) -> str:
        """The verdict in a sentence."""
        # No numbers: an error that is computed from these samples would be read as one of others.
        return (
            "Leave-one-out of independent samples with a linear support vector machine "
            f"{_WORDS[self.verdict]}."
        )


def loo_reliability(
    X: Any,
    y: ArrayLike,
    *,
    C: float = np.inf,
    standardize: bool = False,
    max_samples: int | None = MOST_COMPARED,
) -> LooReliability:
    r"""Predict whether leave-one-out tends to 0, to 1, or stays close to the error of new samples.

    Samples must be independent: with several of one patient, leave-one-out and everything that is
    predicted here are of samples of the same patients.

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
        Softness of the machine with squared slacks; ``np.inf`` for a hard margin. Like
        d + 1 / C, it refers to X after any standardisation.
    standardize : bool
        Standardise columns first (implicitly); the default uses X as it is, as the machine
        would.
    max_samples : int or None
        If there are more samples than this, that many are drawn at random (always the same ones, in
        proportion to the sizes of the classes) and compared with each other (`n_compared` of the
        result), which one number needs: the sum of squared variances over all directions.
        Everything else uses all samples. None compares all of them.

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
    check_consistent_length(columns.X, y)
    _, codes = encode_two_classes("loo_reliability", y)
    sizes = np.bincount(codes)
    if sizes.min() < 2 or len(codes) < 5:
        raise ValueError(
            "loo_reliability needs two samples of each class and five in all; got "
            f"{sizes[0]} and {sizes[1]}"
        )
    n, d = len(codes), columns.n_features
    if max_samples is None or n <= max_samples:
        products = gram(columns)
        within, n_compared = _center_within(products, codes), n
        variances = np.bincount(codes, np.diag(within)) / ((sizes - 1) * d)
        contrast = np.where(codes == 0, 1.0 / sizes[0], -1.0 / sizes[1])
        distance = float(contrast @ products @ contrast)
    else:
        moments = [_measure_class(columns, codes == code) for code in (0, 1)]
        variances = np.array([v.sum() for _, v in moments]) * sizes / ((sizes - 1) * d)
        distance = float(np.sum((moments[0][0] - moments[1][0]) ** 2))
        some, rows = compare_some(columns, max_samples, codes)
        within, n_compared = _center_within(gram(some), codes[rows]), len(rows)
    mu2 = float(distance / d - np.sum(variances / sizes))
    # The sum of the squared eigenvalues of the covariance within classes, by d^2 (for no fewer than
    # one direction, and no more than d), and the variance along a typical direction, by d.
    least = (sizes @ variances / n) ** 2
    square = float(np.clip(trace_estimates(within, n_compared - 2)[1] / d**2, least / d, least))
    along = square / variances.mean() if variances.mean() > 0.0 else 0.0
    own = variances + (0.0 if np.isinf(C) else 1.0 / (C * d))
    share, gain = sizes / n, max(0.0, mu2)

    def expect_error(n_own: IndexArray, n_other: IndexArray) -> float:
        """Share of samples nearer to the other class's mean, in a normal approximation."""
        mean = gain + own[::-1] / n_other - own / n_own
        variance = (
            4.0 * square * (1 / n_own + 1 / n_other)
            + 2.0 * square * (1 / n_own**2 + 1 / n_other**2)
            + 4.0 * gain * along * (1 + 1 / n_other)
        )
        if not np.all(variance > 0.0):
            return float(share @ (mean < 0.0))
        return float(share @ norm.cdf(-mean / np.sqrt(variance)))

    predicted, new = expect_error(sizes - 1, sizes[::-1]), expect_error(sizes, sizes[::-1])
    inverse = np.sum(1 / sizes)
    spread = 2.0 * square * inverse**2 + 4.0 * gain * along * inverse
    critical_n = np.inf
    if mu2 > 0.0:  # twice the m that solves own / (m - 1) - other / m = mu^2, for either class
        middle = mu2 + own - own[::-1]
        critical_n = float(np.max((middle + np.sqrt(middle**2 + 4.0 * mu2 * own[::-1])) / mu2))
    limits = own / (sizes - 1) - own[::-1] / sizes[::-1] >= mu2
    return LooReliability(
        sigma2=float(variances[0]),
        tau2=float(variances[1]),
        mu2=mu2,
        mu2_error=float(np.sqrt(spread)),
        limit_error=float(share @ limits),
        predicted_error=predicted,
        new_sample_error=new,
        critical_n=critical_n,
        effective_dimension=d if np.isinf(C) else d + 1.0 / C,
        n_compared=n_compared,
        verdict=_verdict(predicted, new),
    )


def _center_within(products: FloatArray, codes: IndexArray) -> FloatArray:
    """Inner products of samples, each minus the mean of its class."""
    sizes = np.bincount(codes)
    centring = np.eye(len(codes)) - (codes[:, None] == codes) / sizes[codes]
    return np.asarray(centring @ products @ centring)


def _measure_class(columns: Columns, members: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of every standardised column over the samples of a class."""
    mean, variance = weighted_moments(columns.matrix, members.astype(np.float64))
    return (mean - columns.mean) * columns.inverse_scale, variance * columns.inverse_scale**2


def _verdict(predicted: float, new: float) -> str:
    if predicted >= 1.0 - _CLOSE:
        return "one"
    if predicted <= _CLOSE and new <= _CLOSE:
        return "zero"
    if abs(predicted - new) <= _CLOSE:
        return "close"
    return "pessimistic" if predicted > new else "optimistic"
