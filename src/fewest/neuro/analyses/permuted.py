"""Every pair of conditions beside labels permuted within groups (Klement's thesis, fig. 6.8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fewest._estimators.relabel import permute_labels
from fewest._estimators.validation import check_count
from fewest._wording import aligned
from fewest.neuro.analyses._input import checked, chosen_conditions, pair_problem, pairs_of
from fewest.neuro.analyses._performance import Performance, Problem, performances
from fewest.neuro.analyses.pairs import Pair
from fewest.significance._measure import STATISTICS, Measured
from fewest.significance._permutation import PermutedStatistic, compare_trials

_TIES = "conservative"  # p-values may be too large, but never too small


@dataclass(frozen=True, eq=False)
class PermutedPair(Pair):
    """Two conditions beside the same samples with permuted labels.

    `features` and `error` compare the means over the folds with those of every permutation;
    `p_value` is that of both together.
    """

    features: PermutedStatistic
    error: PermutedStatistic
    p_value: float


@dataclass(frozen=True, eq=False)
class PermutedPairs:
    """Outcome of `permuted_pairs`; print it for the table."""

    conditions: tuple[Any, ...]
    pairs: tuple[PermutedPair, ...]
    n_permutations: int

    def __str__(self) -> str:
        rows = [["", "features", "permuted", "p", "error", "permuted", "p", "both p"]]
        for pair in self.pairs:
            rows.append(
                [
                    pair.name,
                    f"{pair.features.observed:.1f}",
                    _spread(pair.features, 1),
                    f"{pair.features.p_value:.3f}",
                    f"{pair.error.observed:.2f}",
                    _spread(pair.error, 2),
                    f"{pair.error.p_value:.3f}",
                    f"{pair.p_value:.3f}",
                ]
            )
        least = 1 / (1 + self.n_permutations)
        return (
            f"{aligned(rows)}\n"
            f"Permuted: mean ± standard deviation over {self.n_permutations} permutations; the "
            f"least p they allow is {least:.2g}."
        )


def permuted_pairs(
    X: Any,
    y: ArrayLike,
    groups: ArrayLike,
    *,
    estimator: Any = None,
    conditions: Iterable[Any] | None = None,
    n_permutations: int = 20,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PermutedPairs:
    r"""Compare features and error of each pair with those of labels permuted within groups.

    With the mean t over the folds and those of B permutations,
    :math:`p = (1 + \#\{b : t_b \le t\}) / (1 + B)`, so that small values are the good ones. There
    is no correction for the number of pairs. (`fewest.significance.permutation_test` does the same
    for one problem, and counts the features needed for all samples at once.)

    Parameters
    ----------
    X, y, groups, estimator, conditions, n_jobs, verbose
        As for `all_pairs`.
    n_permutations : int
        B, for each pair; Klement's thesis has 20.
    random_state : int, RandomState instance or None
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
    >>> pair = permuted_pairs(X, y, groups, n_permutations=19, random_state=0).pairs[0]
    >>> pair.features.observed, pair.features.chance_median, pair.p_value
    (1.75, 4.75, 0.05)
    """
    check_count("n_permutations", n_permutations)
    X, y, groups = checked(X, y, groups)
    names = chosen_conditions(y, conditions)
    pairs = pairs_of(names)
    problems = [pair_problem(X, y, groups, pair) for pair in pairs]
    rng = check_random_state(random_state)
    observed = performances(problems, estimator, n_jobs=n_jobs, verbose=verbose)
    permuted = performances(
        [copy for problem in problems for copy in _permutations(problem, n_permutations, rng)],
        estimator,
        n_jobs=n_jobs,
        verbose=verbose,
        chance=True,
    )
    found = []
    for place, (pair, seen) in enumerate(zip(pairs, observed, strict=True)):
        own = permuted[place * n_permutations : (place + 1) * n_permutations]
        measured = [_measured(one) for one in (seen, *own)]
        test = compare_trials(measured, STATISTICS, _TIES, rng)
        found.append(PermutedPair(*pair, seen, test.features, test.error, test.p_value))
    return PermutedPairs(tuple(names), tuple(found), n_permutations)


def _permutations(problem: Problem, number: int, rng: np.random.RandomState) -> list[Problem]:
    permuted = permute_labels(problem.y, problem.groups, number, rng)
    return [replace(problem, y=labels) for labels in permuted]


def _measured(performance: Performance) -> Measured:
    return Measured(features=performance.n_features, error=performance.error)


def _spread(comparison: PermutedStatistic, digits: int) -> str:
    with np.errstate(invalid="ignore"):  # infinite where a permutation is not separable
        mean = comparison.chance.mean()
        sd = comparison.chance.std(ddof=1) if len(comparison.chance) > 1 else 0.0
    return f"{mean:.{digits}f} ± {sd:.{digits}f}"
