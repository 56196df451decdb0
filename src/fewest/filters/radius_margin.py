"""Weights of features that make a support vector machine's bound small: R2W2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize, nnls
from sklearn.base import BaseEstimator
from sklearn.svm import SVC

from fewest._estimators.validation import (
    check_count,
    check_data,
    encode_two_classes,
    make_dense,
)
from fewest._types import FloatArray

__all__ = ["r2w2"]

# Nearly hard: the bound is that of a machine without training errors.
_COST = 1e6
# Added to the kernel of samples of norm one: without it, samples that no plane separates have no
# bound, and neither quadratic program a unique solution.
_RIDGE = 1e-3


def r2w2(X: Any, y: ArrayLike, *, max_iter: int = 50) -> FloatArray:
    r"""Weights of features that minimise the radius-margin bound of Weston et al. (2000).

    The leave-one-out errors of a support vector machine without training errors are at most
    :math:`R^2 \|w\|^2`, with R the radius of the smallest ball around the samples. Features are
    scaled by :math:`\sigma_j` such that this bound,

    .. math::

        R^2 \|w\|^2 = \Bigl( \max_{\beta \ge 0, \, 1^\top \beta = 1} \sum_i \beta_i K_{ii} -
        \beta^\top K \beta \Bigr) \, \Bigl( \max_{\alpha \ge 0, \, y^\top \alpha = 0}
        2 \sum_i \alpha_i - \sum_{il} \alpha_i \alpha_l y_i y_l K_{il} \Bigr),
        \quad K_{il} = \sum_j \sigma_j^2 x_{ij} x_{lj},

    becomes small, by a descent in :math:`\log \sigma_j^2` from equal weights. Columns are
    standardised first.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples; they are copied.
    y : array of shape (n_samples,)
        Two classes.
    max_iter : int
        Largest number of steps of the descent.

    Returns
    -------
    array of shape (n_features,)
        :math:`\sigma_j^2`, which sum to one; zero for constant features.

    References
    ----------
    J. Weston, S. Mukherjee, O. Chapelle, M. Pontil, T. Poggio, V. Vapnik (2000). Feature selection
    for SVMs. *NIPS* 13.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import r2w2
    >>> X, y = make_gaussian(n=60, d=200, k=2, mu=1.5, random_state=0)
    >>> SelectKBest(r2w2, k=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """
    check_count("max_iter", max_iter)
    X, y = check_data(BaseEstimator(), X, y)
    sign = np.where(encode_two_classes("r2w2", y)[1] == 1, 1.0, -1.0)
    values = make_dense(X).astype(np.float64)
    spread = values.std(axis=0)
    varies = spread > 0.0
    Z = (values[:, varies] - values[:, varies].mean(axis=0)) / spread[varies]
    weight = np.zeros(len(spread))
    if varies.any():
        found = minimize(
            lambda log_scale: measure_bound(Z, sign, log_scale),
            np.zeros(Z.shape[1]),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": max_iter},
        )
        weight[varies] = _normalize(found.x)
    return weight


def measure_bound(
    Z: FloatArray, sign: FloatArray, log_scale: FloatArray
) -> tuple[float, FloatArray]:
    """Logarithm of the bound and its gradient in the logarithms of the squared scales."""
    scale = _normalize(log_scale)
    K = (Z * scale) @ Z.T
    K[np.diag_indices_from(K)] += _RIDGE
    radius, beta = _enclose(K)
    svm = SVC(kernel="precomputed", C=_COST, tol=1e-6).fit(K, sign)
    signed = np.zeros(len(sign))
    signed[svm.support_] = svm.dual_coef_[0]
    length = float(2.0 * np.abs(signed).sum() - signed @ K @ signed)
    # Both optima are extreme in alpha and beta, so only the kernel's own change counts.
    by_radius = beta @ Z**2 - (beta @ Z) ** 2
    by_length = -((signed @ Z) ** 2)
    gradient = scale * (by_radius / radius + by_length / length)
    # The weights sum to one, whatever their logarithms.
    return float(np.log(radius * length)), gradient - scale * gradient.sum()


def _normalize(log_scale: FloatArray) -> FloatArray:
    weight: FloatArray = np.exp(log_scale - log_scale.max())
    return weight / weight.sum()


def _enclose(K: FloatArray) -> tuple[float, FloatArray]:
    """Squared radius of the smallest ball around the samples, and their weights in its centre.

    max b . diag(K) - b K b with sum(b) = 1 and b >= 0 is a least-squares problem without negative
    numbers: K = L L', and a heavy row for the sum.
    """
    L = np.linalg.cholesky(K)
    target = np.linalg.solve(L, np.diag(K) / 2.0)
    heavy = 1e4 * float(np.sqrt(np.diag(K).max()))
    rows = np.vstack([L.T, np.full(len(K), heavy)])
    beta = nnls(rows, np.append(target, heavy))[0]
    beta /= beta.sum()
    return float(beta @ np.diag(K) - beta @ K @ beta), beta
