"""Do all samples look equally far? Sphericity and the concentration of norms and distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fewest._types import FloatArray
from fewest.diagnostics._geometry import check_norm, columns_of, distances, gram, norms


@dataclass(frozen=True)
class Sphericity:
    """How evenly the variance spreads over directions.

    `epsilon` is one if all directions have the same variance, and 1 / d if there is a single one;
    `effective_dimension` is d times that. Where it is much larger than the number of samples, these
    behave as if there were infinitely many features.
    """

    epsilon: float
    effective_dimension: float


@dataclass(frozen=True)
class DistanceConcentration:
    """Distances between samples.

    `variation` is their standard deviation in units of their mean. `contrast` is how much farther
    the farthest sample is than the nearest one, (max - min) / min, on average.
    """

    p: float
    variation: float
    contrast: float


def sphericity(X: Any, *, standardize: bool = True) -> Sphericity:
    r"""Sphericity of the covariance of X.

    .. math::

        \varepsilon = \frac{(\sum_i \lambda_i)^2}{d \sum_i \lambda_i^2}

    with the eigenvalues of the covariance matrix. Those of the sample would show no more than
    n - 1 directions; both sums are therefore estimated without bias (for normal data).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        At least four samples.
    standardize : bool
        Standardise columns first (implicitly); else take X as it is.

    Returns
    -------
    Sphericity

    References
    ----------
    J. Ahn, J. S. Marron, K. M. Muller, Y.-Y. Chi: The high-dimension, low-sample-size geometric
    representation holds under mild conditions. Biometrika 94 (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import sphericity
    >>> X = np.random.default_rng(0).standard_normal((30, 5000))
    >>> print(f"{sphericity(X).epsilon:.2f}")
    1.00
    """
    columns = columns_of(X, standardize)
    n = columns.n_samples
    if n < 4:
        raise ValueError(f"sphericity needs at least four samples; got {n}")
    products = gram(columns)
    products -= products.mean(axis=0)
    products -= products.mean(axis=1, keepdims=True)
    square, of_squares = trace_estimates(products, n - 1)
    dimension = columns.n_features
    if of_squares > 0.0:
        dimension = min(dimension, max(1.0, square / of_squares))
    return Sphericity(float(dimension / columns.n_features), float(dimension))


def trace_estimates(products: FloatArray, degrees: int) -> tuple[float, float]:
    """Unbiased (for normal data) squared trace of the covariance, and trace of its square.

    `products` are inner products of centred samples, `degrees` their degrees of freedom.
    """
    trace = np.trace(products) / degrees
    of_squares = np.sum(products**2) / degrees**2
    of_squares = degrees**2 / ((degrees - 1) * (degrees + 2)) * (of_squares - trace**2 / degrees)
    return float(trace**2 - 2.0 * of_squares / degrees), float(of_squares)


def relative_concentration(X: Any, p: float = 2, *, standardize: bool = True) -> float:
    r"""Standard deviation of the samples' p-norms in units of their mean.

    .. math::

        \frac{\sqrt{\mathrm{var}(\|x\|_p)}}{E(\|x\|_p)}

    Small values mean that all samples are equally far from the origin. It falls with the number of
    features for every p, but for some slower than for others.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    p : float
        Above zero; fractions and ``np.inf`` are allowed.
    standardize : bool
        Standardise columns first (implicitly); else take X as it is.

    Returns
    -------
    float

    References
    ----------
    D. François, V. Wertz, M. Verleysen: The concentration of fractional distances. IEEE TKDE 19
    (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import relative_concentration
    >>> X = np.random.default_rng(0).standard_normal((500, 200))
    >>> print(f"{relative_concentration(X):.2f}")  # 1 / sqrt(2 d)
    0.05
    """
    check_norm(p)
    lengths = norms(columns_of(X, standardize), p)
    mean = lengths.mean()
    return float(lengths.std(ddof=1) / mean) if mean > 0.0 else 0.0


def distance_concentration(
    X: Any, p: float = 2, *, standardize: bool = True
) -> DistanceConcentration:
    """How much the distances between samples differ.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    p : float
        Exponent of the norm: above zero; fractions and ``np.inf`` are allowed.
    standardize : bool
        Standardise columns first (implicitly); else take X as it is.

    Returns
    -------
    DistanceConcentration

    References
    ----------
    K. Beyer, J. Goldstein, R. Ramakrishnan, U. Shaft: When is "nearest neighbor" meaningful? ICDT
    (1999).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import distance_concentration
    >>> rng = np.random.default_rng(0)
    >>> for d in (2, 20000):
    ...     print(f"{distance_concentration(rng.standard_normal((30, d))).contrast:.2f}")
    11.71
    0.02
    """
    check_norm(p)
    between = distances(columns_of(X, standardize), p)
    pairs = between[np.triu_indices(len(between), 1)]
    others = between + np.diag(np.full(len(between), np.inf))
    nearest, farthest = others.min(axis=1), between.max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        contrast = np.where(farthest > 0.0, (farthest - nearest) / nearest, 0.0)
        variation = pairs.std() / pairs.mean() if pairs.mean() > 0.0 else 0.0
    return DistanceConcentration(p, float(variation), float(contrast.mean()))
