"""What features cost in a series of programs that count them: prices, and groups paid once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewest._types import FloatArray, IndexArray

# Weights of features that are in for nothing cost this part of the lowest price: without any cost,
# a dual vector would have to be exactly orthogonal to them, and no bound could be proven.
_FREE = 1e-3


@dataclass(frozen=True, eq=False)
class Terms:
    """One price per feature, zero for those that are always in.

    `groups` are numbers, -1 for features in none; what a group costs is paid once, by the largest
    price among the features that are used.
    """

    price: FloatArray
    groups: IndexArray | None = None

    @cached_property
    def free(self) -> IndexArray:
        """Features that are always in."""
        return np.flatnonzero(self.price == 0.0)

    @cached_property
    def _unit(self) -> float:
        """The lowest price."""
        paid = self.price[self.price > 0.0]
        return float(paid.min()) if len(paid) else 1.0

    @property
    def least(self) -> float:
        """The lowest price of a hyperplane that is not empty."""
        return 0.0 if len(self.free) else self._unit

    def first_costs(self) -> FloatArray:
        """Costs of weights in the first program."""
        return np.where(self.price > 0.0, self.price, _FREE * self._unit)

    def later_costs(self, features: IndexArray, sizes: FloatArray) -> tuple[IndexArray, FloatArray]:
        """Features that the next program holds, and the costs of their weights.

        A price is divided by the size that the feature had, or its group: others of a group that is
        paid for may join it. Features in for nothing stay in, at the size of the others.
        """
        groups = self.groups
        size = np.zeros(len(self.price))
        size[features] = sizes
        if groups is not None:
            members = groups >= 0
            sums = np.bincount(groups[members], weights=size[members])
            size[members] = sums[groups[members]]
        typical = float(sizes.mean()) if len(sizes) else 1.0
        size[self.free] = np.maximum(size[self.free], typical)
        kept = np.flatnonzero(size)
        return kept, self.first_costs()[kept] / size[kept]

    def total(self, features: IndexArray) -> float:
        """What these features cost together."""
        price = self.price[features]
        if self.groups is None:
            return float(price.sum())
        groups = self.groups[features]
        inside = groups >= 0
        largest = np.zeros(int(self.groups.max()) + 1)
        np.maximum.at(largest, groups[inside], price[inside])
        return float(price[~inside].sum() + largest.sum())

    def add_free(self, features: IndexArray, weights: FloatArray) -> tuple[IndexArray, FloatArray]:
        """The features with those that are always in, whose weights may be zero (rows of them)."""
        together = np.union1d(features, self.free)
        if len(together) == len(features):
            return features, weights
        filled = np.zeros((len(together), *weights.shape[1:]))
        filled[np.searchsorted(together, features)] = weights
        return together, filled
