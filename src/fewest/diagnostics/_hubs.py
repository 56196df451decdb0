"""Samples that are everybody's neighbours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import skew
from sklearn.utils import check_consistent_length, column_or_1d

from fewest._estimators.validation import check_count
from fewest._types import IndexArray
from fewest.diagnostics._geometry import check_norm, columns_of, distances

# A hub is a neighbour of more samples than the mean by this many standard deviations.
_HUB = 2.0


@dataclass(frozen=True, eq=False)
class Hubness:
    """How unevenly samples occur among the k nearest neighbours of others.

    `occurrences` counts for each sample the others that have it among their k nearest, with mean
    k; `skewness` is that of its distribution: about zero if there are no hubs. `hubs` are
    samples two standard deviations above the mean. With classes, `bad_occurrences` counts
    neighbours of another class, `bad_share` is their share of all, and `bad_hubs` are hubs that
    are more often neighbours of another class than of their own.
    """

    k: int
    skewness: float
    hubs: IndexArray
    occurrences: IndexArray = field(repr=False)
    bad_share: float | None = None
    bad_hubs: IndexArray | None = None
    bad_occurrences: IndexArray | None = field(default=None, repr=False)


def hubness(
    X: Any, y: ArrayLike | None = None, *, k: int = 10, p: float = 2, standardize: bool = True
) -> Hubness:
    """Skewness of the k-occurrence, hubs, and with classes also bad hubs.

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
        Standardise columns first (implicitly); else take X as it is.

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
    check_norm(p)
    columns = columns_of(X, standardize)
    n = columns.n_samples
    if k >= n:
        raise ValueError(f"k = {k} neighbours need more than {k} samples; X has {n}")
    # The k nearest others of each sample; of equally near ones the first.
    between = distances(columns, p) + np.diag(np.full(n, np.inf))
    neighbours = np.argsort(between, axis=1, kind="stable")[:, :k]
    occurrences = np.bincount(neighbours.ravel(), minlength=n)
    hubs = np.flatnonzero(occurrences > k + _HUB * occurrences.std())
    skewness = float(skew(occurrences)) if np.ptp(occurrences) else 0.0
    if y is None:
        return Hubness(k, skewness, hubs, occurrences)
    labels: NDArray[Any] = column_or_1d(y)
    check_consistent_length(occurrences, labels)
    bad = np.bincount(neighbours[labels[neighbours] != labels[:, None]], minlength=n)
    return Hubness(
        k,
        skewness,
        hubs,
        occurrences,
        bad_share=float(bad.sum() / (n * k)),
        bad_hubs=hubs[2 * bad[hubs] > occurrences[hubs]],
        bad_occurrences=bad,
    )
