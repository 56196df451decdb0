"""Every pair of conditions beside labels permuted within groups (Klement's thesis, fig. 6.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fewest._estimators.splits import permute_labels
from fewest._estimators.validation import check_count
from fewest._wording import aligned
from fewest.neuro.analyses._pairs import Pair, pair_up
from fewest.neuro.analyses._performance import format_spread, measure_performances
from fewest.neuro.analyses._samples import TwoClasses
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
                    format_spread(pair.features.chance, 1),
                    f"{pair.features.p_value:.3f}",
                    f"{pair.error.observed:.2f}",
                    format_spread(pair.error.chance, 2),
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
