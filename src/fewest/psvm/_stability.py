"""How often, and how strongly, features are chosen on random subsamples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Stability:
    """Outcome of repeated selection.

    Attributes
    ----------
    frequency : array of shape (n_features,)
        Share of the runs that select a feature.
    strength : array of shape (n_features,)
        Mean over all runs of its absolute weight, relative to the run's largest one.
    n_selected : array of shape (n_runs,), int
        How many features each run selects.
    """

    frequency: FloatArray
    strength: FloatArray
    n_selected: NDArray[np.intp]

    @property
    def ranking(self) -> IndexArray:
        """Features that any run selects: the most frequent first, of equal ones the strongest."""
        order = np.lexsort([-self.strength, -self.frequency])
        return order[self.frequency[order] > 0]


def repeat_selection(
    select: Callable[[IndexArray], FloatArray],
    strata: NDArray[np.intp],
    n_features: int,
    n_runs: int,
    subsample: float,
    rng: np.random.RandomState,
) -> Stability:
    """Select on random subsamples that hold the same share of every stratum.

    Parameters
    ----------
    select : callable
        Takes numbers of samples, returns the absolute weight of every feature, zero for those that
        it does not select.
    strata : array of shape (n_samples,), int
        The class of each sample; all zero for a regression.
    n_features, n_runs : int
        How many features there are, and how many runs are wanted.
    subsample : float
        Share of the samples, in (0, 1).
    rng : RandomState
        Source of the subsamples.

    Returns
    -------
    Stability
    """
    frequency, strength = np.zeros(n_features), np.zeros(n_features)
    n_selected = np.zeros(n_runs, dtype=np.intp)
    for run in range(n_runs):
        weights = select(_draw(strata, subsample, rng))
        frequency += weights > 0
        strength += weights / max(weights.max(), np.finfo(np.float64).tiny)
        n_selected[run] = np.count_nonzero(weights)
    return Stability(frequency / n_runs, strength / n_runs, n_selected)


def _draw(strata: NDArray[np.intp], subsample: float, rng: np.random.RandomState) -> IndexArray:
    """At least one sample of every stratum, and two in all."""
    members = [np.flatnonzero(strata == one) for one in np.unique(strata)]
    least = 1 if len(members) > 1 else 2
    kept = [rng.permutation(rows)[: max(least, round(subsample * len(rows)))] for rows in members]
    return np.sort(np.concatenate(kept))
