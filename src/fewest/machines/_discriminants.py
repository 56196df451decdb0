"""Linear discriminants as results: one of them, a path of them, and how often they agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.validation import make_dense
from fewest._showing import Shown
from fewest._types import FloatArray, IndexArray


@dataclass(frozen=True, repr=False)
class Discriminant(Shown):
    """A linear discriminant that is zero outside `features`.

    Attributes
    ----------
    features, weights : arrays of shape (n_selected,)
        Selected columns of X and their weights, for X as it was given.
    intercept : float
        Bias.
    C : float
        Cost it was found with.
    monitoring_ber : float
        The balanced error rate that chose it.
    """

    features: IndexArray
    weights: FloatArray
    intercept: float
    C: float
    monitoring_ber: float

    @property
    def n_features(self) -> int:
        """Number of selected features."""
        return len(self.features)

    def decision_function(self, X: Any) -> FloatArray:
        """Signed value of w . x + b; positive values favour the second class."""
        return make_dense(X[:, self.features]) @ self.weights + self.intercept


@dataclass(frozen=True, repr=False)
class MonitoredSplit(Shown):
    """Rows of X for one random split of the samples outside an outer fold.

    Attributes
    ----------
    fold, split : int
        Outer fold, and number of the split within it.
    training, monitoring : arrays of int
        Rows of X. They share no row (and no group) with each other, nor with the validation rows.
    """

    fold: int
    split: int
    training: IndexArray
    monitoring: IndexArray


@dataclass(frozen=True, repr=False)
class MonitoredPath(MonitoredSplit):
    """One random split into Training and Monitoring set, and the path of discriminants on it.

    Attributes
    ----------
    fold, split, training, monitoring
        The split.
    Cs, n_features, ratios, monitoring_ber : arrays of shape (n_C,)
        Cost, number of features, ratio |w| / (|a| cos(w, a)) and monitoring error along the path.
    chosen : int
        Place of the best discriminant on the path.
    discriminant : Discriminant
        That discriminant.
    """

    Cs: FloatArray
    n_features: NDArray[np.intp]
    ratios: FloatArray
    monitoring_ber: FloatArray
    chosen: int
    discriminant: Discriminant


def find_best_place(
    errors: FloatArray, counts: NDArray[np.intp], prices: NDArray[Any] | None = None
) -> int:
    """Place of the smallest error; ties go to the fewest features, then to the smallest C.

    A discriminant without features only counts the samples: it is chosen if there is no other.
    If features have prices, the cheapest replace the fewest.
    """
    prices = counts if prices is None else prices
    candidates = np.flatnonzero(counts) if counts.any() else np.arange(len(counts))
    order = np.lexsort([candidates, prices[candidates], errors[candidates].round(12)])
    return int(candidates[order[0]])


def choose_best(found: list[Discriminant]) -> Discriminant:
    """Smallest monitoring error; ties go to the fewest features, then to the first."""
    errors = np.array([one.monitoring_ber for one in found])
    return found[find_best_place(errors, np.array([one.n_features for one in found]))]


def take_vote(found: list[Discriminant], X: Any) -> FloatArray:
    """Mean of the signs of all discriminants, for each sample."""
    return np.mean([np.sign(one.decision_function(X)) for one in found], axis=0)


def make_profile(found: list[Discriminant], n_features: int) -> FloatArray:
    """Share of the discriminants that use each feature."""
    used = np.concatenate([one.features for one in found])
    return np.bincount(used, minlength=n_features) / len(found)
