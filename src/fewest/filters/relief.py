"""Relief: features in which near samples of different classes differ."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from fewest._estimators.many_samples import MOST_COMPARED, draw_subsample
from fewest._estimators.validation import check_count, check_data, standardize_columns
from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray

__all__ = ["relief"]


def relief(
    X: Any, y: ArrayLike, *, n_iterations: int | None = None, random_state: Any = None
) -> FloatArray:
    r"""Relief's weight of every feature.

    .. math::

        w_j = \frac1T \sum_{t=1}^T |x_{tj} - \mathrm{miss}_j(x_t)| - |x_{tj} - \mathrm{hit}_j(x_t)|

    where features are divided by their ranges, and hit and miss are the nearest samples of the
    same and of another class, in the sum of these distances over all features.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes, each with at least two samples.
    n_iterations : int or None
        T samples drawn at random, as in the original; None uses every sample once, so the result
        is not random. If there are more than 2,000 samples, it draws 2,000 in proportion to the
        sizes of the classes, always the same ones, and warns: the time is that of T passes over X.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    array of shape (n_features,)

    References
    ----------
    K. Kira, L. A. Rendell: A practical approach to feature selection. ICML (1992).

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import relief
    >>> X, y = make_gaussian(n=100, d=20, k=2, mu=1.5, random_state=0)
    >>> SelectKBest(relief, k=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """
    from fewest.filters._relief_kernels import add_weights

    X, y = check_data(BaseEstimator(), X, y)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) < 2 or counts.min() < 2:
        raise ValueError(
            f"relief needs two classes with two samples each; class "
            f"{classes[[counts.argmin()]].tolist()[0]!r} is "
            f"{'the only one' if len(classes) < 2 else 'smaller'}"
        )
    if n_iterations is None:
        rows = draw_subsample(y, MOST_COMPARED)
        if len(rows) < len(y):
            warnings.warn(
                f"relief uses {len(rows):,} of the {len(y):,} samples, drawn at random. Set "
                "n_iterations to use more or fewer",
                stacklevel=2,
            )
    else:
        check_count("n_iterations", n_iterations)
        rows = check_random_state(random_state).randint(len(y), size=n_iterations)
    scaled = _scale_by_range(X)
    hits, misses = _find_nearest(scaled, codes, rows)
    weights = np.zeros(scaled.n_features)
    for index, block in scaled.blocks():
        share = weights[index[0] : index[-1] + 1]
        add_weights(np.ascontiguousarray(block), rows, hits, misses, share)
    return weights / len(rows)


def _find_nearest(
    columns: Columns, codes: IndexArray, rows: IndexArray
) -> tuple[IndexArray, IndexArray]:
    """The nearest sample of the same and of another class, for each of the rows."""
    from fewest.filters._relief_kernels import add_distances, add_distances_from

    n = len(codes)
    hits, misses = np.empty(len(rows), dtype=np.intp), np.empty(len(rows), dtype=np.intp)
    if n <= MOST_COMPARED:
        pairs = np.zeros((n, n))
        for _, block in columns.blocks():
            add_distances(np.ascontiguousarray(block), pairs)
    step = len(rows) if n <= MOST_COMPARED else max(1, MOST_COMPARED**2 // n)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        if n <= MOST_COMPARED:
            distances = pairs[part]
        else:  # of some rows at a time, and no matrix of all pairs
            distances = np.zeros((len(part), n))
            for _, block in columns.blocks():
                add_distances_from(np.ascontiguousarray(block), part, distances)
        distances[np.arange(len(part)), part] = np.inf
        same = codes[part][:, None] == codes
        hits[start : start + step] = np.where(same, distances, np.inf).argmin(axis=1)
        misses[start : start + step] = np.where(same, np.inf, distances).argmin(axis=1)
    return hits, misses


def _scale_by_range(X: Any) -> Columns:
    """Columns from zero to one; constant ones are zero."""
    standardize_columns(X)  # for its error messages
    n_features = X.shape[1]
    plain = Columns(X, np.zeros(n_features), np.ones(n_features))
    low, high = np.empty(n_features), np.empty(n_features)
    for index, block in plain.blocks():
        low[index], high[index] = block.min(axis=0), block.max(axis=0)
    width = high - low
    inverse = np.divide(1.0, width, out=np.zeros(n_features), where=width > 0.0)
    return Columns(X, low, inverse)
