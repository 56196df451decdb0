"""Do all samples look equally far away? Sphericity, concentration of norms and distances, hubs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from scipy.stats import skew
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from fewest._estimators.many_samples import MOST_COMPARED, draw_subsample
from fewest._estimators.validation import (
    check_count,
    check_positive,
    standardize_columns,
)
from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray, IndexArray

# A hub is a neighbour of more samples than the mean by this many standard deviations.
_HUB = 2.0


def columns_of(X: Any, standardize: bool, p: Any = 2) -> Columns:
    """Standardised columns, or those of X as it is; nothing is copied. p is checked too."""
    check_positive("p", p, infinity="for the largest absolute value")
    checks = {"ensure_min_samples": 2, "ensure_all_finite": not standardize, "input_name": "X"}
    check_sparse(X, "X")
    X = check_array(X, accept_sparse=SPARSE_FORMATS, dtype="numeric", **checks)
    if standardize:
        return standardize_columns(X)
    return Columns(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


def compare_some(
    columns: Columns, max_samples: int | None, y: ArrayLike | None = None
) -> tuple[Columns, IndexArray]:
    """At most so many samples, standardised as all of them, and which; classes keep their shares.

    They are drawn at random, but always the same. All pairs of more would not fit into memory.
    """
    check_count("max_samples", max_samples, or_none=True)
    n = columns.n_samples
    rows = draw_subsample(np.zeros(n) if y is None else np.asarray(y), max_samples)
    if len(rows) == n:
        return columns, rows
    return columns.rows(rows), rows


def gram(columns: Columns) -> FloatArray:
    """Inner products of all pairs of samples."""
    products = np.zeros((columns.n_samples, columns.n_samples))
    for _, block in columns.blocks():
        products += block @ block.T
    return products


def norms(columns: Columns, p: float) -> FloatArray:
    """The p-norm of every sample (p below one: no norm in the strict sense)."""
    return _combine(p, (np.linalg.norm(block, p, axis=1) for _, block in columns.blocks()))


def distances(columns: Columns, p: float) -> FloatArray:
    """The p-norm of the differences of all pairs of samples."""
    if p == 2:
        products = gram(columns)
        own = np.diag(products)
        squares = own[:, None] + own - 2.0 * products
        np.fill_diagonal(squares, 0.0)
        return np.sqrt(np.maximum(squares, 0.0))
    return _combine(p, (cdist(block, block, "minkowski", p=p) for _, block in columns.blocks()))


def _combine(p: float, parts: Iterator[FloatArray]) -> FloatArray:
    """p-norms over all columns from those over blocks of them."""
    if np.isinf(p):
        return reduce(np.maximum, parts)
    return sum(part**p for part in parts) ** (1.0 / p)


@dataclass(frozen=True)
class Sphericity:
    """How evenly the variance spreads over directions.

    `epsilon` is one if all directions have the same variance, and 1 / d if there is a single one;
    `effective_dimension` is d times that. If it is much larger than the number of samples, these
    behave as if there were infinitely many features. `n_samples` is the number of samples used for
    the estimate.
    """

    epsilon: float
    effective_dimension: float
    n_samples: int


@dataclass(frozen=True)
class DistanceConcentration:
    """Distances between samples.

    `variation` is their standard deviation divided by their mean. `contrast` is how much farther
    away the farthest sample is than the nearest one, (max - min) / min, on average. `n_samples` is
    the number of samples that were compared with each other.
    """

    p: float
    variation: float
    contrast: float
    n_samples: int


def sphericity(
    X: Any, *, standardize: bool = True, max_samples: int | None = MOST_COMPARED
) -> Sphericity:
    r"""Sphericity of the covariance of X.

    .. math::

        \varepsilon = \frac{(\sum_i \lambda_i)^2}{d \sum_i \lambda_i^2}

    with the eigenvalues of the covariance matrix. The sample covariance has at most
    n - 1 directions; both sums are therefore estimated without bias (for normal data).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        At least four samples.
    standardize : bool
        Standardise columns first (implicitly); otherwise use X as it is.
    max_samples : int or None
        If there are more samples than this, that many are drawn at random, always the same ones,
        and compared with each other (`n_samples` of the result); None compares all, which takes
        memory and time in proportion to the square of their number.

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
    columns, rows = compare_some(columns_of(X, standardize), max_samples)
    n = len(rows)
    if n < 4:
        raise ValueError(f"sphericity needs at least four samples; got {n}")
    products = gram(columns)
    products -= products.mean(axis=0)
    products -= products.mean(axis=1, keepdims=True)
    square, of_squares = trace_estimates(products, n - 1)
    dimension = float(columns.n_features)
    if of_squares > 0.0:
        dimension = min(dimension, max(1.0, square / of_squares))
    return Sphericity(float(dimension / columns.n_features), float(dimension), n)


def trace_estimates(products: FloatArray, degrees: int) -> tuple[float, float]:
    """Unbiased (for normal data) squared trace of the covariance, and trace of its square.

    `products` are inner products of centred samples, `degrees` their degrees of freedom.
    """
    trace = np.trace(products) / degrees
    of_squares = np.sum(products**2) / degrees**2
    of_squares = degrees**2 / ((degrees - 1) * (degrees + 2)) * (of_squares - trace**2 / degrees)
    return float(trace**2 - 2.0 * of_squares / degrees), float(of_squares)


