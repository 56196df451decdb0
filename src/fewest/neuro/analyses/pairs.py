"""Every condition against every other one (Klement's thesis, fig. 6.7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import FloatArray
from fewest._wording import aligned, cut
from fewest.neuro.analyses._input import checked, chosen_conditions, pair_problem, pairs_of
from fewest.neuro.analyses._performance import Performance, performances


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
        """Mean errors, a row and a column a condition; NaN on the diagonal."""
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
    X: Any,
    y: ArrayLike,
    groups: ArrayLike,
    *,
    estimator: Any = None,
    conditions: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> AllPairs:
    """Number of features and error for each pair of conditions, one group left out at a time.

    In each fold the machine sees nothing of the group left out, selection of features included.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_voxels)
        The samples.
    y : array of shape (n_samples,)
        The condition of each.
    groups : array of shape (n_samples,)
        Its participant, or run; each has samples of all conditions.
    estimator : classifier, default=SupportFeatureMachine(C=np.inf)
        The machine; it says what it selects by `get_support` or `coef_`.
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
    >>> found = all_pairs(X, y, groups, conditions=["joy", "anger", "fear"])
    >>> print(found.features().round(1))
    [[nan 1.  1. ]
     [1.  nan 5.6]
     [1.  5.6 nan]]
    """
    X, y, groups = checked(X, y, groups)
    names = chosen_conditions(y, conditions)
    pairs = pairs_of(names)
    found = performances(
        [pair_problem(X, y, groups, pair) for pair in pairs],
        estimator,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return AllPairs(
        tuple(names),
        tuple(Pair(*pair, performance) for pair, performance in zip(pairs, found, strict=True)),
    )
