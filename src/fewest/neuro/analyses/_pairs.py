"""Every condition against every other one, also beside labels permuted within groups.

Klement's thesis, figs. 6.7 and 6.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fewest._estimators.splits import permute_labels
from fewest._estimators.validation import check_count
from fewest._showing import Shown
from fewest._types import FloatArray
from fewest._wording import aligned, cut
from fewest.neuro.analyses._performance import (
    Performance,
    TwoClasses,
    check_samples,
    choose_conditions,
    format_spread,
    measure_performances,
)
from fewest.significance._measure import STATISTICS, Measured
from fewest.significance._permutation import PermutedStatistic, compare_trials

_TIES = "conservative"  # p-values may be too large, but never too small


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Shown):
    """Two conditions, and how they can be told apart."""

    first: Any
    second: Any
    performance: Performance

    @property
    def name(self) -> str:
        """'joy vs. anger'."""
        return f"{cut(self.first)} vs. {cut(self.second)}"


@dataclass(frozen=True, eq=False, repr=False)
class AllPairs(Shown):
    """Outcome of `all_pairs`; print it for the table.

    `pairs` are in the order of `conditions`: the first with all others, then the second.
    """

    conditions: tuple[Any, ...]
    pairs: tuple[Pair, ...]

    @property
    def error(self) -> float:
        """Mean error over the pairs."""
        return float(np.mean([pair.performance.error for pair in self.pairs]))

    @property
    def n_features(self) -> float:
        """Mean number of features over the pairs."""
        return float(np.mean([pair.performance.n_features for pair in self.pairs]))

    def errors(self) -> FloatArray:
        """Mean errors, one row and one column per condition; NaN on the diagonal."""
        return self._square([pair.performance.error for pair in self.pairs])

    def features(self) -> FloatArray:
        """Mean numbers of features in the same form."""
        return self._square([pair.performance.n_features for pair in self.pairs])

    def _square(self, values: list[float]) -> FloatArray:
        square = np.full((len(self.conditions),) * 2, np.nan)
        places = np.triu_indices(len(self.conditions), 1)
        square[places] = values
        square.T[places] = values
        return square

    def __str__(self) -> str:
        rows = [["", "features", "error"]]
        rows += [
            [pair.name, pair.performance.features_text, pair.performance.error_text]
            for pair in self.pairs
        ]
        rows.append(["all pairs (mean)", f"{self.n_features:.1f}", f"{self.error:.2f}"])
        return aligned(rows)


def all_pairs(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike,
    conditions: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> AllPairs:
    """Number of features and error for each pair of conditions, one group left out at a time.

    In each fold the machine sees nothing of the group left out, selection of features included.

    Parameters
    ----------
    estimator : selecting classifier, or None for ``SupportFeatureMachine(C=np.inf)``
        The machine.
    X : array or sparse matrix of shape (n_samples, n_voxels)
        The samples.
    y : array of shape (n_samples,)
        The condition of each.
    groups : array of shape (n_samples,)
        Its participant, or run; each has samples of all conditions.
    conditions : iterable, optional
        Which conditions, in which order; all by default.
    n_jobs : int, optional
        Folds that are worked on at the same time, in joblib's sense.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    AllPairs
        The standard deviations it prints are those over the folds.

    References
    ----------
    S. Klement: The support feature machine, PhD thesis, Universität zu Lübeck, sec. 6.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import all_pairs
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "anger", "fear"], 20), np.repeat(np.arange(5), 12)
    >>> X = rng.standard_normal((60, 200))
    >>> X[y == "joy", :3] += 3.0
    >>> found = all_pairs(None, X, y, groups=groups, conditions=["joy", "anger", "fear"])
    >>> print(found.features().round(1))
    [[nan 1.  1. ]
     [1.  nan 5.6]
     [1.  5.6 nan]]
    """
    return compare_pairs(estimator, [("", X)], y, groups, conditions, n_jobs, verbose)[0]


def compare_pairs(
    estimator: Any,
    matrices: Sequence[tuple[str, Any]],
    y: ArrayLike,
    groups: ArrayLike,
    conditions: Iterable[Any] | None,
    n_jobs: int | None,
    verbose: int,
) -> list[AllPairs]:
    """All pairs in every matrix; the text before it says in messages where that is."""
    names, data_sets = pair_up(matrices, y, groups, conditions)
    found = iter(measure_performances(estimator, data_sets, n_jobs=n_jobs, verbose=verbose))
    return [
        AllPairs(tuple(names), tuple(Pair(*pair, next(found)) for pair in combinations(names, 2)))
        for _ in matrices
    ]


def pair_up(
    matrices: Sequence[tuple[str, Any]],
    y: ArrayLike,
    groups: ArrayLike,
    conditions: Iterable[Any] | None,
) -> tuple[list[Any], list[TwoClasses]]:
    """The conditions, and the samples of each pair of them in every matrix."""
    asked = None if conditions is None else list(conditions)
    data_sets = []
    for where, matrix in matrices:
        X, labels, own_groups = check_samples(matrix, y, groups)
        names = choose_conditions(labels, asked)
        for first, second in combinations(names, 2):
            rows = np.flatnonzero((labels == first) | (labels == second))
            name = f"{first} and {second}{where}"
            data_sets.append(TwoClasses(X, labels, own_groups, rows, name))
    return names, data_sets


@dataclass(frozen=True, eq=False, repr=False)
class PermutedPair(Pair):
    """Two conditions beside the same samples with permuted labels.

    `features` and `error` compare the means over the folds with those of every permutation;
    `p_value` is that of both together.
    """

    features: PermutedStatistic
    error: PermutedStatistic
    p_value: float


@dataclass(frozen=True, eq=False, repr=False)
class PermutedPairs(Shown):
    """Outcome of `permuted_pairs`; print it for the table."""

    conditions: tuple[Any, ...]
    pairs: tuple[PermutedPair, ...]
    n_permutations: int

    def __str__(self) -> str:
        rows = [["", "features", "permuted", "p", "error", "permuted", "p", "both p"]]
        for pair in self.pairs:
            cells = [pair.name]
            for one, digits in ((pair.features, 1), (pair.error, 2)):
                cells += [f"{one.observed:.{digits}f}", format_spread(one.chance, digits)]
                cells.append(f"{one.p_value:.3f}")
            rows.append([*cells, f"{pair.p_value:.3f}"])
        least = 1 / (1 + self.n_permutations)
        return (
            f"{aligned(rows)}\n"
            f"Permuted: mean ± standard deviation over {self.n_permutations} permutations; the "
            f"least p they allow is {least:.2g}."
        )


def permuted_pairs(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike,
    conditions: Iterable[Any] | None = None,
    n_permutations: int = 20,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PermutedPairs:
    r"""Compare features and error of each pair with those of labels permuted within groups.

    With the mean t over the folds and those of B permutations,
    :math:`p = (1 + \#\{b : t_b \le t\}) / (1 + B)`: small values are the good ones. There is no
    correction for the number of pairs. (`fewest.significance.permutation_test` does the same for
    two classes of any data, and counts the features needed for all samples at once.)

    Parameters
    ----------
    estimator, X, y, groups, conditions, n_jobs, verbose
        As for `all_pairs`.
    n_permutations : int
        B, for each pair; Klement's thesis has 20.
    random_state : int, RandomState or None
        Seed of the permutations.

    Returns
    -------
    PermutedPairs

    References
    ----------
    S. Klement: The support feature machine, PhD thesis, Universität zu Lübeck, sec. 6.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import permuted_pairs
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "fear"], 20), np.repeat(np.arange(4), 10)
    >>> X = rng.standard_normal((40, 300))
    >>> X[y == "joy", :3] += 3.0
    >>> found = permuted_pairs(None, X, y, groups=groups, n_permutations=19, random_state=0)
    >>> pair = found.pairs[0]
    >>> pair.features.observed, pair.features.chance_median, pair.p_value
    (1.75, 4.75, 0.05)
    """
    check_count("n_permutations", n_permutations)
    names, data_sets = pair_up([("", X)], y, groups, conditions)
    rng = check_random_state(random_state)
    measure = partial(measure_performances, estimator, n_jobs=n_jobs, verbose=verbose)
    observed = measure(data_sets)
    permuted = measure(
        [permuted for data in data_sets for permuted in _permute(data, n_permutations, rng)],
        chance=True,
    )
    found = []
    for place, (pair, seen) in enumerate(zip(combinations(names, 2), observed, strict=True)):
        own = permuted[place * n_permutations : (place + 1) * n_permutations]
        measured = [Measured(features=one.n_features, error=one.error) for one in (seen, *own)]
        test = compare_trials(measured, STATISTICS, _TIES, rng)
        assert test.features is not None  # both were asked for
        assert test.error is not None
        found.append(PermutedPair(*pair, seen, test.features, test.error, test.p_value))
    return PermutedPairs(tuple(names), tuple(found), n_permutations)


def _permute(data: TwoClasses, number: int, rng: np.random.RandomState) -> Iterator[TwoClasses]:
    """The data set with the labels of its rows permuted within groups, that many times."""
    for labels in permute_labels(data.y[data.rows], data.groups[data.rows], number, rng):
        y = data.y.copy()
        y[data.rows] = labels
        yield replace(data, y=y)
