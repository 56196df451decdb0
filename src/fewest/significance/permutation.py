"""Are so few features, or so few errors, more than chance? A test by permuted labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._core.problem import FloatArray
from fewest._core.result import IndexArray
from fewest._validation import check_choice, check_count
from fewest.significance._measure import (
    Measured,
    column,
    make_measure,
    measured_in_parallel,
)

TIES = ("conservative", "random", "objective")
# Objectives of the same program closer than this differ by rounding.
_SAME_OBJECTIVE = 1e-6


@dataclass(frozen=True, eq=False)
class Comparison:
    """A statistic of the data, and what chance made of it; small values are the good ones.

    `p_value` is the share of values, the observed one among them, that are at least as good.
    """

    observed: float
    chance: FloatArray = field(repr=False)
    p_value: float

    @property
    def chance_median(self) -> float:
        return float(np.median(self.chance))


@dataclass(frozen=True)
class PermutationTest:
    """Outcome of `permutation_test`; a statistic that was not asked for is None."""

    features: Comparison | None
    error: Comparison | None
    n_permutations: int


def permutation_test(
    X: Any,
    y: ArrayLike,
    *,
    estimator: Any = None,
    statistics: Any = ("features", "error"),
    n_permutations: int = 99,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    exchange: str = "within",
    ties: str = "conservative",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PermutationTest:
    r"""Compare the features needed, and the cross-validated error, with those of permuted labels.

    With the statistic t of the data and :math:`t_1, \dots, t_B` of permuted labels,

    .. math::

        p = \frac{1 + \#\{b : t_b \le t\}}{1 + B},

    which exceeds its nominal level in no sample size, whatever the distribution of X. Means and
    scales of X are computed once for all permutations.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    estimator : classifier, default=SupportFeatureMachine(C=np.inf)
        The machine to test. Where it allows errors (a finite C), the statistic "features" is what
        it minimises: features, plus errors at their price. Other classifiers need `get_support` or
        `coef_` for "features".
    statistics : "features", "error" or both
        The number of features needed, and the balanced error in cross-validation. The latter
        takes a fit a fold.
    n_permutations : int
        B; the smallest possible p-value is 1 / (1 + B).
    cv : int or splitter
        Folds of the cross-validation; whole groups where `groups` are given.
    groups : array of shape (n_samples,), optional
        Samples that belong together: runs of a scanner, or samples of a patient.
    exchange : {"within", "whole"}
        "within" permutes labels within each group, for groups that hold several classes; "whole"
        permutes the labels of groups, for groups of one class each.
    ties : {"conservative", "random", "objective"}
        The number of features is a small whole number, so that many permutations equal the data.
        "conservative" counts them all as at least as good: p is too large rather than too small.
        "objective" compares such pairs by the optimum of the first linear program, |w|_1 at unit
        distance of the class means, which hardly ever ties and makes the test sharper. "random"
        puts the data at a random place among its equals: p is exactly uniform under chance, but
        depends on `random_state`.
    random_state : int, Generator or None
        Seed of permutations and ties.
    n_jobs : int, optional
        Processes, in joblib's sense.
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
    >>> found = permutation_test(X, y, statistics="features", n_permutations=19, random_state=0)
    >>> found.features.observed, found.features.chance_median
    (2.0, 6.0)
    >>> print(found.features.p_value)
    0.05
    """
    check_count("n_permutations", n_permutations)
    check_choice("exchange", exchange, ("within", "whole"))
    check_choice("ties", ties, TIES)
    measure, codes = make_measure(
        X, y, estimator=estimator, statistics=statistics, cv=cv, groups=groups
    )
    if ties == "objective" and measure.columns is None:
        raise ValueError(
            f"ties='objective' needs a machine of this package, whose linear programs have an "
            f"objective; {type(measure.estimator).__name__} has none. Take 'random' or "
            "'conservative'"
        )
    rng = np.random.default_rng(random_state)
    permute = _permuter(codes, measure.groups, exchange)
    labellings = [codes, *(permute(rng) for _ in range(n_permutations))]
    measured = measured_in_parallel(
        measure, labellings, n_jobs=n_jobs, verbose=verbose, what="permutations"
    )
    found = {statistic: compare(measured, statistic, ties, rng) for statistic in measure.statistics}
    return PermutationTest(found.get("features"), found.get("error"), n_permutations)


def compare(
    measured: list[Measured], statistic: str, ties: str, rng: np.random.Generator
) -> Comparison:
    """The first trial against all others."""
    values = column(measured, statistic)
    better, equal = values[1:] < values[0], values[1:] == values[0]
    if ties == "objective" and statistic == "features" and np.isfinite(values[0]):
        objective = column(measured, "objective")
        first, others = objective[0], objective[1:]
        near = np.abs(others - first) <= _SAME_OBJECTIVE * abs(first)
        better, equal = better | (equal & ~near & (others < first)), equal & near
    n_equal = int(equal.sum())
    if ties == "random":
        n_equal = int(rng.integers(n_equal + 1))
    p_value = (1 + int(better.sum()) + n_equal) / len(values)
    return Comparison(float(values[0]), values[1:], p_value)


def _permuter(codes: IndexArray, groups: NDArray[Any] | None, exchange: str) -> Any:
    """A function from a random generator to permuted labels."""
    if groups is None:
        return lambda rng: rng.permutation(codes)
    names, group_of = np.unique(groups, return_inverse=True)
    members = [np.flatnonzero(group_of == place) for place in range(len(names))]
    mixed = [rows for rows in members if len(np.unique(codes[rows])) > 1]
    if exchange == "whole":
        return _whole_groups(codes, group_of, members, bool(mixed))
    if not mixed:
        raise ValueError(
            "every group holds a single class, so that no label can move within its group. "
            "Permute the labels of whole groups with exchange='whole'"
        )

    def within(rng: np.random.Generator) -> IndexArray:
        permuted = codes.copy()
        for rows in mixed:
            permuted[rows] = rng.permutation(codes[rows])
        return permuted

    return within


def _whole_groups(
    codes: IndexArray, group_of: IndexArray, members: list[IndexArray], mixed: bool
) -> Any:
    if mixed:
        raise ValueError(
            "exchange='whole' needs groups of one class each, but some hold several. Permute "
            "their labels with exchange='within'"
        )
    of_groups = np.array([codes[rows[0]] for rows in members])
    return lambda rng: rng.permutation(of_groups)[group_of]
