"""All sets of a given size from three on: set cover on bit sets, exact leaves, cuts from them.

A set that passes the bit test is settled exactly. If it separates nothing, its Farkas vector joins
the rows: it is a pair of convex combinations of samples, and most sets that pass all pairs of
samples fail on one of the vectors found before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray
from fewest.minimum import _cover as cover
from fewest.minimum._bits import SignedBits, Words
from fewest.minimum._clock import Clock
from fewest.minimum._leaves import RuledOut, Separation, settle

# Children per batch times signed features squared: tenths of a second. Time itself must not decide,
# or the rows, and with them the first set found, would differ from run to run.
_BATCH_WORK = 3 * 10**9
_FEWEST_CHILDREN, _MOST_CHILDREN = 4, 4096
_ROOM = 32  # survivors that a child may report before rows have to be added


@dataclass(frozen=True, eq=False)
class Node:
    """Signed features chosen so far, and features no longer allowed."""

    chosen: tuple[int, ...]
    excluded: Words


@dataclass
class Tally:
    """What a search has looked at: nodes, sets that passed all bits, and those settled exactly."""

    nodes: int = 0
    survivors: int = 0
    settled: int = 0


@dataclass(eq=False)
class CoverSearch:
    """Sets of signed features that separate, found through `bits`; `ruled_out` collects leaves.

    Proofs that are known already may be given: their rows are the first to be added. `_separating`
    holds the columns of sets found by the present run: bits alone may let other signs of them pass
    too.
    """

    X: FloatArray
    y: FloatArray
    bits: SignedBits
    ruled_out: list[RuledOut] = field(default_factory=list)
    _separating: set[frozenset[int]] = field(default_factory=set)
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.bits.transpose()
        known, self.ruled_out = self.ruled_out, []
        for leaf in known:
            self._add_row(leaf)

    def node(self, chosen: tuple[int, ...] = ()) -> Node:
        """The node at which these signed features are chosen and nothing else is decided."""
        excluded = np.zeros(self.bits.good.shape[1], dtype=np.uint64)
        for f in chosen:
            for taken in (f, int(self.bits.opposite[f])):
                if taken >= 0:
                    excluded[taken >> 6] |= np.uint64(1) << np.uint64(taken & 63)
        return Node(chosen, excluded)

    def run(self, size: int, clock: Clock, found: Callable[[Separation], bool]) -> bool:
        """Find all separating sets of a size; no smaller set may separate.

        `found` is called with each of them, and returns whether to go on. Returns False where the
        clock or `found` ended the search early.
        """
        self._separating.clear()
        self._clock, self._found = clock, found
        return self._complete(self.node(), size, 0.0, 1.0)

    def _complete(self, node: Node, missing: int, low: float, high: float) -> bool:
        """Complete a node by `missing` features (three or more).

        The node stands for the part of the whole search between `low` and `high`.
        """
        uncovered = self._uncovered(node)
        rows = np.empty(64 * len(uncovered), dtype=np.int64)
        count, _ = cover.uncovered_rows(self.bits.good, node.excluded, uncovered, rows)
        if count == 0:  # all rows are covered before the set is complete: one more is needed
            if self.settle(node.chosen) is not None:
                raise RuntimeError("a smaller set separates: search the smaller sizes first")
            return self._complete(node, missing, low, high)
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

    def pairs_completing(self, node: Node, room: int) -> NDArray[np.int64]:
        """Up to `room` pairs of signed features that complete a node, as far as the bits show."""
        out = np.empty((room, 2), dtype=np.int64)
        count, tried = cover.last_two(
            self.bits.bad, self.bits.good, self.bits.opposite,
            self._uncovered(node), node.excluded, out, room,
        )  # fmt: skip
        self.tally.nodes += tried
        return out[: min(count, room)]

    def settle(self, signed: Iterable[int]) -> Separation | None:
        """Decide whether signed features separate; the proof that they do not becomes a row."""
        self.tally.settled += 1
        answer = settle(self.X, self.y, self.bits.columns[list(signed)].tolist())
        if isinstance(answer, Separation):
            return answer
        self._add_row(answer)
        return None

    def _run_children(
        self, node: Node, row: int, children: NDArray[np.int64], low: float, high: float
    ) -> bool:
        """Three features are missing: the children's last two levels run compiled, in parallel."""
        batch_size = int(
            np.clip(_BATCH_WORK // self.bits.n_signed**2, _FEWEST_CHILDREN, _MOST_CHILDREN)
        )
        for start in range(0, len(children), batch_size):
            self._clock.report(low + (high - low) * start / len(children), self.tally.nodes)
            batch = children[start : start + batch_size]
            if self._clock.is_over or not self._run_batch(node, row, batch):
                return False
        return True

    def _run_batch(self, node: Node, row: int, children: NDArray[np.int64]) -> bool:
        """Scan children, with new rows each time, until all sets that they report are settled."""
        room = _ROOM
        while len(children):
            out = np.empty((len(children), room, 2), dtype=np.int64)
            counts, tried = np.zeros((2, len(children)), dtype=np.int64)
            cover.scan_children(
                self.bits.bad, self.bits.good, self.bits.opposite, self._uncovered(node),
                node.excluded, row, children, out, counts, tried,
            )  # fmt: skip
            self.tally.nodes += int(tried.sum())
            again, first_new = [], self.bits.n_rows
            for place in np.flatnonzero(counts):
                stored = out[place, : min(counts[place], room)]
                if counts[place] > room or stored.min() < 0:
                    again.append(place)
                for pair in stored:
                    signed = (*node.chosen, int(children[place]), *(int(f) for f in pair if f >= 0))
                    columns = frozenset(self.bits.columns[list(signed)].tolist())
                    if columns in self._separating or self.is_bad_since(first_new, signed):
                        continue
                    self.tally.survivors += 1
                    answer = self.settle(signed)
                    if answer is not None:
                        self._separating.add(columns)
                        if not self._found(answer):
                            return False
            if self._clock.is_over:
                return False
            if again and self.bits.n_rows == first_new:
                room *= 4  # all that was reported separates: there must be room for more
            children = children[again]
        return True

    def _child(self, node: Node, row: int, child: int) -> Node:
        excluded = node.excluded.copy()
        cover.exclude_before(self.bits.good[row], child, int(self.bits.opposite[child]), excluded)
        return Node((*node.chosen, child), excluded)

    def _uncovered(self, node: Node) -> Words:
        """The rows on which all chosen features are bad, those added since included."""
        return self.bits.all_rows() & self._bad_for_all(node.chosen)

    def _bad_for_all(self, signed: tuple[int, ...]) -> Words:
        return np.bitwise_and.reduce(self.bits.bad[list(signed)], axis=0)

    def is_bad_since(self, first_row: int, signed: tuple[int, ...]) -> bool:
        """Whether a row that was added since rules the set out."""
        rows = self._bad_for_all(signed)
        word, bit = divmod(first_row, 64)
        if word >= len(rows):
            return False
        rows[word] &= ~((np.uint64(1) << np.uint64(bit)) - np.uint64(1))
        return bool(rows[word:].any())

    def _add_row(self, leaf: RuledOut) -> None:
        with_plus, with_minus = leaf.bad_on(self.X, self.y)
        plus, columns = self.bits.signs > 0, self.bits.columns
        self.bits.add_row(np.where(plus, with_plus[columns], with_minus[columns]))
        self.ruled_out.append(leaf)
