"""The first program of the Support Feature Machine for every C."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from fewest._solvers.linear.path import ExactPath
from fewest.machines._exact_path import follow_exactly
from fewest.machines.sfm import SupportFeatureMachine

__all__ = ["exact_sfm_path"]


def exact_sfm_path(
    X: Any,
    y: ArrayLike,
    *,
    C_min: float,
    C_max: float,
    class_weight: Any = "balanced",
    constraint: str = "class_means",
    standardize: bool = True,
    tol: float = 1e-7,
    max_solutions: int = 10_000,
) -> ExactPath:
    """Every C between two values at which the machine's first linear program changes its solution.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Samples of two classes.
    y : array of shape (n_samples,)
        Labels; the larger one is the positive class.
    C_min, C_max : float
        Ends of the path.
    class_weight, constraint, standardize, tol
        As for `SupportFeatureMachine`.
    max_solutions : int
        Where to give up; `complete` shows whether that happened.

    Returns
    -------
    ExactPath
        `breakpoints`, and the certified `results` between them (on standardised columns).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest import exact_sfm_path
    >>> X, y = make_gaussian(n=60, d=500, k=5, mu=0.5, random_state=0)
    >>> path = exact_sfm_path(X, y, C_min=0.001, C_max=10.0)
    >>> path.results[0].n_features, path.complete
    (1, True)
    """
    machine = SupportFeatureMachine(
        C=1.0, class_weight=class_weight, constraint=constraint, standardize=standardize, tol=tol
    )
    return follow_exactly(machine, X, y, C_min, C_max, max_solutions)