def relative_concentration(X: Any, p: float = 2, *, standardize: bool = True) -> float:
    r"""Standard deviation of the samples' p-norms divided by their mean.

    .. math::

        \frac{\sqrt{\mathrm{var}(\|x\|_p)}}{E(\|x\|_p)}

    Small values mean that all samples are about equally far from the origin. It falls with the
    number of features for every p, but more slowly for some than for others.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    p : float
        Above zero; fractions and ``np.inf`` are allowed.
    standardize : bool
        Standardise columns first (implicitly); otherwise use X as it is.

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
    lengths = norms(columns_of(X, standardize, p), p)
    mean = lengths.mean()
    return float(lengths.std(ddof=1) / mean) if mean > 0.0 else 0.0


def distance_concentration(
    X: Any,
    p: float = 2,
    *,
    standardize: bool = True,
    max_samples: int | None = MOST_COMPARED,
) -> DistanceConcentration:
    """How much the distances between samples differ.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    p : float
        Exponent of the norm: above zero; fractions and ``np.inf`` are allowed.
    standardize : bool
        Standardise columns first (implicitly); otherwise use X as it is.
    max_samples : int or None
        If there are more samples than this, that many are drawn at random, always the same ones,
        and compared with each other (`n_samples` of the result); None compares all, which takes
        memory and time in proportion to the square of their number.

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
    columns, rows = compare_some(columns_of(X, standardize, p), max_samples)
    between = distances(columns, p)
    pairs = between[np.triu_indices(len(between), 1)]
    others = between + np.diag(np.full(len(between), np.inf))
    nearest, farthest = others.min(axis=1), between.max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        contrast = np.where(farthest > 0.0, (farthest - nearest) / nearest, 0.0)
        variation = pairs.std() / pairs.mean() if pairs.mean() > 0.0 else 0.0
    return DistanceConcentration(p, float(variation), float(contrast.mean()), len(rows))


@dataclass(frozen=True, eq=False, repr=False)
class Hubness(Shown):
    """How unevenly samples occur among the k nearest neighbours of others.

    `occurrences` counts for each sample the others that have it among their k nearest, with mean
    k; `skewness` is that of its distribution: about zero if there are no hubs. `hubs` are
    samples two standard deviations above the mean. With classes, `bad_occurrences` counts
    neighbours of another class, `bad_share` is their share of all, and `bad_hubs` are hubs that
    are more often neighbours of another class than of their own. `samples` are the rows of X that
    were compared with each other, to which `occurrences` belong; `hubs` are rows of X.
    """

    k: int
    skewness: float
    hubs: IndexArray
    occurrences: IndexArray = field(repr=False)
    samples: IndexArray = field(repr=False)
    bad_share: float | None = None
    bad_hubs: IndexArray | None = None
    bad_occurrences: IndexArray | None = field(default=None, repr=False)


def hubness(
    X: Any,
    y: ArrayLike | None = None,
    *,
    k: int = 10,
    p: float = 2,
    standardize: bool = True,
    max_samples: int | None = MOST_COMPARED,
) -> Hubness:
    """Skewness of the k-occurrence, hubs, and with classes also bad hubs.

    Neighbours are those among the samples that are compared, of which there may be fewer than X has
    (`max_samples`).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        More than k samples.
    y : array of shape (n_samples,), optional
        Classes, for bad hubs.
    k : int
        Number of neighbours.
    p : float
        Exponent of the norm.
    standardize : bool
        Standardise columns first (implicitly); otherwise use X as it is.
    max_samples : int or None
        If there are more samples than this, that many are drawn at random, always the same ones,
        and compared with each other (`n_samples` of the result); None compares all, which takes
        memory and time in proportion to the square of their number.

    Returns
    -------
    Hubness

    References
    ----------
    M. Radovanović, A. Nanopoulos, M. Ivanović: Hubs in space: popular nearest neighbors in
    high-dimensional data. JMLR 11 (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import hubness
    >>> rng = np.random.default_rng(0)
    >>> for d in (3, 1000):
    ...     print(f"{hubness(rng.standard_normal((300, d))).skewness:.1f}")
    -0.5
    4.4
    """
    check_count("k", k)
    columns = columns_of(X, standardize, p)
    labels: NDArray[Any] | None = None if y is None else column_or_1d(y)
    if labels is not None:
        check_consistent_length(columns.X, labels)
    columns, rows = compare_some(columns, max_samples, labels)
    n = len(rows)
    if k >= n:
        raise ValueError(f"k = {k} neighbours need more than {k} samples; there are {n} to compare")
    # The k nearest others of each sample; of equally near ones the first.
    between = distances(columns, p)
    np.fill_diagonal(between, np.inf)
    neighbours = np.argsort(between, axis=1, kind="stable")[:, :k]
    occurrences = np.bincount(neighbours.ravel(), minlength=n)
    hubs = np.flatnonzero(occurrences > k + _HUB * occurrences.std())
    skewness = float(skew(occurrences)) if np.ptp(occurrences) else 0.0
    found = Hubness(k, skewness, rows[hubs], occurrences, rows)
    if labels is None:
        return found
    own = labels[rows]
    bad = np.bincount(neighbours[own[neighbours] != own[:, None]], minlength=n)
    bad_hubs = rows[hubs[2 * bad[hubs] > occurrences[hubs]]]
    share = float(bad.sum() / (n * k))
    return replace(found, bad_share=share, bad_hubs=bad_hubs, bad_occurrences=bad)
