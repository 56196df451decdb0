"""Every condition against every other one (Klement's thesis, fig. 6.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import FloatArray
from fewest._wording import aligned, cut
from fewest.neuro.analyses._performance import Performance, measure_performances
from fewest.neuro.analyses._samples import TwoClasses, check_samples, choose_conditions


@dataclass(frozen=True, eq=False)
class Pair:
    """Two conditions, and how they can be told apart."""

    first: Any
    second: Any
    performance: Performance

    @property
    def name(self) -> str:
        """'joy vs. anger'."""
        return f"{cut(self.first)} vs. {cut(self.second)}"


@dataclass(frozen=True, eq=False)
class AllPairs:
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
    pool = {"n_jobs": n_jobs, "verbose": verbose}
    return compare_pairs(estimator, [("", X)], y, groups, conditions, **pool)[0]


def compare_pairs(
    estimator: Any,
    matrices: Sequence[tuple[str, Any]],
    y: ArrayLike,
    groups: ArrayLike,
    conditions: Iterable[Any] | None,
    **pool: Any,
) -> list[AllPairs]:
    """All pairs in every matrix; the text before it says in messages where that is."""
    names, data_sets = pair_up(matrices, y, groups, conditions)
    found = iter(measure_performances(estimator, data_sets, **pool))
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
