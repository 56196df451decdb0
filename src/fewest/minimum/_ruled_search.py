"""All sets within a price that separate: the search for set covers under rules about features.

Features that are always in are chosen before the search begins, with every combination of signs: a
weight of either sign, or of zero, is among them. Features that must have a sign are in the bit sets
with that sign only. Everything else is a question of what may still be added to a set: features
that are too expensive, or share a group with one of the set, are excluded from then on.

A set that separates is never extended, since each further feature has a price. Sets of fewer
features than the limit allows are found as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest.minimum._bits import SignedBits, Words, pack
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins
from fewest.minimum._leaves import Separation
from fewest.minimum._prices import Prices
from fewest.minimum._search import CoverSearch, Node


@dataclass(eq=False)
class RuledSearch(CoverSearch):
    """Sets of columns within a price; `root` are those that are always in.

    No set has two of one of the `groups`. `limit` is what a set may cost, in units, and `most` how
    many features it may have besides the root.
    """

    prices: Prices = field(kw_only=True)
    groups: IndexArray | None = None
    root: tuple[int, ...] = ()
    limit: int = 0
    most: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._signed_price: FloatArray = self.prices.floats[self.bits.columns]
        n_signed = self.bits.n_signed
        self._signed_group = np.full(n_signed, -1, dtype=np.int64)
        if self.groups is not None:
            self._signed_group[:] = self.groups[self.bits.columns]
        free = np.isin(self.bits.columns, self.root)
        self.candidates: IndexArray = np.unique(self.bits.columns[~free])
        self.cheapest = np.cumsum(np.sort(self.prices.units[self.candidates]))

    def find_within(self, limit: int, clock: Clock, found: Callable[[Separation], bool]) -> bool:
        """Find all sets within a price that separate, and of which no part does.

        Some of which a part separates may be among them. `found` is called with each, and returns
        whether to go on; it may lower `limit`. Returns False where the clock or `found` ended the
        search early.
        """
        self.limit = limit
        return self._begin(self.root, 0, clock, found)

    def count_affordable(self, columns: tuple[int, ...]) -> int:
        """How many features can be added to a set at most."""
        left = self.limit - self.prices.total(columns)
        most = int(np.searchsorted(self.cheapest, left, side="right"))
        if self.most is not None:
            most = min(most, self.most + len(self.root) - len(columns))
        return max(0, most)

    def finds_separating(self, columns: tuple[int, ...]) -> bool:
        """Whether columns separate all pairs of classes; proofs that they do not become rows."""
        return self._find_open_pair(columns) is None

    def node(self, chosen: tuple[int, ...] = (), pair: int = 0) -> Node:
        node = super().node(chosen, pair)
        for f in chosen:
            self._exclude_group(f, node.excluded)
        return node

    def _extend(self, columns: tuple[int, ...], missing: int, low: float, high: float) -> bool:
        if self.prices.total(columns) > self.limit:  # sums of doubles may let too much pass
            return True
        return super()._extend(columns, self.count_affordable(columns), low, high)

    def _complete(self, node: Node, missing: int, low: float, high: float) -> bool:
        columns = self._columns_of(node.chosen)
        missing = min(missing, self.count_affordable(columns))
        if missing == 0:
            return self._finish(node, columns)
        spent = float(self.prices.floats[list(columns)].sum())
        too_expensive = self._signed_price > self.prices.limit_floats(self.limit) - spent
        excluded = node.excluded | fit_words(pack(too_expensive), node.excluded)
        return super()._complete(Node(node.pair, node.chosen, excluded), missing, low, high)

    def _finish(self, node: Node, columns: tuple[int, ...]) -> bool:
        """Nothing can be added to a node any more."""
        if self._uncovered(node).any() or not self.separates(columns, node.pair):
            return True
        return self._extend(columns, 0, 0.0, 0.0)

    def _child(self, node: Node, row: int, child: int) -> Node:
        below = super()._child(node, row, child)
        self._exclude_group(child, below.excluded)
        return below

    def _exclude_group(self, f: int, excluded: Words) -> None:
        """No other feature of the group of a signed feature."""
        group = self._signed_group[f]
        if group >= 0:
            excluded |= fit_words(pack(self._signed_group == group), excluded)

    def _rule(self) -> tuple[FloatArray, NDArray[np.int64], float]:
        return self._signed_price, self._signed_group, self.prices.limit_floats(self.limit)

    def _report(self, columns: tuple[int, ...], missing: int) -> bool:
        return super()._report(columns, 0)


def fit_words(words: Words, like: Words) -> Words:
    """The same set in as many words as another one has."""
    return np.concatenate([words, np.zeros(len(like) - len(words), dtype=np.uint64)])


def describe_candidates(rules: Rules) -> IndexArray:
    """A number for every column: equal ones may take each other's place, -1 is not searched."""
    groups = np.full(len(rules.price), -1) if rules.groups is None else rules.groups
    kinds = np.unique(np.column_stack([rules.price, groups]), axis=0, return_inverse=True)[1]
    kinds = kinds.ravel().astype(np.intp)
    kinds[rules.excluded | rules.included] = -1
    return kinds


def make_bits(X: FloatArray, y: IndexArray, rules: Rules, twins: Twins) -> SignedBits:
    """The bit sets of all features that may be in a set."""
    included = [j for j in np.flatnonzero(rules.included) if np.any(X[:, j] != X[0, j])]
    columns = np.union1d(twins.firsts, np.array(included, dtype=np.intp)).astype(np.intp)
    return SignedBits(X, y, columns, rules.weight_signs)
