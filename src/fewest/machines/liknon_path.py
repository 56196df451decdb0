"""Liknon for a sequence of C, or for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.tasks import BinaryTask
from fewest._estimators.validation import check_count, check_list, unscale
from fewest._showing import Shown
from fewest._solvers.linear.path import ExactPath, PathSolver
from fewest._solvers.problem import class_mean_vector
from fewest._solvers.result import Result
from fewest._types import FloatArray
from fewest.machines._exact_path import follow_exactly
from fewest.machines.liknon import Liknon, common_scale, liknon_problem

__all__ = ["LiknonPath", "exact_liknon_path", "liknon_path"]

# Between values of C that are closer than by this factor, no further one is inserted.
_CLOSEST_VALUES = 1.01


@dataclass(frozen=True, eq=False, repr=False)
class LiknonPath(Shown):
    r"""Solutions for the values `Cs`, in their order, with weights for X as it was given.

    The ratios compare a discriminant with the class difference a (N / 2 times the difference of the
    class means), both on the columns as they were used. Pranckeviciene & Somorjai (2011) bound the
    ratio of (8.23) by C. Their proof holds for the two-norm machine; for Liknon, whose solutions
    satisfy :math:`\|w\|_1 = \sum_i \alpha_i y_i w^T x_i`, the same steps give

    .. math:: \frac{\|w\|_1}{a^T w} \;\le\; \frac{1}{N} \sum_i \alpha_i \;\le\; C.

    Attributes
    ----------
    Cs : array of shape (n_Cs,)
        Costs.
    coefs, intercepts : arrays of shape (n_Cs, n_features) and (n_Cs,)
        Weights and biases.
    objectives, gaps : arrays of shape (n_Cs,)
        Objective of each program, and its relative duality gap.
    ratios : array of shape (n_Cs,)
        |w|^2 / (a . w) = |w| / (|a| cos(w, a)) of (8.23), the quantity whose logarithm is lr in
        fig. 8.5. It may exceed C where a weight exceeds one, which depends on the unit of the
        columns. NaN where w = 0, as the next two.
    one_norm_ratios : array of shape (n_Cs,)
        |w|_1 / (a . w). It exceeds neither `mean_alphas` nor C.
    standard_ratios : array of shape (n_Cs,)
        m / (a . e) of (8.26), with the standard discriminant e (1 or -1 on the m selected
        features). (8.26) bounds it by `mean_alphas`, which holds for a single feature. Of several
        features, some may help the others without any class difference, and the bound fails.
    mean_alphas : array of shape (n_Cs,)
        Mean of the dual variables, at most C (times the mean class weight).
    """

    report_kind = "path"  # as which `fewest.report` takes it
    Cs: FloatArray
    coefs: FloatArray
    intercepts: FloatArray
    objectives: FloatArray
    gaps: FloatArray
    ratios: FloatArray
    one_norm_ratios: FloatArray
    standard_ratios: FloatArray
    mean_alphas: FloatArray

    @property
    def n_features(self) -> NDArray[np.intp]:
        """Number of features with a weight, for every C."""
        return np.count_nonzero(self.coefs, axis=1)


def liknon_path(
    X: Any,
    y: ArrayLike,
    Cs: ArrayLike,
    *,
    standardize: bool = True,
    class_weight: Any = None,
    tol: float = 1e-7,
    max_jump: int | None = None,
) -> LiknonPath:
    """Solve Liknon for every C, each program starting from the last one.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Samples of two classes.
    y : array of shape (n_samples,)
        Labels; the larger one is the positive class.
    Cs : array of shape (n_Cs,)
        Positive costs, best in increasing order.
    standardize, class_weight, tol
        As for `Liknon`.
    max_jump : int or None
        Insert further values where the number of features changes by more than this from one C to
        the next, by halving the interval (of log C), down to a percent. The values are sorted then.

    Returns
    -------
    LiknonPath

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest import liknon_path
    >>> X, y = make_gaussian(n=100, d=500, k=3, mu=1.0, random_state=0)
    >>> liknon_path(X, y, [0.005, 0.02, 0.05]).n_features
    array([0, 3, 5])
    >>> liknon_path(X, y, [0.005, 0.02], max_jump=1).n_features
    array([0, 0, 1, 2, 3, 3])
    """
    values = check_list("Cs", Cs)
    machine = Liknon(C=1.0, standardize=standardize, class_weight=class_weight, tol=tol)
    task = machine._binary_task(X, y)
    return follow_liknon(task, values, standardize=standardize, tol=tol, max_jump=max_jump)


def follow_liknon(
    task: BinaryTask,
    Cs: FloatArray,
    *,
    standardize: bool,
    tol: float = 1e-7,
    max_jump: int | None = None,
) -> LiknonPath:
    """`liknon_path` for a task that has the costs of C = 1."""
    columns, problem = task.columns, liknon_problem(task, standardize=standardize)
    solver = PathSolver(problem, columns, tol=tol)
    if max_jump is None:
        results = solver.solve_all(Cs)
    else:
        check_count("max_jump", max_jump)
        Cs, results = _fill_jumps(solver, np.unique(Cs), max_jump)
    unit = common_scale(columns, standardize)
    difference = len(task.y) / 2 * columns.price(class_mean_vector(task.y))
    coefs = np.zeros((len(results), columns.n_features))
    intercepts = np.zeros(len(results))
    for row, result in enumerate(results):
        raw, intercepts[row] = unscale(columns, result.features, result.w, result.b)
        coefs[row, result.features] = raw
    ratios, one_norm_ratios, standard_ratios = np.transpose(
        [_find_ratios(result, difference) for result in results]
    )
    return LiknonPath(
        Cs=Cs,
        coefs=coefs,
        intercepts=intercepts,
        objectives=np.array([result.objective for result in results]) / unit,
        gaps=np.array([result.gap for result in results]),
        ratios=ratios / unit**2,
        one_norm_ratios=one_norm_ratios / unit,
        standard_ratios=standard_ratios / unit,
        mean_alphas=np.array([result.alpha.mean() for result in results]) / unit,
    )


def exact_liknon_path(
    X: Any,
    y: ArrayLike,
    *,
    C_min: float,
    C_max: float,
    standardize: bool = True,
    class_weight: Any = None,
    tol: float = 1e-7,
    max_solutions: int = 10_000,
) -> ExactPath:
    """Every C between two values at which the solution of Liknon changes.

    Parameters
    ----------
    X, y, standardize, class_weight, tol
        As for `liknon_path`.
    C_min, C_max : float
        Ends of the path.
    max_solutions : int
        Where to give up; `complete` shows whether that happened.

    Returns
    -------
    ExactPath
        `breakpoints`, and the certified `results` between them (on standardised columns).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest import exact_liknon_path
    >>> X, y = make_gaussian(n=40, d=30, k=3, mu=1.0, random_state=0)
    >>> path = exact_liknon_path(X, y, C_min=0.001, C_max=0.1)
    >>> path.results[0].n_features, len(path.results) == len(path.breakpoints) + 1
    (0, True)
    """
    machine = Liknon(C=1.0, standardize=standardize, class_weight=class_weight, tol=tol)
    return follow_exactly(machine, X, y, C_min, C_max, max_solutions)


def _fill_jumps(
    solver: PathSolver, values: FloatArray, max_jump: int
) -> tuple[FloatArray, list[Result]]:
    """Values in between wherever the number of features changes by more than `max_jump`."""
    results = solver.solve_all(values)
    while True:
        counts = np.array([result.n_features for result in results])
        wide = (np.abs(np.diff(counts)) > max_jump) & (values[1:] > _CLOSEST_VALUES * values[:-1])
        places = np.flatnonzero(wide) + 1
        if not len(places):
            return values, results
        between = np.sqrt(values[places - 1] * values[places])
        for place, result in zip(places[::-1], solver.solve_all(between)[::-1], strict=True):
            results.insert(place, result)
        values = np.insert(values, places, between)


def _find_ratios(result: Result, difference: FloatArray) -> tuple[float, float, float]:
    """|w|^2, |w|_1 and m, each divided by the class difference along w, w and e = sign(w)."""
    if not result.n_features:
        return np.nan, np.nan, np.nan
    w, a = result.w, difference[result.features]
    along, e = float(a @ w), np.sign(w)
    return float(w @ w) / along, float(np.abs(w).sum()) / along, len(w) / float(a @ e)
