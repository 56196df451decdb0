"""All sets that leave few errors, under rules about features, or for more than two classes.

Sets are listed by the tests on bits for two of the classes, those that are hardest to separate.
With more classes, they must pass the bounds of all other pairs of classes too, each with signs of
their own. A sample is wrong if any two classes leave it wrong, so a bound for one pair of classes
is a bound for all of them. As a sample takes part in one pair for each other class, so is the sum
of all bounds, divided by the number of other classes.

Features that are always in begin every set, with all combinations of signs. Features that share a
group, and may not be in one set, are rivals of each other like the two signs of one feature.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numba import njit

from fewest._estimators.rules import Rules
from fewest._types import IndexArray
from fewest.minimum._classes import pair_classes
from fewest.minimum._clock import stop_when_over
from fewest.minimum._data import Twins
from fewest.minimum._dominance import DominanceBits
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._line import MOST_CLASSES, count_line_errors, find_line_errors
from fewest.minimum._matched_sets import scan_completions
from fewest.minimum._matching import match_best, match_greedily
from fewest.minimum._plane import count_errors_of_pairs, scale_for_signs
from fewest.minimum._prices import Prices
from fewest.minimum._ruled_search import describe_candidates
from fewest.minimum._vectors import VectorPool, separate_others

_BEST = 10  # signed features that show how hard two classes are to separate


@dataclass(eq=False)
class GeneralSearch(ErrorSearch):
    """Sets of columns that follow rules; `y` are places of labels, of two classes or more.

    `root` are columns that are always in (those that vary), `everything` all that may be in.
    """

    rules: Rules | None = None

    def __post_init__(self) -> None:
        self._floor = 0
        super().__post_init__()

    def _prepare(self) -> None:
        self.few = int(np.argmin(np.bincount(self.y)))
        rules, n_features = self.rules, self.X.shape[1]
        self.n_classes = int(self.y.max()) + 1
        excluded, included = np.zeros((2, n_features), dtype=bool)
        kinds = None
        self.prices = Prices.equal(n_features) if rules is None else Prices.read(rules)
        if rules is not None:
            self.signs = rules.weight_signs
            excluded, included = rules.excluded, rules.included
            kinds = describe_candidates(rules)
        self.everything = tuple(np.flatnonzero(~excluded).tolist())
        self.twins = Twins(self.X, kinds, self.signs)
        varies = np.any(self.X[:1] != self.X, axis=0)
        self.root = tuple(np.flatnonzero(included & varies).tolist())
        self.candidates: IndexArray = np.setdiff1d(self.twins.firsts, self.root)
        self.cheapest = [0, *np.cumsum(np.sort(self.prices.units[self.candidates])).tolist()]
        self.is_searched = {*self.candidates.tolist(), *self.root}
        self._make_tables()
        signed = list(product(*(self.bits.places[column].tolist() for column in self.root)))
        self.roots = np.array(signed, dtype=np.int64).reshape(len(signed), len(self.root))
        self._equal, self._floor = compare_samples(self.X[:, self.everything], self.y)
        self._scaled, self._is_sound = scale_for_signs(self.X)
        self._on_lines: dict[int, int] = {}

    def _make_tables(self) -> None:
        """The bits of all pairs of classes; the hardest one leads."""
        pairs = pair_classes(self.y)
        columns = np.union1d(self.candidates, np.array(self.root, dtype=np.intp)).astype(np.intp)
        self.tables = []
        for pair in pairs:
            codes = np.full(len(self.y), -1, dtype=np.intp)
            codes[pair.negative], codes[pair.positive] = 0, 1
            self.tables.append(DominanceBits(self.X, codes, columns, self.signs, 1 / len(pairs)))
        hardness = [table.errors[:_BEST].sum() for table in self.tables]
        lead = int(np.argmax(hardness))
        self.bits = self.tables[lead]
        self.bits.price = self.prices.floats[self.bits.columns]
        if self.rules is not None and self.rules.groups is not None:
            groups = self.rules.groups[self.bits.columns]
            self.bits.rivals = np.where(groups >= 0, self.X.shape[1] + groups, self.bits.columns)
        labels = pairs[lead].labels
        self.pool = VectorPool(self.X, self.y, self.bits, (int(labels[0]), int(labels[1])))

    @property
    def floor(self) -> int:
        """Errors that any columns leave: equal samples of different classes."""
        return self._floor

    def list_conflicts(self, most: int) -> list[tuple[int, int]]:
        return pair_conflicting(self._equal, self.y, most)

    def leave_class_out(self) -> Separation:
        """No weights: all samples are wrong but those of the largest class."""
        largest = int(np.argmax(np.bincount(self.y)))
        return separate_others(self.X, self.y, (), np.flatnonzero(self.y != largest))

    def may_join(self, columns: tuple[int, ...]) -> bool:
        """Whether different columns may be in one set."""
        rivals = self.bits.rivals[self.bits.places[list(columns)].max(axis=1)]
        return len(set(rivals.tolist())) == len(columns)

    def run(
        self,
        size: int,
        most: int,
        found: Callable[[Separation], bool],
        limit: Callable[[], float] | None = None,
    ) -> bool:
        """The same for any number of features besides those that are always in.

        The limit is in whole units.
        """
        self._limit = limit or self._no_limit

        def limit_floats() -> float:
            return self.prices.limit_floats(int(self._limit()))

        if size >= 2:
            return super().run(size, most, found, limit_floats)
        if self.clock.is_over:
            return False
        settled: set[tuple[int, ...]] = set()
        if size == 0:
            nothing = self.leave_class_out()
            if len(nothing.wrong) <= most:
                return found(nothing)
            return not self.root or self._settle_rows(self.roots, most, settled, found)
        for root in self.roots:
            last, _ = scan_completions(self.bits, self.pool, tuple(root.tolist()), most)
            last = last[self.bits.price[last] <= limit_floats()]
            self.tally.nodes += self.bits.n_signed
            rows = np.column_stack([np.tile(root, (len(last), 1)), last])
            if not self._settle_rows(rows, most, settled, found):
                return False
        return True

    def _no_limit(self) -> float:
        return self.prices.above_all

    def _may_hold(self, columns: tuple[int, ...], most: int) -> bool:
        if self.prices.total(columns) > self._limit():  # sums of doubles may let too much pass
            return False
        if self._is_line(columns):
            return self._count_on_line(columns[0]) <= most
        if self._is_plane(columns):
            pair, is_few = np.array([columns]), self.y == self.few
            return int(count_errors_of_pairs(self._scaled, pair, is_few, -1)[0]) <= most
        total, most_in_all = 0, most * (self.n_classes - 1)
        for table in self.tables if self.n_classes > 2 else ():
            bound = int(bound_unsigned(table.bad, table.places[list(columns)], most))
            total += bound
            if bound > most or total > most_in_all:
                return False
        return True

    def _is_line(self, columns: tuple[int, ...]) -> bool:
        """Whether all thresholds of a column are tried: that is exact, and needs no proof."""
        return len(columns) == 1 and self.n_classes <= MOST_CLASSES

    def _is_plane(self, columns: tuple[int, ...]) -> bool:
        """Whether all lines in the plane of two columns can be tried, without regard to signs."""
        is_pair = len(columns) == 2 and self.n_classes == 2
        return is_pair and bool(self._is_sound[list(columns)].all())

    def _count_on_line(self, column: int) -> int:
        if column not in self._on_lines:
            if self.n_classes == 2:
                places = self.bits.places[column]
                count = int(self.bits.errors[places[places >= 0]].min())
            else:
                count = count_line_errors(self.X[:, column], self.y, self.n_classes)
            self._on_lines[column] = count
        return self._on_lines[column]

    def _settle_set(
        self, columns: tuple[int, ...], most: int
    ) -> Separation | list[RuledOut] | None:
        if self._is_line(columns):
            if self.n_classes == 2:
                return self.separate_single(columns[0])
            wrong = find_line_errors(self.X[:, columns[0]], self.y, self.n_classes)
            return separate_others(self.X, self.y, columns, wrong)
        if self._is_plane(columns):
            best = self.separate_pair((columns[0], columns[1]))
            if self.signs is None or best.holds(self.X, self.y, self.signs):
                return best
        return self.settle(columns, most)


def compare_samples(X: Any, y: IndexArray) -> tuple[list[list[int]], int]:
    """Groups of equal samples of several classes; how many samples these leave wrong."""
    groups: dict[bytes, list[int]] = {}
    for i in range(len(X)):
        stop_when_over()
        groups.setdefault((X[i] + 0.0).tobytes(), []).append(i)
    mixed = [group for group in groups.values() if np.any(y[group] != y[group[0]])]
    return mixed, sum(len(group) - int(np.bincount(y[group]).max()) for group in mixed)


def pair_conflicting(groups: list[list[int]], y: IndexArray, most: int) -> list[tuple[int, int]]:
    """Pairs of equal samples of which no `most` samples meet all, if that is true of all pairs.

    So many samples of a class as are one too many to be left out stand for all the others.
    """
    pairs: list[tuple[int, int]] = []
    floor = 0
    for group in groups:
        labels = y[group]
        chosen = [
            int(sample)
            for label in np.unique(labels)
            for sample in np.array(group)[labels == label][: most + 1]
        ]
        pairs += [(i, j) for i, j in combinations(sorted(chosen), 2) if y[i] != y[j]]
        floor += len(chosen) - int(np.bincount(y[chosen]).max())
        if floor > most:
            break
    return pairs


@njit(cache=True)
def bound_unsigned(bad: Any, places: Any, most: int) -> int:
    """The lowest matching bound of columns over all their signs; `most` + 1 if it is larger."""
    size = len(places)
    n_rows, n_words = bad.shape[1:]
    used, partners = np.empty(n_words, np.uint64), np.empty(n_rows, np.int64)
    owners = np.empty(64 * n_words, np.int64)
    graph = np.empty((n_rows, n_words), np.uint64)
    lowest = most + 1
    for signs in range(1 << size):
        graph[:] = ~np.uint64(0)
        is_there = True
        for k in range(size):
            place = places[k, (signs >> k) & 1]
            if place < 0:
                is_there = False
                break
            graph &= bad[place]
        if not is_there or lowest == 0:
            continue
        if match_greedily(graph, graph, lowest - 1, used, partners) >= lowest:
            continue
        lowest = min(lowest, match_best(graph, lowest - 1, owners, partners))
    return lowest
