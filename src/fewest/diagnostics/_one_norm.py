"""When the one-norm finds the fewest features directly: theorem 1 of Klement et al. (2013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_data,
    check_flag,
    check_positive,
    encode_two_classes,
    mask_columns,
    standardize_columns,
)
from fewest._run.progress import progress_bar
from fewest._showing import Shown
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine, unit_margin
from fewest._solvers.result import Status
from fewest._types import FloatArray, IndexArray
from fewest.datasets import make_gaussian
from fewest.exceptions import NotSeparableError

PROGRAMS = {"sfm": support_feature_machine, "zero_norm": unit_margin}
# Ratios this close to one are one, up to the rounding of the solver.
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False, repr=False)
class OneNormCondition(Shown):
    """Whether the first linear program finds these features among all.

    Attributes
    ----------
    holds : bool
        Whether `largest` is below one.
    largest : float
        The largest absolute value of `ratios` among the other features; zero if there are none.
    ratios : array of shape (n_features,)
        The gain of a unit of each feature, relative to its cost; -1 or 1 for `features`.
    features : array of int
        The given features that get a weight; all others count as other features.
    weights : array of float
        These weights, on standardised columns unless ``standardize=False``.
    samples : array of int
        The samples on their limit.
    """

    holds: bool
    largest: float
    ratios: FloatArray
    features: IndexArray
    weights: FloatArray
    samples: IndexArray


@dataclass(frozen=True, repr=False)
class SimulatedCondition(Shown):
    """How often the condition held on random data, by program: "sfm" and "zero_norm".

    `share` is measured on `n_runs` data sets, with `standard_error`. `predicted` is what the
    approximate argument of Klement et al. (2013) gives.
    """

    share: dict[str, float]
    standard_error: dict[str, float]
    predicted: dict[str, float]
    n_runs: int


def one_norm_condition(
    X: Any,
    y: ArrayLike,
    features: ArrayLike,
    *,
    program: str = "sfm",
    intercept: bool = True,
    standardize: bool = True,
) -> OneNormCondition:
    r"""Whether the one-norm finds a given set of features that separates the classes.

    Let w be the solution of the first linear program restricted to the set. It solves the program
    over all features too, and is its only solution, if and only if

    .. math::

        \big\| Z_2 Z_1^\top (Z_1 Z_1^\top)^{-1} 1 \big\|_\infty < 1,

    where the columns of Z are the samples on their limit, times their labels and times the signs of
    w (for the Support Feature Machine the last one is the equality's), :math:`Z_1` has the rows of
    the features with a weight and :math:`Z_2` all others (Klement, Anders & Martinetz 2013, theorem
    1, who state that it is necessary; Klement's thesis 2013, theorem 3.3.2). :math:`Z_1` is square
    and has an inverse, so the vector is :math:`Z_2 \lambda` with the dual variables
    :math:`\lambda = Z_1^{-1} 1` of the restricted program: the ratio of gain and price by which the
    simplex method would let other features in. This is how it is computed here, with a bias too.

    So if the set is a smallest one (`fewest.minimum_features`) and the condition holds, a single
    linear program finds the fewest features. If it fails, the program prefers other features, with
    a smaller sum of absolute weights; reweighting may still recover the set.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Two classes.
    features : array of int or bool
        The set: indices, or a mask such as ``machine.support_``.
    program : {"sfm", "zero_norm"}
        The hard Support Feature Machine, or Weston's program, which has a margin.
    intercept : bool
        Whether the hyperplane may miss the origin; the theorem is stated without that.
    standardize : bool
        Divide columns by their standard deviations first, as the machines do.

    Returns
    -------
    OneNormCondition

    Raises
    ------
    NotSeparableError
        If the features do not separate the classes.

    Notes
    -----
    The theorem assumes samples in general position. If more samples are on their limit than
    features have a weight, the ratios are those of one of several dual solutions: the condition
    is then still sufficient, but no longer necessary.

    References
    ----------
    S. Klement, S. Anders, T. Martinetz: The Support Feature Machine: classification with the least
    number of features and application to neuroimaging data. Neural Computation 25 (2013), app. A.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.diagnostics import one_norm_condition
    >>> X, y = make_gaussian(n=100, d=500, k=3, mu=1.0, separable=True, random_state=0)
    >>> sfm = one_norm_condition(X, y, [0, 1, 2])
    >>> weston = one_norm_condition(X, y, [0, 1, 2], program="zero_norm")
    >>> print(f"{sfm.largest:.2f} {sfm.holds}, {weston.largest:.2f} {weston.holds}")
    0.43 True, 14.61 False
    """
    check_choice("program", program, tuple(PROGRAMS))
    check_flag("intercept", intercept)
    check_flag("standardize", standardize)
    X, y = check_data(BaseEstimator(), X, y)
    chosen = _as_indices(features, X.shape[1])
    _, codes = encode_two_classes("one_norm_condition", y)
    signs = np.where(codes == 1, 1.0, -1.0)
    n = len(signs)
    if not intercept:
        # With the mirror image of every sample in the other class, the best bias is zero.
        X = sparse.vstack([X, -X], format="csc") if sparse.issparse(X) else np.vstack([X, -X])
        signs = np.concatenate([signs, -signs])
    columns = standardize_columns(X, per_column=standardize)
    others = np.setdiff1d(np.arange(X.shape[1]), chosen)
    found = solve(PROGRAMS[program](signs), mask_columns(columns, others))
    if found.status is Status.INFEASIBLE or not np.isfinite(found.objective):
        raise NotSeparableError(
            f"the {len(chosen)} feature(s) given do not separate the classes, so there is no "
            "hyperplane to ask about. Give a set that does, for example one of minimum_features"
        )
    ratios = columns.price(found.dual)
    used = np.zeros(X.shape[1], dtype=bool)
    used[found.features] = True
    largest = float(np.abs(ratios[~used]).max(initial=0.0))
    weights = found.w if standardize else found.w * columns.inverse_scale[found.features]
    return OneNormCondition(
        holds=largest < 1.0 - _ROUNDING,
        largest=largest,
        ratios=ratios,
        features=found.features,
        weights=weights,
        samples=np.unique(np.flatnonzero(found.alpha) % n),
    )


def _as_indices(features: ArrayLike, d: int) -> IndexArray:
    chosen = np.atleast_1d(np.asarray(features))
    if chosen.dtype == bool and chosen.shape == (d,):
        chosen = np.flatnonzero(chosen)
    is_valid = chosen.ndim == 1 and len(chosen) > 0 and chosen.dtype.kind in "iu"
    if not is_valid or chosen.min() < 0 or chosen.max() >= d:
        raise ValueError(
            f"features must be one or more column numbers from 0 to {d - 1}, or a mask of {d} "
            f"values of which one is true; got {features!r}"
        )
    return np.unique(chosen).astype(np.intp)


def simulate_one_norm_condition(
    n: int,
    d: int,
    k: int,
    mu: float,
    *,
    n_runs: int = 100,
    random_state: Any = None,
    verbose: int = 0,
) -> SimulatedCondition:
    r"""Measure how often the one-norm finds the informative features directly, for both programs.

    Data are those of `make_gaussian`: k features of mean :math:`\mu y`, the others noise, separable
    in the k features; hyperplanes pass through the origin. The condition is tested for the solution
    in the k features. Klement et al. (2013, app. A) argue, as if the samples on their limit were
    any samples, that noise enters as :math:`N(0, 1/k)` in Weston's program and as
    :math:`N(0, 1/n)` in the Support Feature Machine, so that it holds with probability

    .. math::

        (2 \Phi(\mu \sqrt k) - 1)^{d - k} \qquad \text{and} \qquad
        (2 \Phi(\mu \sqrt n) - 1)^{d - k}.

    Parameters
    ----------
    n : int
        Number of samples.
    d : int
        Number of features.
    k : int
        Number of informative features.
    mu : float
        Half the distance between the class means in each of them.
    n_runs : int
        Number of data sets.
    random_state : int, RandomState instance or None
        Seed of the data.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    SimulatedCondition

    Examples
    --------
    >>> from fewest.diagnostics import simulate_one_norm_condition
    >>> found = simulate_one_norm_condition(100, 50, 3, 1.0, n_runs=20, random_state=0)
    >>> found.share
    {'sfm': 1.0, 'zero_norm': 0.0}
    """
    for name, value in (("n", n), ("d", d), ("k", k), ("n_runs", n_runs)):
        check_count(name, value)
    check_positive("mu", mu)
    rng = check_random_state(random_state)
    held: dict[str, list[bool]] = {program: [] for program in PROGRAMS}
    for _ in progress_bar(range(n_runs), n_runs, verbose > 0, what="random data sets", unit="set"):
        X, y = make_gaussian(n, d, k, mu, separable=True, random_state=rng)
        for program, seen in held.items():
            found = one_norm_condition(
                X, y, np.arange(k), program=program, intercept=False, standardize=False
            )
            seen.append(found.holds)
    share = {program: float(np.mean(seen)) for program, seen in held.items()}
    averaged = {"sfm": n, "zero_norm": k}
    return SimulatedCondition(
        share=share,
        standard_error={
            program: float(np.sqrt(p * (1.0 - p) / n_runs)) for program, p in share.items()
        },
        predicted={
            program: float((2.0 * norm.cdf(mu * np.sqrt(m)) - 1.0) ** (d - k))
            for program, m in averaged.items()
        },
        n_runs=n_runs,
    )
