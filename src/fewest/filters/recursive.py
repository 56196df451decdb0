"""Recursive feature elimination, as scikit-learn does it."""

from __future__ import annotations

from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

__all__ = ["svm_rfe"]


def svm_rfe(n_features: int, *, step: float = 0.1, C: float = 1.0) -> RFE:
    """Recursive feature elimination with a linear support vector machine, as a baseline.

    Train, leave out the features with the smallest :math:`w_j^2`, and start again.

    Parameters
    ----------
    n_features : int
        How many features to keep.
    step : float or int
        Share (below one) or number of features that each round leaves out.
    C : float
        Of the support vector machine (squared hinge loss). Standardise X first.

    Returns
    -------
    sklearn.feature_selection.RFE
        Not fitted; classifier and selector.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik: Gene selection for cancer classification using
    support vector machines. Machine Learning 46 (2002).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import svm_rfe
    >>> X, y = make_gaussian(n=100, d=50, k=2, mu=1.0, random_state=0)
    >>> svm_rfe(2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """
    return RFE(LinearSVC(C=C, random_state=0), n_features_to_select=n_features, step=step)
