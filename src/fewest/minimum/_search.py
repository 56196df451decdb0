"""All sets of a given size from three on: set cover on bit sets, exact leaves, cuts from them.

A set that passes the bit test is settled exactly. If it separates nothing, its Farkas vector joins
the rows: it is a pair of convex combinations of samples, and most sets that pass all pairs of
samples fail on one of the vectors found before.

With many classes, the cover is that of one pair of classes at a time, the hardest first. Once
columns separate it, they are completed to separate the next pair that they do not separate yet,
with any signs: weights of one pair of classes say nothing about those of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.linear.master import TimeIsUpError
from fewest._types import FloatArray
from fewest.minimum import _cover as cover
from fewest.minimum._bits import SignedBits, Words
from fewest.minimum._clock import LARGE_PIECE, Clock
from fewest.minimum._leaves import RuledOut, Separation, Signs, settle_pair
from fewest.minimum._threads import share_out

# Children per batch times signed features squared and pairs of classes: tenths of a second. Time
# itself must not decide, or the rows, and with them the first set found, would differ.
_BATCH_WORK = 3 * 10**9
_FEWEST_CHILDREN, _MOST_CHILDREN = 4, 4096
# Words of bit sets that are intersected between two looks at the clock, for each child: tenths of a
# second at most.
CALL_WORDS = 5 * 10**7
_ROOM = 32  # survivors that a child may report before rows have to be added
_MOST_STORED = 1 << 22  # survivors of all children together
# Columns of which all signs are tried: for every set of a scan, and for single sets.
_MOST_SIGNS, MOST_COLUMNS = 6, 12


@dataclass(frozen=True, eq=False)
class Node:
    """Signed features chosen so far, and features no longer allowed, for a pair of classes."""

    pair: int
    chosen: tuple[int, ...]
    excluded: Words


@dataclass
class Tally:
    """What a search has looked at: nodes, sets that passed all bits, and those settled exactly.

    With many classes a set is settled for one pair of classes at a time, each of which counts.
    """

    nodes: int = 0
    survivors: int = 0
    settled: int = 0


@dataclass(eq=False)
class CoverSearch:
    """Sets of columns that separate, found through `bits`; `ruled_out` collects leaves.

    Proofs that are known already may be given: their rows are the first to be added. `_separating`
    holds the columns of sets found by the present run: bits alone may let other signs of them pass
    too; `_extended` holds those that separate a pair of classes, and from which it went on.
    `_weights` are those of columns for a pair of classes, None where they do not separate it.
    `signs` are those that weights of the columns of X must have (0: either), `first_room` how many
    sets a scan for the last features reports at first.
    """

    X: FloatArray
    y: NDArray[Any]
    bits: SignedBits
    ruled_out: list[RuledOut] = field(default_factory=list)
    signs: Signs | None = None
    first_room: int = 0
    _separating: set[tuple[int, ...]] = field(default_factory=set)
    _extended: set[tuple[int, ...]] = field(default_factory=set)
    _weights: dict[tuple[tuple[int, ...], int], tuple[int, ...] | None] = field(
        default_factory=dict
    )
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.bits.transpose()
        self._place_of_column = {j: place for place, j in enumerate(self.bits.columns.tolist())}
        self._pair_of_labels = {pair.labels: k for k, pair in enumerate(self.bits.pairs)}
        known, self.ruled_out = self.ruled_out, []
        for leaf in known:
            self._add_row(leaf)

    def node(self, chosen: tuple[int, ...] = (), pair: int = 0) -> Node:
        """The node at which these signed features are chosen and nothing else is decided."""
        excluded = np.zeros(self.bits.good.shape[1], dtype=np.uint64)
        for f in chosen:
            for taken in (f, int(self.bits.opposite[f])):
                if taken >= 0:
                    excluded[taken >> 6] |= np.uint64(1) << np.uint64(taken & 63)
        return Node(pair, chosen, excluded)

    def run(self, size: int, clock: Clock, found: Callable[[Separation], bool]) -> bool:
        """Find all separating sets of a size; no smaller set may separate.

        `found` is called with each of them, and returns whether to go on. Returns False where the
        clock or `found` ended the search early.
        """
        return self._begin((), size, clock, found)

    def _begin(
        self, columns: tuple[int, ...], missing: int, clock: Clock, found: Callable[..., bool]
    ) -> bool:
        self._separating.clear()
        self._extended.clear()
        self._clock, self._found = clock, found
        try:
            return self._extend(columns, missing, 0.0, 1.0)
        except TimeIsUpError:
            return False

    @property
    def _steps(self) -> int:
        """Intersections of sets of features between two looks at the clock."""
        return max(1, CALL_WORDS // max(1, self.bits.good.shape[1]))

    def _extend(self, columns: tuple[int, ...], missing: int, low: float, high: float) -> bool:
        """Find all separating sets of these columns and `missing` more.

        They stand for the part of the whole search between `low` and `high`.
        """
        if columns in self._extended:
            return True
        self._extended.add(columns)
        pair = self._find_open_pair(columns)
        if pair is None:
            return self._report(columns, missing)
        if missing == 0:
            return True
        places = [self._place_of_column[column] for column in columns]
        signs = [[f for f in (f, int(self.bits.opposite[f])) if f >= 0] for f in places]
        return all(
            self._complete(self.node(chosen, pair), missing, low, high)
            for chosen in product(*signs)
        )

    def _find_open_pair(self, columns: tuple[int, ...]) -> int | None:
        """The hardest pair of classes that columns do not separate; None if they separate all."""
        pairs = range(len(self.bits.pairs))
        return next((pair for pair in pairs if not self.separates(columns, pair)), None)

    def separates(self, columns: tuple[int, ...], pair: int) -> bool:
        """Decide for a pair of classes; the proof that columns do not separate it becomes a row."""
        key = columns, pair
        if key not in self._weights:
            if not self.may_separate(columns, [pair]):
                return False
            self.tally.settled += 1
            answer = settle_pair(self.X, self.bits.pairs[pair], columns, self.signs)
            if isinstance(answer, RuledOut):
                self._add_row(answer)
            self._weights[key] = None if isinstance(answer, RuledOut) else answer
        return self._weights[key] is not None

    def may_separate(self, columns: tuple[int, ...], pairs: Iterable[int]) -> bool:
        """Whether columns pass all rows of some pairs of classes; very many are taken to do so."""
        if len(columns) > MOST_COLUMNS:
            return True
        signed = np.array([self._place_of_column[column] for column in columns], dtype=np.int64)
        rows = np.array([self.bits.rows_of(pair) for pair in pairs])
        listed = cover.list_words(rows)
        return bool(cover.passes(self.bits.bad, self.bits.opposite, signed, listed))

    def _report(self, columns: tuple[int, ...], missing: int) -> bool:
        """Hand on a set that separates all pairs of classes; whether to go on."""
        if missing:
            raise RuntimeError("a smaller set separates: search the smaller sizes first")
        self._separating.add(columns)
        weights: dict[int, Any] = {
            pair.place: self._weights[columns, k] for k, pair in enumerate(self.bits.pairs)
        }
        return self._found(Separation(columns, tuple(weights[k] for k in range(len(weights)))))

    def _complete(self, node: Node, missing: int, low: float, high: float) -> bool:
        """Complete a node by `missing` features, for its pair of classes and then for the others.

        The node stands for the part of the whole search between `low` and `high`.
        """
        if missing < 3:
            return self._run_last(node, missing)
        if self._clock.is_over:
            return False
        uncovered = self._uncovered(node)
        rows = np.empty(64 * len(uncovered), dtype=np.int64)
        count, _ = cover.uncovered_rows(self.bits.good, node.excluded, uncovered, rows)
        if count == 0:  # all rows are covered before the set is complete
            columns = self._columns_of(node.chosen)
            if self.separates(columns, node.pair):
                return self._extend(columns, missing, low, high)
            return self._complete(node, missing, low, high)  # there is a new row
        row = int(rows[0])
        children = np.empty(64 * len(node.excluded), dtype=np.int64)
        children = children[: cover.members(self.bits.good[row] & ~node.excluded, children)]
        if missing == 3:
            return self._run_children(node, row, children, low, high)
        ends = np.linspace(low, high, len(children) + 1)
        for place, child in enumerate(children):
            below = self._child(node, row, int(child))
            if not self._complete(below, missing - 1, ends[place], ends[place + 1]):
                return False
        return True

    def pairs_completing(self, node: Node, room: int, clock: Clock) -> NDArray[np.int64]:
        """Up to `room` pairs of signed features that complete a node, as far as the bits show.

        Fewer if time is up.
        """
        stored, _ = self._scan_last(node, 2, room, clock)
        return stored

    def _scan_last(
        self, node: Node, missing: int, room: int, clock: Clock
    ) -> tuple[NDArray[np.int64], int]:
        """Up to `room` choices of one or two features that complete a node; how many there are.

        Fewer if time is up.
        """
        out = np.empty((room, missing), dtype=np.int64)
        given = (
            self.bits.bad, self.bits.good, self.bits.opposite, self._other_rows(node, missing),
            self._rule(), np.array(node.chosen, dtype=np.int64), self._uncovered(node),
            node.excluded, out, room,
        )  # fmt: skip
        if missing == 1:
            count, tried = cover.last_one(*given)
            self.tally.nodes += tried
            return out[: min(count, room)], count
        count, start = 0, 0
        while start >= 0:
            count, tried, start = cover.last_two(*given, start, count, self._steps)
            self.tally.nodes += tried
            if clock.is_over:
                break
        return out[: min(count, room)], count

    def _rule(self) -> tuple[FloatArray, NDArray[np.int64], float]:
        """Prices and groups of signed features, and what a set may cost: none of that matters."""
        n_signed = self.bits.n_signed
        return np.zeros(n_signed), np.full(n_signed, -1), np.inf

    def settle(self, signed: Iterable[int], clock: Clock) -> Separation | None:
        """Decide whether signed features separate; the proof that they do not becomes a row.

        None where time is up, too.
        """
        self.tally.settled += 1
        columns = self._columns_of(tuple(signed))
        weights = {}
        for pair in self.bits.pairs:
            if clock.is_over:
                return None
            answer = settle_pair(self.X, pair, columns, self.signs)
            if isinstance(answer, RuledOut):
                self._add_row(answer)
                return None
            weights[pair.place] = answer
        return Separation(columns, tuple(weights[place] for place in sorted(weights)))

    def _run_last(self, node: Node, missing: int) -> bool:
        """One or two features are missing: scan, with new rows, until all sets are settled."""
        room, possible = max(_ROOM, self.first_room), self.bits.n_signed**missing
        while not self._clock.is_over:
            stored, count = self._scan_last(node, missing, room, self._clock)
            if self._clock.is_over:
                return False  # there may be more than was scanned
            first_new = self.bits.n_rows
            if not self._try_sets(node.pair, node.chosen, stored, first_new):
                return False
            if count <= room and not self._has_open(node.pair, node.chosen, stored):
                return True
            if self.bits.n_rows == first_new:
                room = _more_room(room, possible)
        return False

    def _run_children(
        self, node: Node, row: int, children: NDArray[np.int64], low: float, high: float
    ) -> bool:
        """Three features are missing: the children's last two levels run compiled, in parallel."""
        work = self.bits.n_signed**2 * len(self.bits.pairs)
        batch_size = int(np.clip(_BATCH_WORK // work, _FEWEST_CHILDREN, _MOST_CHILDREN))
        for start in range(0, len(children), batch_size):
            self._clock.report(low + (high - low) * start / len(children), self.tally.nodes)
            batch = children[start : start + batch_size]
            if self._clock.is_over or not self._run_batch(node, row, batch):
                return False
        return True

    def _run_batch(
        self, node: Node, row: int, children: NDArray[np.int64], room: int = _ROOM
    ) -> bool:
        """Scan children, with new rows each time, until all sets that they report are settled."""
        while len(children):
            if len(children) > 1 and len(children) * room > _MOST_STORED:
                halves = np.array_split(children, 2)
                return all(self._run_batch(node, row, half, room) for half in halves)
            out = np.empty((len(children), room, 2), dtype=np.int64)
            counts, tried = np.zeros((2, len(children)), dtype=np.int64)
            starts = np.zeros(len(children), dtype=np.int64)
            given = (
                self.bits.bad, self.bits.good, self.bits.opposite, self._other_rows(node, 3),
                self._rule(), np.array(node.chosen, dtype=np.int64), self._uncovered(node),
                node.excluded, row, children, out, counts, tried, starts,
            )  # fmt: skip
            is_over = False
            while np.any(starts >= 0) and not is_over:
                share_out(cover.scan_children, len(children), *given, self._steps)
                self._clock.spend(LARGE_PIECE)
                is_over = self._clock.is_over
            self.tally.nodes += int(tried.sum())
            if is_over:
                return False
            again, first_new = [], self.bits.n_rows
            for place in np.flatnonzero(counts):
                chosen = (*node.chosen, int(children[place]))
                stored = out[place, : min(counts[place], room)]
                if not self._try_sets(node.pair, chosen, stored, first_new):
                    return False
                if counts[place] > room or self._has_open(node.pair, chosen, stored):
                    again.append(place)
            if self._clock.is_over:
                return False
            if again and self.bits.n_rows == first_new:
                # All that was reported separates: there must be room for more.
                room = _more_room(room, self.bits.n_signed**2)
            children = children[again]
        return True

    def _try_sets(
        self, pair: int, chosen: tuple[int, ...], stored: NDArray[np.int64], first_new: int
    ) -> bool:
        """Settle sets that pass the rows of a pair of classes, and go on from there if they do.

        Every row of `stored` completes what is chosen; -1 stands for a feature that is not needed
        yet. Rows from `first_new` on were added since. Returns whether to go on.
        """
        for added in stored:
            signed = (*chosen, *(int(f) for f in added if f >= 0))
            columns, missing = self._columns_of(signed), int(np.sum(added < 0))
            if columns in self._separating or self.is_bad_since(first_new, signed, pair):
                continue
            if not missing and not self.may_separate(columns, range(len(self.bits.pairs))):
                continue  # by a row of another pair of classes that was added since
            self.tally.survivors += 1
            if self.separates(columns, pair) and not self._extend(columns, missing, 0.0, 0.0):
                return False
        return True

    def _has_open(self, pair: int, chosen: tuple[int, ...], stored: NDArray[np.int64]) -> bool:
        """Whether an incomplete set passed the rows, but does not separate: scan with new rows."""
        incomplete = stored[np.any(stored < 0, axis=1)]
        sets = ((*chosen, *(int(f) for f in added if f >= 0)) for added in incomplete)
        return any(not self.separates(self._columns_of(signed), pair) for signed in sets)

    def _child(self, node: Node, row: int, child: int) -> Node:
        excluded = node.excluded.copy()
        cover.exclude_before(self.bits.good[row], child, int(self.bits.opposite[child]), excluded)
        return Node(node.pair, (*node.chosen, child), excluded)

    def _columns_of(self, signed: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(self.bits.columns[list(signed)].tolist()))

    def _other_rows(self, node: Node, missing: int) -> NDArray[np.uint64]:
        """The rows of all pairs of classes but the node's; none where there are too many signs."""
        n_signs = len(node.chosen) + missing
        pairs = range(len(self.bits.pairs)) if n_signs <= _MOST_SIGNS else ()
        others = [pair for pair in pairs if pair != node.pair]
        rows = np.empty((len(others), self.bits.bad.shape[1]), dtype=np.uint64)
        for place, k in enumerate(others):
            rows[place] = self.bits.rows_of(k)
        listed: NDArray[np.uint64] = cover.list_words(rows)
        return listed

    def _uncovered(self, node: Node) -> Words:
        """The rows on which all chosen features are bad, those added since included."""
        return self._bad_for_all(node.chosen, node.pair)

    def _bad_for_all(self, signed: tuple[int, ...], pair: int) -> Words:
        bad = np.bitwise_and.reduce(self.bits.bad[list(signed)], axis=0)
        return bad & self.bits.rows_of(pair)

    def is_bad_since(self, first_row: int, signed: tuple[int, ...], pair: int = 0) -> bool:
        """Whether a row that was added since rules the set out."""
        rows = self._bad_for_all(signed, pair)
        word, bit = divmod(first_row, 64)
        if word >= len(rows):
            return False
        rows[word] &= ~((np.uint64(1) << np.uint64(bit)) - np.uint64(1))
        return bool(rows[word:].any())

    def _add_row(self, leaf: RuledOut) -> None:
        with_plus, with_minus = leaf.bad_on(self.X, self.y)
        plus, columns = self.bits.signs > 0, self.bits.columns
        pair = self._pair_of_labels[leaf.classes(self.y)]
        self.bits.add_row(np.where(plus, with_plus[columns], with_minus[columns]), pair)
        self.ruled_out.append(leaf)


def _more_room(room: int, possible: int) -> int:
    """Room for more sets, but not for more than there can be."""
    if room >= possible:
        raise RuntimeError("a set that is ruled out is among those that pass its row")
    return min(4 * room, possible)
