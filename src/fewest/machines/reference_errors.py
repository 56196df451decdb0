"""Errors to compare a selection with: those of the relevant features, and of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_X_y

from fewest._estimators.splits import balanced_error, check_groups, split_folds
from fewest._estimators.validation import make_dense
from fewest._showing import Shown
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray
from fewest.machines.classifiers import make_classifiers

__all__ = ["ReferenceErrors", "measure_reference_errors"]


@dataclass(frozen=True, eq=False, repr=False)
class ReferenceErrors(Shown):
    """Balanced errors on held-out folds, one row per classifier and one column per fold.

    Attributes
    ----------
    names : tuple of str
        The classifiers.
    relevant, all_features : arrays of shape (n_classifiers, n_folds)
        With the relevant features only, and with all features.
    """

    names: tuple[str, ...]
    relevant: FloatArray
    all_features: FloatArray

    def __str__(self) -> str:
        rows = [f"{'':<12}{'relevant':>10}{'all':>10}"]
        for name, few, many in zip(self.names, self.relevant, self.all_features, strict=True):
            rows.append(f"{name:<12}{few.mean():>10.3f}{many.mean():>10.3f}")
        return "\n".join(rows)


def measure_reference_errors(
    X: Any,
    y: ArrayLike,
    relevant: ArrayLike,
    *,
    classifiers: Mapping[str, Any] | None = None,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    random_state: int | None = 0,
) -> ReferenceErrors:
    """Balanced errors of several classifiers with the relevant and with all features.

    "A fair comparison is only possible if we had the reference BERs of several methods, linear and
    nonlinear, using a) only relevant features and b) all features" (Pranckeviciene & Somorjai 2011,
    sec. 8.6.2). The first column shows the error of a perfect selection, the second the error
    without any selection. Both use the same folds.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Samples.
    y : array of shape (n_samples,)
        Labels.
    relevant : array of int, or of bool of shape (n_features,)
        The features that are known to matter, not those that were selected from the same samples:
        their errors would be too small.
    classifiers : dict of str to estimator, or None
        None is `fewest.machines.classifiers.make_classifiers()`.
    cv : int, splitter or iterable of (train, test)
        Folds, stratified if it is a number.
    groups : array of shape (n_samples,), optional
        Samples of one group are never on both sides of a fold.
    random_state : int or None
        Order of the samples in the folds.

    Returns
    -------
    ReferenceErrors

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from fewest.datasets import make_banana
    >>> from fewest.machines.reference_errors import measure_reference_errors
    >>> X, y = make_banana(random_state=0)
    >>> machines = {"3nn": KNeighborsClassifier(3)}
    >>> print(measure_reference_errors(X, y, [28, 29], classifiers=machines))
                  relevant       all
    3nn              0.012     0.060
    """
    check_sparse(X, "X")
    samples, labels = check_X_y(X, y, accept_sparse=SPARSE_FORMATS, dtype="numeric")
    columns = _check_relevant(relevant, samples.shape[1])
    machines = make_classifiers() if classifiers is None else dict(classifiers)
    known_groups = check_groups(groups, len(labels))
    folds = split_folds(cv, labels, known_groups, random_state=random_state)
    parts = [make_dense(samples[:, columns]), make_dense(samples)]
    errors = np.array(
        [
            [
                [
                    balanced_error(
                        labels[test],
                        clone(machine).fit(part[train], labels[train]).predict(part[test]),
                    )
                    for train, test in folds
                ]
                for machine in machines.values()
            ]
            for part in parts
        ]
    )
    return ReferenceErrors(tuple(machines), *errors)


def _check_relevant(relevant: ArrayLike, n_features: int) -> NDArray[np.intp]:
    given = np.asarray(relevant)
    if given.dtype == bool and given.shape == (n_features,):
        given = np.flatnonzero(given)
    whole = given.ndim == 1 and len(given) > 0 and given.dtype.kind in "iu"
    if not whole or given.min() < 0 or given.max() >= n_features:
        raise ValueError(
            f"relevant must be numbers of features, 0 to {n_features - 1}, or one True or False "
            f"per feature; got {relevant!r}"
        )
    return given.astype(np.intp)
