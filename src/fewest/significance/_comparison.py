"""Is one method really better than another? The tests with which methods are often compared.

Wilcoxon's signed-rank test and the paired t-test are those of :mod:`scipy.stats`; this module has
what they need in addition, and the test for the difference of two proportions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.base import is_classifier
from sklearn.model_selection import cross_val_score

from fewest._estimators.splits import split_folds
from fewest._estimators.validation import check_not_negative, check_pairs, check_share
from fewest._showing import Shown
from fewest._types import FloatArray

_SMALL = 10  # samples of a test set for which a proportion is not normal


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Outcome of a test of two methods.

    Attributes
    ----------
    statistic, p_value : float
        Of the test; the p-value is two-sided. A negative statistic means smaller values for the
        first method.
    differences : array
        First minus second, one for each pair that was compared.
    """

    statistic: float
    p_value: float
    differences: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Proportions(Shown):
    """Outcome of the tests of two proportions of errors, one for each test set.

    Attributes
    ----------
    statistic : array of shape (n_sets,)
        Standard normal if the proportions are equal; negative if the first method errs less.
    p_value : array of shape (n_sets,)
        Two-sided, of each test alone.
    adjusted : array of shape (n_sets,)
        The same after the procedure of Benjamini and Hochberg.
    first_better, second_better : int
        Number of significant differences at the false discovery rate `rate`.
    rate : float
        That rate.
    """

    statistic: FloatArray
    p_value: FloatArray
    adjusted: FloatArray
    first_better: int
    second_better: int
    rate: float


def compare_proportions(
    first_errors: ArrayLike, second_errors: ArrayLike, n_tests: ArrayLike, *, rate: float = 0.05
) -> Proportions:
    r"""Difference of two proportions on each of several test sets, with a false discovery rate.

    With shares of errors p1 and p2 on a test set of n samples and their mean p,

    .. math:: z = (p_1 - p_2) / \sqrt{2 p (1 - p) / n}

    is standard normal if the methods are equally good, and test sets are not small: below ten
    samples the p-value is that of Fisher's exact test. The p-values of all test sets are then
    adjusted together by the procedure of Benjamini and Hochberg. They are about these classifiers,
    not about how they would vary if they were trained on other samples.

    Parameters
    ----------
    first_errors, second_errors : array of shape (n_sets,), or a number
        Number of test samples that each method misclassifies (not a share).
    n_tests : array of shape (n_sets,), or a number
        Samples of each test set.
    rate : float, default=0.05
        False discovery rate, in (0, 1).

    Returns
    -------
    Proportions

    References
    ----------
    T. G. Dietterich: Approximate statistical tests for comparing supervised classification learning
    algorithms. Neural Computation 10 (1998).

    Y. Benjamini, Y. Hochberg: Controlling the false discovery rate. Journal of the Royal
    Statistical Society B 57 (1995).

    Examples
    --------
    >>> from fewest.significance import compare_proportions
    >>> found = compare_proportions([100, 120, 115], [150, 121, 170], 500)
    >>> found.adjusted < 0.05
    array([ True, False,  True])
    >>> found.first_better, found.second_better
    (2, 0)
    """
    check_share("rate", rate, strictly=True)
    lists = [np.atleast_1d(values) for values in (first_errors, second_errors, n_tests)]
    try:
        first, second, n = np.broadcast_arrays(*lists)
    except ValueError as error:
        raise ValueError("first_errors, second_errors and n_tests differ in length") from error
    for name, errors in (("first_errors", first), ("second_errors", second)):
        if errors.ndim != 1 or np.any(errors != np.floor(errors)) or np.any(errors < 0):
            raise ValueError(f"{name} must be whole numbers of errors, none below zero")
        if np.any(errors > n):
            raise ValueError(f"{name} has more errors than there are test samples")
    if np.any(n < 1):
        raise ValueError("n_tests must be at least one")
    share = (first + second) / (2 * n)
    deviation = np.sqrt(2 * share * (1 - share) / n)
    difference = (first - second) / n
    # Without any error, or with nothing but errors, the methods do not differ.
    z = np.divide(difference, deviation, out=np.zeros(len(n)), where=deviation > 0)
    p_value = 2 * stats.norm.sf(np.abs(z))
    for place in np.flatnonzero(n < _SMALL):
        own = first[place], second[place]
        table = [own, tuple(n[place] - one for one in own)]
        p_value[place] = stats.fisher_exact(table).pvalue
    adjusted = np.asarray(stats.false_discovery_control(p_value, method="bh"))
    significant = adjusted <= rate
    first_better, second_better = (int(np.sum(significant & side)) for side in (z < 0, z > 0))
    return Proportions(z, p_value, adjusted, first_better, second_better, rate)


