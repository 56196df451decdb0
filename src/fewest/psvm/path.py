"""Weights over a falling epsilon, each solve started from the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_X_y

from fewest._estimators.validation import check_choice, check_count, check_positive
from fewest._solvers.box_lasso.solve import BoxLassoResult, box_lasso
from fewest._solvers.columns import Columns
from fewest._types import FloatArray
from fewest.psvm.machine import FORMATS, check_not_negative
from fewest.psvm.relations import signed_targets, unit_columns, warn_of_doubtful

TASKS = ("auto", "classification", "regression")
# A step of the search for so many features: epsilon falls by this factor.
_FACTOR = 0.9
# Epsilon falls no further than to this share of its largest sensible value.
_SMALLEST_SHARE = 1e-3


@dataclass(frozen=True, eq=False)
class PotentialPath:
    """Weights at every epsilon.

    Attributes
    ----------
    epsilons : array of shape (n_values,)
        Falling.
    coefs : array of shape (n_values, n_tasks, n_features)
        Weights alpha, for centred columns of unit length.
    n_features : array of shape (n_values,), int
        How many features have a weight in any task.
    gaps : array of shape (n_values,)
        Relative duality gap (the largest over the tasks).
    """

    epsilons: FloatArray
    coefs: FloatArray
    n_features: NDArray[np.intp]
    gaps: FloatArray


def potential_path(
    X: Any,
    y: ArrayLike,
    *,
    epsilons: ArrayLike | None = None,
    n_values: int = 30,
    C: float = np.inf,
    task: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 500,
) -> PotentialPath:
    r"""Weights of the features over a falling epsilon, with warm starts.

    At every epsilon, with columns of X centred and of unit length,

    .. math::

        \min_\alpha \tfrac12 \| X \alpha - (y - \bar y) \|^2 + \epsilon \|\alpha\|_1
        \quad \text{subject to} \quad |\alpha_j| \le C.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Samples, or their relations with other objects.
    y : array of shape (n_samples,)
        Classes or numbers, see `task`.
    epsilons : array, optional
        Values. None takes them evenly in the logarithm, from the smallest one without any feature
        down to a hundredth of it.
    n_values : int, default=30
        How many values, where none are given.
    C, task, tol, max_iter
        As for :class:`~fewest.PotentialSelector`.

    Returns
    -------
    PotentialPath

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.psvm import potential_path
    >>> X, y = make_gaussian(n=100, d=2000, k=3, mu=1.0, random_state=0)
    >>> path = potential_path(X, y, n_values=10)
    >>> path.n_features[:5].tolist()
    [0, 3, 3, 6, 29]
    """
    check_count("n_values", n_values)
    check_positive("C", C, infinity="for no bound")
    check_choice("task", task, TASKS)
    X, y = check_X_y(X, y, accept_sparse=FORMATS, dtype="numeric", ensure_min_samples=2)
    columns, targets = unit_columns(X), targets_of(y, task)
    values = _epsilons(epsilons, columns, targets, n_values)
    coefs = np.zeros((len(values), len(targets), columns.n_features))
    gaps = np.zeros(len(values))
    last: list[BoxLassoResult] = []
    for place, epsilon in enumerate(values):
        last = solved(columns, targets, epsilon, last, C, tol, max_iter)
        warn_of_doubtful(last)
        coefs[place] = [result.alpha for result in last]
        gaps[place] = max(result.gap for result in last)
    return PotentialPath(values, coefs, np.any(coefs, axis=1).sum(axis=1), gaps)


def targets_of(y: NDArray[Any], task: str) -> FloatArray:
    """What the weights approximate, a row a task."""
    if task == "regression" or (task == "auto" and type_of_target(y) == "continuous"):
        return np.asarray(y, dtype=np.float64)[None, :]
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            "samples of at least two classes are needed, but y contains only one class: "
            f"{classes.tolist()[0]!r}"
        )
    return signed_targets(codes, len(classes))


def solved(
    columns: Columns,
    targets: FloatArray,
    epsilon: float,
    last: list[BoxLassoResult],
    C: float,
    tol: float,
    max_iter: int,
) -> list[BoxLassoResult]:
    """One solve a target, from the last solutions where there are any."""
    starts = [result.alpha for result in last] if last else [None] * len(targets)
    return [
        box_lasso(
            columns,
            target - target.mean(),
            float(epsilon),
            float(C),
            start=start,
            tol=tol,
            max_iter=max_iter,
        )
        for target, start in zip(targets, starts, strict=True)
    ]


def largest_epsilon(columns: Columns, targets: FloatArray) -> float:
    """The smallest epsilon at which no feature has a weight."""
    return max(float(np.abs(columns.price(row - row.mean())).max()) for row in targets)


def solved_with_features(
    columns: Columns, targets: FloatArray, wanted: int, C: float, tol: float, max_iter: int
) -> tuple[float, list[BoxLassoResult]]:
    """The first epsilon, falling step by step, at which so many features have a weight.

    Where so many never have one, the solutions at the smallest epsilon of the path.
    """
    largest = largest_epsilon(columns, targets)
    epsilon, last = largest, []
    while epsilon * _FACTOR >= _SMALLEST_SHARE * largest > 0:
        epsilon *= _FACTOR
        last = solved(columns, targets, epsilon, last, C, tol, max_iter)
        if np.any([result.alpha for result in last], axis=0).sum() >= wanted:
            break
    if not last:
        last = solved(columns, targets, epsilon, last, C, tol, max_iter)
    return epsilon, last


def _epsilons(
    given: ArrayLike | None, columns: Columns, targets: FloatArray, n_values: int
) -> FloatArray:
    if given is None:
        largest = largest_epsilon(columns, targets)
        if largest == 0.0:
            raise ValueError("no feature is correlated with y: there is no path")
        return np.geomspace(largest, 0.01 * largest, n_values)
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"epsilons must be a list of one or more numbers; got {values!r}")
    for value in values.tolist():
        check_not_negative("each of epsilons", value)
    return np.unique(values)[::-1]
