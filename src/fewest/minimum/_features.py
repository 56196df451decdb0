"""The smallest number of features that separate two classes, with a proof."""

from __future__ import annotations

from typing import Any

from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from fewest._estimators.validation import check_count, check_positive
from fewest.minimum._clock import Clock, limit_threads
from fewest.minimum._data import check_data
from fewest.minimum._driver import Driver
from fewest.minimum._result import MinimumResult


def minimum_features(
    X: Any,
    y: ArrayLike,
    *,
    max_size: int | None = None,
    max_seconds: float | None = None,
    n_solutions: int | None = 1,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> MinimumResult:
    r"""Find the smallest set of features that separates two classes, and prove that it is.

    .. math::

        \min_{w, b} \; \|w\|_0 \quad \text{subject to} \quad y_i (w^\top x_i + b) > 0
        \;\; \text{for all } i.

    The separation is strict and the tolerance is zero: floating-point numbers are treated as exact
    fractions, and whatever rounding leaves open is decided in whole numbers. A set that separates
    by the last digit counts; `margins` shows by how much a set separates.

    Sets of one feature take a scan of the columns, sets of two a bit test of all signed pairs and a
    direct test in the plane of those that pass it. From three on, a branch-and-bound search for set
    covers runs on the same bit sets: a feature with a sign is *bad* on a positive sample p and a
    negative sample q if it does not put p above q, and the members of a separating set are not all
    bad on any such pair, nor on any pair of convex combinations of samples. Sets that pass are
    decided by a linear program; if they separate nothing, its Farkas vector is such a pair of
    combinations, and rules out others as well. The Support Feature Machine and local swaps give the
    first upper bound.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite numbers. Copied, unless it is a float64 array in Fortran order.
    y : array of shape (n_samples,)
        Labels of two classes.
    max_size : int, optional
        Largest size to search completely. What is known of larger sets is still returned.
    max_seconds : float, optional
        Seconds after which the search ends with the best set and the bound proven so far. A step
        under way (tenths of a second, usually) is finished first.
    n_solutions : int or None, default=1
        How many of the smallest sets to return, those with the largest margins first. None: all,
        but no more than 10,000. One and two features are always searched to the end; from three on
        the search ends when this many sets are found.
    n_jobs : int, optional
        Threads, in joblib's sense.
    verbose : int, default=0
        Above zero, shows a progress bar, if tqdm is installed; above one, prints lines on standard
        error instead.

    Returns
    -------
    MinimumResult
        With `size`, `lower_bound`, `certified`, `subsets`, `margins`, `n_found`, `complete`,
        `searched`, `seconds`, and the method `verify(X, y)`, which checks the proofs without a
        solver.

    Raises
    ------
    ValueError
        For anything but finite numbers and two classes.

    Notes
    -----
    Ctrl-C ends the search and discards what is known so far; to keep that, set a time limit.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import minimum_features
    >>> X = np.random.default_rng(0).standard_normal((30, 200))
    >>> y = X[:, 17] + X[:, 52] - X[:, 110] > 0
    >>> result = minimum_features(X, y)
    >>> result.size, result.lower_bound, result.certified
    (3, 3, True)
    >>> result.verify(X, y)
    True
    >>> [step.n_found for step in result.searched]
    [0, 0]
    """
    check_count("max_size", max_size, or_none=True)
    check_count("n_solutions", n_solutions, or_none=True)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    return search_minimum(
        X, y, max_seconds, n_jobs, verbose, max_size=max_size, n_solutions=n_solutions
    )


def search_minimum(
    X: Any,
    y: ArrayLike,
    max_seconds: float | None,
    n_jobs: int | None,
    verbose: int = 0,
    **wanted: Any,
) -> MinimumResult:
    """`minimum_features` without its checks; callers who know a set may pass it as `start`."""
    X, labels = check_data(X, y)
    with Clock(max_seconds, verbose) as clock, limit_threads(effective_n_jobs(n_jobs)):
        return Driver(X, labels, clock, **wanted).run()
