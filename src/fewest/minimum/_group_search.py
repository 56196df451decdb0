"""The search under rules where a group of features is paid once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest.minimum import _cover as cover
from fewest.minimum._bits import SignedBits, pack
from fewest.minimum._clock import Clock
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._prices import Prices
from fewest.minimum._ruled_search import RuledSearch, fit_words
from fewest.minimum._search import MOST_COLUMNS, Node
from fewest.minimum._threads import share_out

_MORE_ROOM = 1024  # sets that a scan for the last features may report at first


@dataclass(eq=False)
class GroupSearch(RuledSearch):
    """Sets of columns within a price, where a group is paid once, by the largest price in it.

    Whoever has paid for a group may use all its features up to that price, so sets of groups are
    searched, and each is decided by all features that it pays for. One set of features, of which
    none can be spared, stands for each set of groups that separates.
    """

    def __post_init__(self) -> None:
        assert self.prices.groups is not None
        self._group_of: IndexArray = self.prices.groups
        super().__post_init__()
        self._reported: set[tuple[int, ...]] = set()
        self._last_tried: set[tuple[int, ...]] = set()

    def find_within(self, limit: int, clock: Clock, found: Callable[[Separation], bool]) -> bool:
        self._reported.clear()
        self._last_tried.clear()
        return super().find_within(limit, clock, found)

    def _price_more(self, columns: tuple[int, ...]) -> NDArray[Any]:
        """What each of the candidates adds to the price of a set."""
        paid = self.prices.pay_groups(np.array(columns, dtype=np.intp))
        spent = paid[self._group_of[self.candidates]]
        more: NDArray[Any] = np.maximum(0, self.prices.units[self.candidates] - spent)
        more[np.isin(self.candidates, columns)] = 0
        return more

    def _close(self, columns: tuple[int, ...], more: NDArray[Any]) -> tuple[int, ...]:
        """A set with all columns that it pays for."""
        return tuple(sorted({*columns, *self.candidates[more == 0].tolist()}))

    def count_affordable(self, columns: tuple[int, ...]) -> int:
        """Only whether any can be added: there is no limit for those that cost nothing."""
        left = self.limit - self.prices.total(columns)
        more = self._price_more(columns)
        others = ~np.isin(self.candidates, columns)
        return int(np.sum(others & (more <= left)))

    def _complete(self, node: Node, missing: int, low: float, high: float) -> bool:
        if self._clock.is_over:
            return False
        columns = self._columns_of(node.chosen)
        left, more = self.limit - self.prices.total(columns), self._price_more(columns)
        steps = more[(more > 0) & (more <= left)]
        if not len(steps):
            return self._try_all(self._close(columns, more))
        if left < 2 * steps.min():
            return self._try_last(self._close(columns, more), more, left)
        uncovered = self._uncovered(node)
        within = self.candidates[more <= left]
        excluded = node.excluded | fit_words(
            pack(~np.isin(self.bits.columns, within)), node.excluded
        )
        rows = np.empty(64 * len(uncovered), dtype=np.int64)
        count, _ = cover.uncovered_rows(self.bits.good, excluded, uncovered, rows)
        if count == 0:
            if self.separates(columns, node.pair):
                return self._extend(columns, 0, low, high)
            return self._complete(node, missing, low, high)  # there is a new row
        row = int(rows[0])
        children = np.empty(64 * len(excluded), dtype=np.int64)
        children = children[: cover.members(self.bits.good[row] & ~excluded, children)]
        ends = np.linspace(low, high, len(children) + 1)
        for place, child in enumerate(children):
            below = self._child(Node(node.pair, node.chosen, excluded), row, int(child))
            self.tally.nodes += 1
            self._clock.report(float(ends[place]), self.tally.nodes)
            if not self._complete(below, missing, float(ends[place]), float(ends[place + 1])):
                return False
        return True

    def _try_all(self, columns: tuple[int, ...]) -> bool:
        """Decide by all columns that are paid for: nothing else can be added."""
        if columns in self._extended:
            return True
        self._extended.add(columns)
        self.tally.survivors += 1
        return self._find_open_pair(columns) is not None or self._report(columns, 0)

    def _try_last(self, columns: tuple[int, ...], more: NDArray[Any], left: int) -> bool:
        """One group, or column in none, can be added at most: test all of them by their bits."""
        if columns in self._last_tried:
            return True
        self._last_tried.add(columns)
        if self._find_open_pair(columns) is None:
            return self._report(columns, 0)
        units = self._list_units(more, left)
        base = np.array([self._place_of_column[column] for column in columns], dtype=np.int64)
        places = [[self._place_of_column[column] for column in unit] for unit in units]
        starts = np.cumsum([0, *map(len, places)])
        rows = np.array([self.bits.rows_of(pair) for pair in range(len(self.bits.pairs))])
        passing = np.zeros(len(units), dtype=bool)
        share_out(
            cover.find_passing, len(passing),
            self.bits.bad, self.bits.opposite, base, np.concatenate(places).astype(np.int64),
            starts, cover.list_words(rows), MOST_COLUMNS, passing,
        )  # fmt: skip
        self.tally.nodes += len(units)
        for place in np.flatnonzero(passing):
            if self._clock.is_over:
                return False
            if not self._try_all(tuple(sorted({*columns, *units[place]}))):
                return False
        return True

    def _list_units(self, more: NDArray[Any], left: int) -> list[list[int]]:
        """What can be bought: columns in no group, and those of a group up to one of its prices."""
        found: dict[tuple[int, int], list[int]] = {}
        for place in np.flatnonzero((more > 0) & (more <= left)).tolist():
            column = int(self.candidates[place])
            group, price = int(self._group_of[column]), int(self.prices.units[column])
            found[(group, price) if group >= 0 else (-1 - column, price)] = [column]
        affordable = self.candidates[(more > 0) & (more <= left)]
        groups, prices = self._group_of[affordable], self.prices.units[affordable]
        for (group, price), members in found.items():
            if group >= 0:
                members[:] = affordable[(groups == group) & (prices <= price)].tolist()
        return list(found.values())

    def _report(self, columns: tuple[int, ...], missing: int) -> bool:
        """Report a set with all that it pays for, without features that the others do not need."""
        left = self._close(columns, self._price_more(columns))
        for column in sorted(left, key=lambda one: (-self.prices.units[one], one)):
            fewer = tuple(one for one in left if one != column)
            if column not in self.root and fewer and self._find_open_pair(fewer) is None:
                left = fewer
        key = self._close(left, self._price_more(left))
        if key in self._reported:
            return True
        self._reported.add(key)
        if self._find_open_pair(left) is not None:  # fills in the weights, where they are missing
            raise RuntimeError("a set that separates does not")
        return super()._report(left, 0)


def make_search(
    X: FloatArray,
    y: NDArray[Any],
    bits: SignedBits,
    rules: Rules,
    *,
    prices: Prices,
    known: list[RuledOut],
    kind: type[RuledSearch] | None = None,
) -> RuledSearch:
    """The search for these rules; `kind` stands in for the usual one."""
    in_bits = set(bits.columns.tolist())
    root = tuple(j for j in np.flatnonzero(rules.included).tolist() if j in in_bits)
    kind = kind or (RuledSearch if prices.groups is None else GroupSearch)
    return kind(
        X,
        y,
        bits,
        known,
        signs=rules.weight_signs,
        first_room=_MORE_ROOM,
        prices=prices,
        groups=rules.groups if rules.one_per_group else None,
        root=root,
    )
