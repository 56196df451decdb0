"""Could this few features, or errors, be due to chance? Permuted labels and random data."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.utils import check_random_state, column_or_1d

from fewest._estimators.abilities import abilities_of
from fewest._estimators.held_out import HeldOut, judge_in_parallel
from fewest._estimators.many_samples import MOST_COMPARED, draw_subsample, hold_several
from fewest._estimators.splits import Split, permute_labels, split_folds
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_positive,
    make_dense,
)
from fewest._run.budget import OutOfTimeError
from fewest._run.progress import progress_bar
from fewest._showing import Shown
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.watch import Watch, current_watch, watching
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted
from fewest.significance._measure import Measure, Measured, make_measure
from fewest.significance._together import measure_in_parallel

_TIES = ("auto", "objective", "conservative", "random")
# What follows these digits of an objective is rounding of the solver.
_DIGITS = 6
_GRACE = 1.0  # seconds that the first permutation has beyond the limit
_SHARE = 0.5  # of the time that is left, for the next permutations


@dataclass(frozen=True, eq=False, repr=False)
class PermutedStatistic(Shown):
    """A statistic of the data, and its values by chance; small values are good.

    `p_value` is the share of values, including the observed one, that are at least as good.
    """

    observed: float
    chance: FloatArray = field(repr=False)
    p_value: float

    @property
    def chance_median(self) -> float:
        return float(np.median(self.chance))


@dataclass(frozen=True, repr=False)
class PermutationTest(Shown):
    """Outcome of `permutation_test`; a statistic that was not asked for is None.

    `p_value` is that of both statistics together: the share of labellings whose smaller p-value is
    as small as the data's.
    """

    features: PermutedStatistic | None
    error: PermutedStatistic | None
    p_value: float
    n_permutations: int

    def _headline(self) -> str:
        names = [name for name in ("features", "error") if getattr(self, name) is not None]
        of = " and ".join(names) + " together" * (len(names) > 1)
        number = counted(self.n_permutations, "permutation")
        return f"p = {self.p_value:.3g} for {of} ({number})"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            (
                name,
                f"{one.observed:.4g} observed, {one.chance_median:.4g} by chance (median), "
                f"p = {one.p_value:.3g}",
            )
            for name, one in (("features", self.features), ("error", self.error))
            if one is not None
        ]


def permutation_test(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    statistics: Any = ("features", "error"),
    n_permutations: int = 99,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    exchange: str = "within",
    strata: ArrayLike | None = None,
    blocks: ArrayLike | None = None,
    ties: str = "auto",
    max_seconds: float | None = None,
    held_out: HeldOut | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PermutationTest:
    r"""Compare the features needed, and the cross-validated error, with those of permuted labels.

    With the statistic t of the data and :math:`t_1, \dots, t_B` of permuted labels,

    .. math::

        p = \frac{1 + \#\{b : t_b \le t\}}{1 + B},

    which keeps its level at every sample size, whatever the distribution of X. Means and scales of
    X are computed once for all permutations. If there are many of them, those of the hard
    Support Feature Machine on two classes are computed together, including the folds: one product
    with X serves them all, and the values are the same as those of single fits.

    Parameters
    ----------
    estimator : classifier, or None for SupportFeatureMachine(C=np.inf)
        The machine to test. If it allows errors (a finite C), the statistic "features" is what
        it minimises: features, plus errors at their price. Other classifiers need `get_support` or
        `coef_` for "features", and only their features are counted.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples. An array of torch, CuPy or another library that follows the array API stays on
        its device if the machine solves linear programs.
    y : array of shape (n_samples,)
        Their classes, two or more.
    statistics : "features", "error" or both
        The number of features needed, and the balanced error in cross-validation (1 - 1 / K for
        guessing among K classes). The latter takes one fit per fold.
    n_permutations : int
        B; the smallest possible p-value is 1 / (1 + B).
    cv : int, splitter or list of splits
        Folds of the cross-validation; a number means stratified folds, of whole groups if
        `groups` are given. They are drawn again for every labelling, but for a list of splits.
        Such folds may be balanced by the true classes, so labels change places within them only.
    groups : array of shape (n_samples,), optional
        Samples that belong together: runs of a scanner, or samples of a patient.
    exchange : {"within", "whole"}
        "within" permutes labels within each group, for groups that contain several classes; "whole"
        permutes the labels of groups, for groups of one class each.
    strata : array of shape (n_samples,), optional
        Samples that are alike in what else could explain the classes, such as age and sex:
        labels are permuted only within a stratum, so p is about what the features add to
        it. Strata do not affect the folds.
    blocks : array of shape (n_samples,), optional
        Samples of one class that are alike because they follow each other in time, such as the
        volumes of a block of stimulation: each block gets one label, and blocks exchange theirs
        within groups and strata.
    ties : {"auto", "objective", "conservative", "random"}
        The number of features is a small whole number, so many permutations equal the data.
        "conservative" counts them all as at least as good: p is too large rather than too small.
        "objective" compares such pairs by the optimum of the first linear program, |w|_1 at unit
        distance of the class means, which hardly ever ties and makes the test more powerful.
        "random" puts the data at a random place among the ties: p is exactly uniform under chance,
        but depends on `random_state`. "auto" is "objective" for the machines of this package that
        have one, and "conservative" for others. Errors that tie always count as equal.
    max_seconds : float, optional
        Time limit, after which the test ends with the permutations done so far; `n_permutations`
        of the result is their number. The first one has a second more. A permutation under way is
        given up; a fit of an estimator of another package is finished first.
    held_out : HeldOut, optional
        A cross-validation of `estimator` with the true classes, from `run_held_out`, that tested
        every sample once. Its error is the observed one, and its folds are not fitted again.
        Pass the same `cv` and `random_state`, otherwise permuted classes are judged in
        other folds.
    random_state : int, RandomState instance or None
        Seed of permutations and ties; if `cv` is a number, also shuffles the folds.
    n_jobs : int, optional
        Processes, as in joblib; threads if permutations are computed together.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    PermutationTest

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import permutation_test
    >>> X, y = make_gaussian(n=40, d=500, k=2, mu=1.5, random_state=0)
    >>> found = permutation_test(
    ...     None, X, y, statistics="features", n_permutations=19, random_state=0
    ... )
    >>> found.features.observed, found.features.chance_median
    (2.0, 6.0)
    >>> print(found.features.p_value)
    0.05
    """
    check_count("n_permutations", n_permutations)
    check_choice("exchange", exchange, ("within", "whole"))
    check_choice("ties", ties, _TIES)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    rng = check_random_state(random_state)
    measure, codes = make_measure(
        estimator, X, y, statistics=statistics, cv=cv, groups=groups, random_state=random_state
    )
    if ties == "auto":
        ties = "conservative" if measure.columns is None else "objective"
    elif ties == "objective" and measure.columns is None:
        raise ValueError(
            "ties='objective' needs a machine of this package, whose linear programs have an "
            f"objective; {abilities_of(measure.estimator).name} has none. Take 'random' or "
            "'conservative'"
        )
    # As small as they can be: all permutations are drawn before the first is used.
    compact = codes.astype(np.min_scalar_type(len(measure.classes)))
    parts = _check_per_sample("strata", "stratum", strata, len(codes))
    is_list = not (cv is None or isinstance(cv, Integral) or hasattr(cv, "split"))
    if is_list and "error" in measure.statistics:
        parts = _keep_in_folds(split_folds(measure.cv, codes, measure.groups), codes, parts)
    permuted = permute_labels(
        compact,
        measure.groups,
        n_permutations,
        rng,
        exchange=exchange,
        parts=parts,
        blocks=_check_per_sample("blocks", "block", blocks, len(codes)),
    )
    observed_error = None if held_out is None else _known_error(held_out, y)
    jobs = [(codes, observed_error), *((labels,) for labels in permuted)]
    watch, measured = Watch(max_seconds), list[Measured]()
    with watching(Watch(max_seconds, grace=_GRACE)):
        found = _measure_in_time(measure, jobs, n_jobs)
        bar = progress_bar(found, len(jobs), verbose > 0, what="permutations", unit="trial")
        try:
            for one in bar:
                measured.append(one)
                if watch.is_over and len(measured) >= 2:
                    break
        except (OutOfTimeError, TimeIsUpError) as error:
            if len(measured) < 2:
                raise OutOfTimeError(
                    f"no permutation was done within {max_seconds:g} s: raise max_seconds, or take "
                    "fewer folds, features or samples"
                ) from error
        found.close()
    return compare_trials(measured, measure.statistics, ties, rng)


def _measure_in_time(
    measure: Measure, jobs: list[tuple[Any, ...]], n_jobs: int | None
) -> Generator[Measured, None, None]:
    """The labellings in turn; within a limit in parts, each of which should take half of the rest.

    What is under way is lost at the end. The first part is of this process: others start slowly.
    """
    watch = current_watch()
    if math.isinf(watch.seconds_left):
        yield from measure_in_parallel(measure, jobs, n_jobs)
        return
    start, stop, processes = 0, 2, None
    while start < len(jobs):
        began = time.perf_counter()
        yield from measure_in_parallel(measure, jobs[start:stop], processes)
        share = _SHARE * watch.seconds_left / (time.perf_counter() - began)
        start, stop, processes = stop, stop + max(1, int(share * (stop - start))), n_jobs


def _check_per_sample(
    name: str, one: str, values: ArrayLike | None, n_samples: int
) -> NDArray[Any] | None:
    """One name per sample; None stays None."""
    if values is None:
        return None
    found: NDArray[Any] = column_or_1d(values)
    if len(found) != n_samples:
        raise ValueError(
            f"{name} must name a {one} for each of the {n_samples} samples; got {len(found)}"
        )
    return found


def _keep_in_folds(
    folds: list[Split], codes: IndexArray, strata: NDArray[Any] | None
) -> NDArray[Any] | None:
    """Strata that also part the given folds, so each keeps its classes.

    Folds of one class each, such as single samples, are not balanced: labels may move freely.
    """
    tested = np.concatenate([test for _, test in folds])
    if len(np.unique(tested)) < len(tested):
        warnings.warn(
            "cv is a list of splits that test samples several times. If they are balanced by the "
            "classes (stratified), p is too small: pass a splitter instead of a list",
            UserWarning,
            stacklevel=3,
        )
        return strata
    fold_of = np.full(len(codes), -1)
    for number, (_, test) in enumerate(folds):
        fold_of[test] = number
    if not hold_several(codes, fold_of).any():
        return strata
    given = np.zeros(len(codes)) if strata is None else np.unique(strata, return_inverse=True)[1]
    return np.unique(np.column_stack([given, fold_of]), axis=0, return_inverse=True)[1].ravel()


def _known_error(held_out: HeldOut, y: ArrayLike) -> float:
    """The balanced error of a cross-validation that is of these classes, all of them once."""
    if not np.array_equal(held_out.y, np.asarray(y)):
        raise ValueError("held_out is a cross-validation of other classes than y")
    held_out.in_order(held_out.predicted)  # an error unless every sample was judged once
    return held_out.balanced_error


def compare_trials(
    measured: list[Measured], statistics: tuple[str, ...], ties: str, rng: np.random.RandomState
) -> PermutationTest:
    """The first trial against all others, by each statistic and by all together.

    The latter is how many trials have so small a smallest p-value, which is exact as well, and
    takes account of statistics that go together.
    """
    found, places = {}, []
    for statistic in statistics:
        values = np.array([getattr(one, statistic) for one in measured])
        pairs = values[:, None]
        if ties == "objective" and statistic == "features":
            objectives = [float(f"{one.objective:.{_DIGITS}g}") for one in measured]
            pairs = np.column_stack([values, objectives])
        levels = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
        equal = int(np.sum(levels[1:] == levels[0]))
        if ties == "random":
            equal = rng.randint(equal + 1)
        better = int(np.sum(levels[1:] < levels[0]))
        p_value = (1 + better + equal) / len(values)
        found[statistic] = PermutedStatistic(float(values[0]), values[1:], p_value)
        places.append(rankdata(levels, method="max"))
    if len(found) > 1:
        smallest = np.min(places, axis=0)
        p_value = float(np.mean(smallest <= smallest[0]))
    return PermutationTest(found.get("features"), found.get("error"), p_value, len(measured) - 1)


@dataclass(frozen=True, repr=False)
class ChanceSimulation(Shown):
    """Outcome of `chance_simulation`.

    `separable` is the share of random data sets that the machine could fit at all: below one only
    if it allows no errors. A statistic that was not asked for is None.
    """

    features: PermutedStatistic | None
    error: PermutedStatistic | None
    separable: float
    n_simulations: int


def chance_simulation(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    statistics: Any = "features",
    covariance: str = "independent",
    n_simulations: int = 99,
    cv: Any = 5,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ChanceSimulation:
    """How often, and with how few features, random data of the same shape are separated.

    The random data have the same number of samples and features and the same class sizes, drawn
    from one Gaussian distribution for all classes; the machine is fitted to each such data set.

    Parameters
    ----------
    estimator : classifier, or None for SupportFeatureMachine(C=np.inf)
        The machine, as for `permutation_test`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    statistics : "features", "error" or both
        The number of features needed, and the balanced error in cross-validation.
    covariance : {"independent", "within"}
        Independent standard normal features; or the covariance of the samples within their
        classes (of 2,000 of them, drawn at random, if there are more), for features that are
        correlated as in the data. Random data are dense.
    n_simulations : int
        Number of random data sets.
    cv : int or splitter
        Folds of the cross-validation.
    random_state : int, RandomState instance or None
        Seed of the random data; if `cv` is a number, also shuffles the folds.
    n_jobs : int, optional
        Processes, as in joblib. Each holds a random data set of the size of X.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    ChanceSimulation

    References
    ----------
    B. K. Lavine, P. C. Jurs, D. R. Henry: Chance classifications by non-parametric linear
    discriminant functions. Journal of Chemometrics 2 (1988).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import chance_simulation
    >>> X, y = make_gaussian(n=40, d=500, k=2, mu=1.5, random_state=0)
    >>> chance = chance_simulation(None, X, y, n_simulations=19, random_state=0)
    >>> chance.features.observed, chance.features.chance_median, chance.separable
    (2.0, 6.0, 1.0)
    """
    check_count("n_simulations", n_simulations)
    check_choice("covariance", covariance, ("independent", "within"))
    rng = check_random_state(random_state)
    measure, codes = make_measure(
        estimator, X, y, statistics=statistics, cv=cv, random_state=random_state
    )
    seeds = rng.randint(2**31 - 1, size=n_simulations)
    jobs = [(measure, codes, covariance, seed) for seed in (None, *seeds)]
    measured = judge_in_parallel(
        jobs, judge=_simulate, n_jobs=n_jobs, verbose=verbose, what="simulations", unit="trial"
    )
    found = compare_trials(list(measured), measure.statistics, "conservative", rng)
    asked = [one.chance for one in (found.features, found.error) if one is not None]
    separable = float(np.isfinite(asked).all(axis=0).mean())
    return ChanceSimulation(found.features, found.error, separable, n_simulations)


def _simulate(measure: Measure, codes: IndexArray, covariance: str, seed: int | None) -> Measured:
    """The measure on a new random data set; on the data themselves without a seed."""
    if seed is None:
        return measure(codes)
    rng = np.random.RandomState(seed)
    independent = covariance == "independent"
    X = (
        rng.standard_normal(measure.X.shape)
        if independent
        else _draw_like(measure.filled, codes, rng)
    )
    return replace(measure, X=X)(codes)


def _draw_like(X: Any, codes: IndexArray, rng: np.random.RandomState) -> FloatArray:
    """Gaussian samples whose covariance is that of X within its classes.

    Random combinations of the centred samples have it, without a matrix of d x d entries.
    """
    n, rows = len(codes), draw_subsample(codes, MOST_COMPARED)
    X, codes = (X, codes) if len(rows) == n else (X[rows], codes[rows])
    m, sizes = len(rows), np.bincount(codes)
    centring = np.eye(m) - (codes[:, None] == codes) / sizes[codes]
    scale = np.sqrt(m - len(sizes))
    if m == n:
        mixing = rng.standard_normal((n, n)) / scale
        return np.asarray(make_dense(mixing @ centring @ X), dtype=np.float64)
    # Combinations of some samples, a block at a time: a matrix of all pairs would be too large.
    centred = np.asarray(make_dense(centring @ X), dtype=np.float64) / scale
    blocks = [rng.standard_normal((min(m, n - start), m)) @ centred for start in range(0, n, m)]
    return np.concatenate(blocks)