def paired_t_test(first: ArrayLike, second: ArrayLike, *, overlap: float = 0.0) -> Comparison:
    r"""Paired t-test on scores of two methods, which are independent or of the folds of a study.

    Training sets of folds share samples, so scores of folds vary less than those of new data, and
    the plain test finds differences too often. Nadeau and Bengio replace the variance of the mean
    :math:`s^2 / k` by

    .. math:: s^2 \left( \frac{1}{k} + \frac{n_{test}}{n_{train}} \right).

    Parameters
    ----------
    first, second : arrays of shape (n_folds,)
        Scores or errors of the two methods.
    overlap : float, default=0
        Samples of a test set divided by those of a training set: 1/9 for ten folds. 0 for scores
        that are independent, as those of several data sets.

    Returns
    -------
    Comparison
        The p-value is NaN if all differences are the same but not zero: nothing says then how they
        vary.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning 52 (2003).

    Examples
    --------
    >>> from fewest.significance import paired_t_test
    >>> found = paired_t_test([0.10, 0.12, 0.09, 0.11], [0.13, 0.14, 0.13, 0.16])
    >>> print(f"t = {found.statistic:.2f}, p = {found.p_value:.4f}")
    t = -5.42, p = 0.0123
    """
    check_not_negative("overlap", overlap)
    difference = _differences(first, second)
    if np.ptp(difference) == 0.0:  # the t statistic would be 0/0 or infinite
        same = bool(difference[0] == 0.0)
        statistic = 0.0 if same else float(np.copysign(np.inf, difference[0]))
        return Comparison(statistic, 1.0 if same else np.nan, difference)
    n_folds = len(difference)
    error = float(difference.std(ddof=1) * np.sqrt(1.0 / n_folds + overlap))
    statistic = float(difference.mean()) / error
    p_value = 2.0 * float(stats.t.sf(abs(statistic), n_folds - 1))
    return Comparison(statistic, p_value, difference)


def cross_validated_t_test(
    first: Any, second: Any, X: Any, y: ArrayLike, *, cv: Any = 10, scoring: Any = None
) -> Comparison:
    """Paired t-test of two estimators on the folds of one cross-validation, corrected for overlap.

    See `paired_t_test`; even so, the test is approximate.

    Parameters
    ----------
    first, second : estimators
        Both classifiers, or both regressors.
    X, y : arrays
        Data.
    cv : int, splitter or iterable, default=10
        Folds, the same for both.
    scoring : str or callable, optional
        Score; None uses the estimators' own.

    Returns
    -------
    Comparison
        Differences of scores: positive values favour the first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from fewest import PotentialSVC
    >>> from fewest.significance import cross_validated_t_test
    >>> X, y = load_iris(return_X_y=True)
    >>> found = cross_validated_t_test(PotentialSVC(), DummyClassifier(), X, y)
    >>> found.statistic > 0, found.p_value < 0.001
    (True, True)
    """
    splits = split_folds(cv, np.asarray(y), classes=is_classifier(first))
    scores = [cross_val_score(one, X, y, cv=splits, scoring=scoring) for one in (first, second)]
    overlap = float(np.mean([len(test) / len(train) for train, test in splits]))
    return paired_t_test(*scores, overlap=overlap)


def signed_rank_test(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Wilcoxon's signed-rank test on paired values, such as errors on the same test samples.

    Parameters
    ----------
    first, second : arrays of shape (n_pairs,)
        Values of the two methods.

    Returns
    -------
    Comparison
        The statistic is the sum of the ranks of positive differences minus that of negative ones.

    Examples
    --------
    >>> from fewest.significance import signed_rank_test
    >>> found = signed_rank_test([1.0, 2.0, 1.5, 0.5, 1.0], [1.5, 2.6, 1.9, 1.3, 1.9])
    >>> found.statistic, found.p_value
    (-15.0, 0.0625)
    """
    difference = _differences(first, second)
    moved = difference[difference != 0.0]
    if not len(moved):
        return Comparison(0.0, 1.0, difference)
    statistic = float(np.sum(np.sign(moved) * stats.rankdata(np.abs(moved))))
    return Comparison(statistic, float(stats.wilcoxon(moved).pvalue), difference)


def _differences(first: ArrayLike, second: ArrayLike) -> FloatArray:
    one, two = check_pairs(2, first=first, second=second)
    return one - two
