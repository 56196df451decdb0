"""The smallest number of features that separate all classes, with a proof."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from fewest._estimators.rules import Rules
from fewest._estimators.validation import check_count, check_positive
from fewest.minimum._clock import Clock
from fewest.minimum._data import check_data, read_names, read_rules_of
from fewest.minimum._driver import Driver
from fewest.minimum._result import MinimumResult
from fewest.minimum._threads import limit_threads


def minimum_features(
    X: Any,
    y: ArrayLike,
    *,
    max_errors: int = 0,
    max_size: int | None = None,
    max_seconds: float | None = None,
    n_solutions: int | None = 1,
    include: Any = None,
    exclude: Any = None,
    feature_cost: Any = None,
    feature_groups: Any = None,
    one_per_group: bool = False,
    signs: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> MinimumResult:
    r"""Find the smallest set of features that separates all classes, with a proof.

    .. math::

        \min_{w, b} \; \|w\|_0 \quad \text{subject to} \quad y_i (w^\top x_i + b) > 0
        \;\; \text{for all } i.

    With more than two classes, every two of them have their own hyperplane, and the number of
    features that any of these hyperplanes needs is minimised:

    .. math::

        \min_{w, b} \; \bigl|\{j : w_{kl,j} \ne 0 \text{ for some } k < l\}\bigr| \quad
        \text{subject to} \quad w_{kl}^\top x_i + b_{kl} \; \begin{cases} > 0 & y_i = l \\
        < 0 & y_i = k \end{cases} \;\; \text{for all } i, k < l.

    The separation is strict and the tolerance is zero: floating-point numbers are treated as exact
    fractions, and anything that rounding leaves open is decided in whole numbers. A set that
    separates only in the last digit counts; `margins` shows by how much a set separates.

    Sets of one feature take a scan of the columns, sets of two a bit test of all signed pairs and a
    direct test in the plane of those that pass it. From three on, a branch-and-bound search for set
    covers runs on the same bit sets: a feature with a sign is *bad* on a positive sample p and a
    negative sample q if it does not rank p above q, and the members of a separating set are not all
    bad on any such pair, nor on any pair of convex combinations of samples. Sets that pass are
    decided by a linear program; if they do not separate, its Farkas vector is such a pair of
    combinations, and rules out others as well. The Support Feature Machine and local swaps give the
    first upper bound. Many classes are searched pair by pair, the two that are hardest to separate
    first.

    With `max_errors`, that many samples may be wrong: on a hyperplane of their class or beyond it.
    The search decides which ones; see `error_front` for how it works. With more than two classes
    a sample is wrong if it is wrong for any two classes; the hyperplanes separate all others.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
        Finite numbers. Copied, unless it is a float64 array in Fortran order. Names of columns are
        kept (`feature_names`, `names`).
    y : array of shape (n_samples,)
        Labels of two or more classes.
    max_errors : int, default=0
        How many samples the set may misclassify. If the smaller class has no more samples than
        that, no feature is needed.
    max_size : int, optional
        Largest size to search completely. What is known of larger sets is still returned.
    max_seconds : float, optional
        Seconds after which the search ends with the best set and the bound proven so far. What is
        under way is given up, within a second.
    n_solutions : int or None, default=1
        How many of the smallest sets to return, those with the largest margins first. None: all,
        but no more than 10,000. One and two features are always searched to the end; from three on
        the search ends when this many sets are found.
    include : list of features, optional
        Always in the set, and not counted; at most eight. The others must separate the classes
        together with them. Name features by number, or by name if X is a data frame.
    exclude : list of features, optional
        Never in the set.
    feature_cost : float, array or dict of features, optional
        What each feature costs (1 unless given): the price of the set is minimised instead of its
        number of features. Prices are added up as the decimal numbers that they are printed as,
        without rounding, so 0.1 and 0.2 cost as much as 0.3. From 1e-150 to 1e150.
    feature_groups : array of labels or dict of lists, optional
        Features that are paid for together: a group costs as much as the most expensive of its
        features in the set, and its other features up to that price are free. One set of features
        is returned for each choice of groups.
    one_per_group : bool, default=False
        At most one feature of each group, at its own price.
    signs : int, array or dict of features, optional
        1 for features that must be higher in the second of two classes (a weight of at least
        zero), -1 for those that must be lower, 0 for either. Those of `include` may have any.
    n_jobs : int, optional
        Threads, as in joblib.
    verbose : int, default=0
        Above zero, shows a progress bar, if tqdm is installed; above one, prints lines on standard
        error instead.

    Returns
    -------
    MinimumResult
        With `size`, `lower_bound`, `certified`, `subsets`, `names`, `margins`, `n_found`,
        `complete`, `searched`, `inseparable`, `seconds`, and the method `verify(X, y)`, which
        checks the proofs without a solver. Under rules it is a `RuledMinimum`, with `price` and
        `price_bound` too.

    Raises
    ------
    ValueError
        If X has values that are not finite, if there are fewer than two classes, or if rules
        contradict each other.

    Notes
    -----
    Ctrl-C ends the search and discards its results so far; to keep them, set a time limit.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import minimum_features
    >>> X = np.random.default_rng(0).standard_normal((30, 200))
    >>> y = X[:, 17] + X[:, 52] - X[:, 110] > 0
    >>> result = minimum_features(X, y)
    >>> result.size, result.lower_bound, result.certified
    (3, 3, True)
    >>> bool(result.verify(X, y, search=True))
    True
    >>> print(result)  # doctest: +ELLIPSIS
    MinimumResult: 3 features, proven to be the fewest
      set       52, 54, 110 (margin 0.104)
      sets      1 of 1 found; there may be more
      searched  20,100 sets of up to 2 features
      data      200 columns
      seconds   ...
    >>> [step.n_found for step in result.searched]
    [0, 0]

    Four classes in the corners of a square: with two features, a line separates any two of them.

    >>> y = 2 * (X[:, 17] > 0) + (X[:, 52] > 0)
    >>> result = minimum_features(X, y, n_solutions=None)
    >>> [subset.tolist() for subset in result.subsets]
    [[17, 52]]

    If two samples may be wrong, fewer features are enough:

    >>> y = X[:, 17] + X[:, 52] - X[:, 110] > 0
    >>> result = minimum_features(X, y, max_errors=2)
    >>> result.size, result.certified, result.subsets[0].tolist(), result.separations[0].wrong
    (2, True, [73, 110], (8, 10))

    Feature 17 is already known, and feature 110 is expensive: what must be added to 17?

    >>> result = minimum_features(X, y, include=[17], feature_cost={110: 3.0})
    >>> result.subsets[0].tolist(), result.size, result.price, result.certified
    ([17, 52, 106], 2, 2.0, True)
    """
    check_count("max_errors", max_errors, or_zero=True)
    check_count("max_size", max_size, or_none=True)
    check_count("n_solutions", n_solutions, or_none=True)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    rules = read_rules_of(
        X,
        include=include,
        exclude=exclude,
        feature_cost=feature_cost,
        feature_groups=feature_groups,
        one_per_group=one_per_group,
        signs=signs,
    )
    if max_errors:
        from fewest.minimum._general_errors import allow_errors

        wanted: dict[str, Any] = {"max_size": max_size, "n_solutions": n_solutions}
        found = allow_errors(X, y, max_seconds, n_jobs, verbose, rules, int(max_errors), **wanted)
        return replace(found, feature_names=read_names(X))
    wanted = {"max_size": max_size, "n_solutions": n_solutions}
    found = search_minimum(X, y, max_seconds, n_jobs, verbose, rules=rules, **wanted)
    return replace(found, feature_names=read_names(X))


def search_minimum(
    X: Any,
    y: ArrayLike,
    max_seconds: float | None,
    n_jobs: int | None,
    verbose: int = 0,
    rules: Rules | None = None,
    *,
    most_looks: float = math.inf,
    **wanted: Any,
) -> MinimumResult:
    """`minimum_features` without its checks; callers who know a set may pass it as `start`.

    `most_looks` limits the search by its work, which is the same on every computer.
    """
    from fewest.minimum._ruled import RuledDriver, check_rules

    clock = Clock(max_seconds, verbose, most_looks=most_looks)
    X, classes, codes = check_data(X, y)
    with clock, limit_threads(effective_n_jobs(n_jobs)):
        if rules is not None:
            check_rules(rules, len(classes))
            return RuledDriver(X, codes, classes, clock, rules=rules, **wanted).run()
        return Driver(X, codes, classes, clock, **wanted).run()
