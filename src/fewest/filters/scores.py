"""Fisher's and Golub's scores: how far apart the class means are, in standard deviations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.validation import check_data, check_moments, encode_two_classes
from fewest._solvers.columns import weighted_moments
from fewest._types import FloatArray

__all__ = ["fisher_score", "golub_score"]


def fisher_score(X: Any, y: ArrayLike) -> FloatArray:
    r"""Fisher's discriminant criterion of every feature.

    .. math::

        \frac{(\mu_j^+ - \mu_j^-)^2}{(\sigma_j^+)^2 + (\sigma_j^-)^2}

    with the means and (population) variances within the classes; zero for constant features, and
    infinite where classes differ but do not vary.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Two classes.

    Returns
    -------
    array of shape (n_features,)

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import fisher_score
    >>> X, y = make_gaussian(n=100, d=500, k=2, mu=1.0, random_state=0)
    >>> SelectKBest(fisher_score, k=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """
    (low, high), (low_variance, high_variance), _ = measure_classes(
        "fisher_score", *check_data(BaseEstimator(), X, y)
    )
    return _divide((high - low) ** 2, low_variance + high_variance)


def golub_score(X: Any, y: ArrayLike, *, signed: bool = False) -> FloatArray:
    r"""Golub's correlation of every feature with the classes.

    .. math::

        \frac{\mu_j^+ - \mu_j^-}{\sigma_j^+ + \sigma_j^-}

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Two classes.
    signed : bool
        Keep the sign, which is positive for features that are larger in the second class. By
        default the absolute value is returned, so `SelectKBest` selects features of both signs.

    Returns
    -------
    array of shape (n_features,)

    References
    ----------
    T. R. Golub et al.: Molecular classification of cancer: class discovery and class prediction by
    gene expression monitoring. Science 286 (1999).

    Examples
    --------
    >>> from fewest.filters import golub_score
    >>> golub_score([[1, 0], [3, 1], [7, 0], [9, 1]], ["a", "a", "b", "b"], signed=True)
    array([3., 0.])
    """
    (low, high), variances, _ = measure_classes("golub_score", *check_data(BaseEstimator(), X, y))
    score = _divide(high - low, np.sqrt(variances[0]) + np.sqrt(variances[1]))
    return score if signed else np.abs(score)


def measure_classes(
    name: str, X: Any, y: NDArray[Any]
) -> tuple[list[FloatArray], list[FloatArray], NDArray[Any]]:
    """Means and variances within the two classes, and the classes."""
    classes, codes = encode_two_classes(name, y)
    with np.errstate(invalid="ignore", over="ignore"):
        found = [weighted_moments(X, (codes == code).astype(np.float64)) for code in (0, 1)]
    means, variances = ([one[part] for one in found] for part in (0, 1))
    check_moments(X, *means, *variances)
    return means, variances, classes


def _divide(difference: FloatArray, spread: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0.0, 0.0, difference / spread)
