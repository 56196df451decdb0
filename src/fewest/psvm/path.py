"""Weights for decreasing epsilon, each solve started from the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_X_y

from fewest._estimators.rules import Rules
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_list,
    check_not_negative,
    check_positive,
)
from fewest._showing import Shown
from fewest._solvers.box_lasso.solve import BoxLassoResult, box_lasso
from fewest._solvers.columns import Columns
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray
from fewest.psvm._relations import (
    UNIT_LENGTH,
    check_scale,
    encode_targets,
    price_weights,
    scale_relations,
    warn_of_doubtful,
)

__all__ = ["PotentialPath", "potential_path"]

Solutions = tuple[BoxLassoResult, ...]

TASKS = ("auto", "classification", "regression")
# A step of the search for so many features: epsilon falls by this factor.
_FACTOR = 0.9
# Epsilon falls no further than to this share of its largest sensible value.
_SMALLEST_SHARE = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class PotentialPath(Shown):
    """Weights at every epsilon.

    Attributes
    ----------
    epsilons : array of shape (n_epsilons,)
        In decreasing order.
    coefs : array of shape (n_epsilons, n_tasks, n_features)
        Weights alpha, for centred columns of unit length (or unit variance).
    n_features : array of shape (n_epsilons,), int
        How many features have a weight in any task.
    gaps : array of shape (n_epsilons,)
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
    n_epsilons: int = 30,
    C: float = np.inf,
    task: str = "auto",
    scale: str = UNIT_LENGTH,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> PotentialPath:
    r"""Weights of the features for decreasing epsilon, with warm starts.

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
        Values. None spaces them evenly in the logarithm, from the smallest epsilon without any
        feature down to a hundredth of it.
    n_epsilons : int, default=30
        Number of values, if none are given.
    C, task, scale, tol, max_iter
        As for :class:`~fewest.PotentialSelector`.

    Returns
    -------
    PotentialPath

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.psvm import potential_path
    >>> X, y = make_gaussian(n=100, d=2000, k=3, mu=1.0, random_state=0)
    >>> path = potential_path(X, y, n_epsilons=10)
    >>> path.n_features[:5].tolist()
    [0, 3, 3, 6, 29]
    """
    check_count("n_epsilons", n_epsilons)
    check_positive("C", C, infinity="for no bound")
    check_choice("task", task, TASKS)
    check_scale(scale)
    check_sparse(X, "X")
    X, y = check_X_y(X, y, accept_sparse=SPARSE_FORMATS, dtype="numeric", ensure_min_samples=2)
    targets = make_targets(np.asarray(y), task)
    lasso = TargetLasso(scale_relations(X, scale), targets, C, tol, max_iter)
    if epsilons is not None:
        values = np.unique(check_list("epsilons", epsilons, check_not_negative))[::-1]
    else:
        largest = lasso.find_largest_epsilon()
        if largest == 0.0:
            raise ValueError("no feature is correlated with y: there is no path")
        values = np.geomspace(largest, 0.01 * largest, n_epsilons)
    coefs = np.zeros((len(values), len(targets), X.shape[1]))
    gaps = np.zeros(len(values))
    last: Solutions = ()
    for place, epsilon in enumerate(values):
        last = lasso.solve(epsilon, last)
        warn_of_doubtful(last)
        coefs[place] = [result.alpha for result in last]
        gaps[place] = max(result.gap for result in last)
    return PotentialPath(values, coefs, np.any(coefs, axis=1).sum(axis=1), gaps)


def make_targets(y: NDArray[Any], task: str) -> FloatArray:
    """What the weights approximate, one row per task."""
    if task == "regression" or (task == "auto" and type_of_target(y) == "continuous"):
        return np.asarray(y, dtype=np.float64)[None, :]
    return encode_targets("the path", y)[1]


def find_largest_moment(columns: Columns, targets: FloatArray) -> float:
    """The largest absolute inner product of any column with any centred target."""
    centred = targets - targets.mean(axis=1)[:, None]
    return max(float(np.abs(columns.price(row)).max()) for row in centred)


@dataclass(frozen=True, eq=False)
class TargetLasso:
    """The program of every target (one per row), at any epsilon."""

    columns: Columns
    targets: FloatArray
    C: float
    tol: float
    max_iter: int
    rules: Rules | None = None

    def find_largest_epsilon(self) -> float:
        """The smallest epsilon at which no feature has a weight.

        Under rules, about the smallest at which those that cost something have none.
        """
        if self.rules is None:
            return find_largest_moment(self.columns, self.targets)
        price = self.rules.relative_terms.price
        paid = np.flatnonzero(price)
        if not len(paid):
            return 0.0
        centred = self.targets - self.targets.mean(axis=1)[:, None]
        moments = np.abs([self.columns.price(row)[paid] for row in centred])
        return float(np.max(moments / price[paid]))

    def solve(self, epsilon: float, last: Solutions = ()) -> Solutions:
        """One solution per target, from the last ones where there are any."""
        starts = [result.alpha for result in last] if last else [None] * len(self.targets)
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        costs = price_weights(float(epsilon), self.rules)
        return tuple(
            box_lasso(self.columns, row - row.mean(), costs, float(self.C), start=start, **limits)
            for row, start in zip(self.targets, starts, strict=True)
        )

    def solve_for_count(self, wanted: int) -> tuple[float, Solutions]:
        """The first epsilon, decreasing step by step, at which this many features have a weight.

        Features that are always in count, with or without one.
        Where so many never have one, the solutions at the smallest epsilon of the path.
        """
        epsilon = largest = self.find_largest_epsilon()
        last: Solutions = ()
        while epsilon * _FACTOR >= _SMALLEST_SHARE * largest > 0:
            epsilon *= _FACTOR
            last = self.solve(epsilon, last)
            used = np.any([result.alpha for result in last], axis=0)
            if self.rules is not None:
                used |= self.rules.included
            if used.sum() >= wanted:
                break
        return epsilon, last or self.solve(epsilon)
