"""All sets of some size that leave few errors: bounds on bit sets first, then exact decisions.

One feature: a scan over thresholds. Two: the matching bound for all signed pairs, then the exact
count in the plane, pairs with the lowest bounds first. From three on: prefixes of signed features
are completed by the last two, as far as matchings and known Farkas vectors allow, and what is left
is settled by linear programs, whose Farkas vectors join the known ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.linear.master import TimeIsUpError
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import LARGE_PIECE, Clock, stop_when_over
from fewest.minimum._data import Twins, replace_columns
from fewest.minimum._dominance import DominanceBits
from fewest.minimum._leaves import RuledOut, Separation, Signs
from fewest.minimum._matched_sets import Prefixes, scan_completions, scan_pairs_below, scan_sets
from fewest.minimum._plane import count_errors_of_pairs, find_right_samples, scale_for_signs
from fewest.minimum._search import Tally
from fewest.minimum._threads import count_threads
from fewest.minimum._vectors import VectorPool, separate_others, settle_with_errors

_MOST_PAIRS = 4_000_000  # that are kept with their bounds
_CALL_PAIRS = 1 << 21  # tenths of a second, or seconds where many pairs pass
_MOST_COUNTS = 1 << 11
_STEPS_PER_LOOK = 15_000  # samples around a pivot: a thousandth of a second
_CALL_STEPS = 100 * _STEPS_PER_LOOK
_CALL_SETS = 1 << 23
_BEGINNING = 1 << 8  # what it takes to list one, in sets
_TASKS_PER_THREAD = 8  # of one call: threads share the work evenly then
_STRIPE = 64  # first members of pairs in one task
_ROOM = 64
_MOST_STORED = 1 << 22  # sets that a scan may report
_BEST = 300  # signed features whose pairs are tried first
_TRIES = 12  # sets that are settled for each known set, in the hope of fewer errors


@dataclass(eq=False)
class ErrorSearch:
    """Sets of columns of two classes; `y` are 0 and 1.

    `pool` collects Farkas vectors of sets that leave more errors than were looked for. Where the
    time is up before all is prepared (`is_ready`), no more than the classes is known.
    """

    X: FloatArray
    y: IndexArray
    clock: Clock
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.signs: Signs | None = None  # that weights must have
        # Rows of places: features that are always in, with all combinations of signs.
        self.roots: NDArray[np.int64] = np.empty((1, 0), dtype=np.int64)
        self.few = int(np.sum(self.y == 1) <= np.sum(self.y == 0))
        self.conflicts: list[tuple[int, int]] = []
        self.is_ready = False  # whether anything can be searched
        with suppress(TimeIsUpError):
            self._prepare()
            self.is_ready = True

    @property
    def proofs(self) -> tuple[RuledOut, ...]:
        """Vectors that rule sets out."""
        return tuple(self.pool.vectors) if self.is_ready else ()

    def _prepare(self) -> None:
        self.twins = Twins(self.X)
        self.bits = DominanceBits(self.X, self.y, self.twins.firsts)
        self.pool = VectorPool(self.X, self.y, self.bits)
        self.conflicts = list(_match_equal_samples(self.X, self.y))
        self._scaled: FloatArray | None = None
        self._best_pairs: NDArray[np.int64] = np.empty((0, 2), dtype=np.int64)
        self._best_counts: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def leave_class_out(self) -> Separation:
        """No features: all samples of the smaller class are wrong."""
        return separate_others(self.X, self.y, (), np.flatnonzero(self.y == self.few))

    @property
    def floor(self) -> int:
        """Errors that any columns leave: samples of both classes that are equal in all of them."""
        return len(self.conflicts)

    def singles(self, most: int) -> list[int]:
        """Single columns with at most `most` errors."""
        return np.unique(self.bits.columns[self.bits.errors <= most]).tolist()

    def separate_single(self, column: int) -> Separation:
        """The weight and the wrong samples of the best threshold of a column."""
        x = self.X[:, column]
        best: tuple[int, int, float] | None = None
        allowed = 0 if self.signs is None else int(self.signs[column])
        for sign in (1, -1) if not allowed else (allowed,):
            values, places = np.unique(sign * x, return_inverse=True)
            # Above the threshold is the second class: more and more samples are not.
            ones, all_ = (
                np.append(0, np.cumsum(np.bincount(places, weights=one, minlength=len(values))))
                for one in (self.y == 1, np.ones(len(x)))
            )
            errors = (ones + (len(x) - ones[-1]) - (all_ - ones)).astype(np.intp)
            k = int(np.argmin(errors))
            if best is None or errors[k] < best[0]:
                best = int(errors[k]), sign, float(values[k - 1]) if k else -np.inf
        assert best is not None
        _, sign, threshold = best
        wrong = np.flatnonzero((sign * x > threshold) != (self.y == 1))
        return Separation((column,), ((sign,),), tuple(wrong.tolist()))

    def try_best_pairs(self, fewest: int) -> int:
        """The fewest errors of pairs of the best features, if below `fewest`."""
        pairs, bounds = scan_pairs_below(self.bits, 0, min(_BEST, self.bits.n_signed), fewest - 1)
        order = np.argsort(bounds, kind="stable")
        with suppress(TimeIsUpError):
            for bound, _, counts in self.count_pairs(pairs[order], bounds[order]):
                fewest = min(fewest, int(counts.min()))
                if bound >= fewest or self.clock.is_over:
                    break
        return fewest

    def bound_pairs(self, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int] | None:
        """Signed pairs by their bounds, lowest first, and up to which bound they are all there.

        None if there was no time to see all pairs.
        """
        kept: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        n_kept, start, n_signed = 0, 0, self.bits.n_signed
        while start < n_signed:
            stop = min(n_signed, start + max(1, _CALL_PAIRS // (start + 64)))
            try:
                pairs, bounds = scan_pairs_below(self.bits, start, stop, most)
            except TimeIsUpError:
                return None
            self.tally.nodes += (stop * (stop - 1) - start * (start - 1)) // 2
            kept.append((pairs, bounds))
            n_kept += len(pairs)
            while n_kept > _MOST_PAIRS and most > 0:
                most -= 1
                kept = [(p[b <= most], b[b <= most]) for p, b in kept]
                n_kept = sum(len(b) for _, b in kept)
            start = stop
            self.clock.report((start / n_signed) ** 2, self.tally.nodes)
            self.clock.spend(LARGE_PIECE)
            if self.clock.is_over and start < n_signed:
                return None
        pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *(p for p, _ in kept)])
        bounds = np.concatenate([np.empty(0, dtype=np.int64), *(b for _, b in kept)])
        order = np.argsort(bounds, kind="stable")
        self.tally.survivors += len(order)
        return pairs[order], bounds[order], most

    def count_pairs(
        self, pairs: NDArray[np.int64], bounds: NDArray[np.int64]
    ) -> Iterator[tuple[int, list[tuple[int, int]], NDArray[np.int64]]]:
        """Count the errors of signed pairs; (bound up to which all are known, columns, errors)."""
        if self._scaled is None:
            self._scaled, self._is_sound = scale_for_signs(self.X)
        is_few = self.y == self.few
        # Each sample of the smaller class is a pivot around which all others are sorted.
        steps = max(1, int(is_few.sum()) * len(self.y))
        step = min(_MOST_COUNTS, max(1, _CALL_STEPS // steps))
        for start in range(0, len(pairs), step):
            places = pairs[start : start + step]
            columns, at = np.unique(
                np.sort(self.bits.columns[places], axis=1), axis=0, return_index=True
            )
            counts = count_errors_of_pairs(self._scaled, columns, is_few, -1)
            self.clock.spend(len(columns) * steps // _STEPS_PER_LOOK)
            for place in np.flatnonzero(~self._is_sound[columns].all(axis=1)):
                counts[place] = self._count_slowly(tuple(columns[place].tolist()))
            self._keep_best_pairs(places[at], counts)
            stop = start + len(places)
            bound = int(bounds[stop]) if stop < len(bounds) else len(self.y)
            yield bound, [(int(i), int(j)) for i, j in columns], counts

    def _keep_best_pairs(self, places: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Pairs to start from when sets of three are looked for."""
        order = np.argsort(counts, kind="stable")[:_TRIES]
        known = np.concatenate([self._best_counts, counts[order]])
        joined = np.vstack([self._best_pairs, places[order]])
        order = np.argsort(known, kind="stable")[: 5 * _TRIES]
        self._best_pairs, self._best_counts = joined[order], known[order]

    @property
    def best_pair(self) -> tuple[int, int]:
        """The columns of the best pair that was counted."""
        i, j = sorted(self.bits.columns[self._best_pairs[0]].tolist())
        return i, j

    def _count_slowly(self, columns: tuple[int, ...]) -> int:
        """The errors of columns whose values differ too much in size for compiled comparisons."""
        most = 0
        while isinstance(self.settle(columns, most, patient=True), list):
            most += 1
        return most

    def separate_pair(self, columns: tuple[int, int]) -> Separation:
        """The weights and the wrong samples of the best line of two columns."""
        if self._scaled is not None and self._is_sound[list(columns)].all():
            _, right = find_right_samples(self._scaled, self.y, columns, self.few)
            wrong = np.setdiff1d(np.arange(len(self.y)), right)
            return separate_others(self.X, self.y, columns, wrong)
        answer = self.settle(columns, self._count_slowly(columns), patient=True)
        assert isinstance(answer, Separation)
        return answer

    def settle(
        self, columns: tuple[int, ...], most: int, *, patient: bool = False
    ) -> Separation | list[RuledOut] | None:
        """Decide by linear programs; vectors that rule the columns out join the pool.

        None where there is no time for that, unless it is patient.
        """
        self.tally.settled += 1
        known = self.pool.of_columns(columns)
        clock = Clock() if patient else self.clock
        answer = settle_with_errors(self.X, self.y, columns, most, known, clock, self.signs)
        if isinstance(answer, list):
            self.pool.add(answer[len(known) :])
        return answer

    def improve(self, size: int, known: list[Separation], most: int) -> Separation | None:
        """A set of some size with at most `most` errors from sets with one feature less, or None.

        Those of the same size, each without one of its features, are tried too. Proves nothing.
        """
        firsts = [one for one in known if self.twins.leaders(one.columns) == one.columns]
        starts = {self._places_of(one, drop) for one in firsts for drop in self._drops(one, size)}
        if size == 3:
            starts |= {tuple(pair) for pair in self._best_pairs.tolist()}
        for chosen in sorted(starts):
            last, bounds = scan_completions(self.bits, self.pool, chosen, most)
            for place in last[np.argsort(bounds, kind="stable")][:_TRIES]:
                if self.clock.is_over:
                    return None
                columns = self._columns_of((*chosen, int(place)))
                answer = self.settle(columns, most)
                if isinstance(answer, Separation):
                    return answer
        return None

    @staticmethod
    def _drops(separation: Separation, size: int) -> list[int]:
        """Which member to leave out so that one is missing to a size; -1: none."""
        n_columns = len(separation.columns)
        return list(range(n_columns)) if n_columns == size else [-1] * (n_columns == size - 1)

    def _places_of(self, separation: Separation, drop: int) -> tuple[int, ...]:
        """Signed features of a set, without one of them."""
        places = []
        for k, column in enumerate(separation.columns):
            if k != drop:
                sign = 1 if separation.weights[0][k] > 0 else -1
                here = (self.bits.columns == column) & (self.bits.signs == sign)
                places.append(int(np.flatnonzero(here)[0]))
        return tuple(sorted(places, reverse=True))

    def run(
        self,
        size: int,
        most: int,
        found: Callable[[Separation], bool],
        limit: Callable[[], float] = lambda: np.inf,
    ) -> bool:
        """Find all sets of a size from three on that leave at most `most` samples wrong.

        They cost no more than `limit`, which is asked again and again. `found` is called with each,
        and returns whether to go on. Returns False where the clock or `found` ended the search
        early.
        """
        settled: set[tuple[int, ...]] = set()
        with suppress(TimeIsUpError):
            return all(
                self._run_part(prefixes, share, most, settled, found)
                for prefixes, share in self._list_prefixes(size, limit)
            )
        return False

    def _run_part(
        self,
        prefixes: Prefixes,
        share: float,
        most: int,
        settled: set[tuple[int, ...]],
        found: Callable[[Separation], bool],
    ) -> bool:
        """Scan all sets with some beginnings until each is settled; whether to go on."""
        room = _ROOM
        if self.clock.is_over:  # beginnings that are too dear are listed, too, and take time
            return False
        while len(prefixes):
            self.clock.report(share, self.tally.nodes)
            if self.clock.is_over:
                return False
            part = min(len(prefixes), max(1, _MOST_STORED // room))
            here = np.arange(len(prefixes)) < part
            rows, has_more = scan_sets(self.bits, self.pool, prefixes.keep(here), most, room)
            self.clock.spend(LARGE_PIECE)
            self.tally.nodes += part
            n_vectors = len(self.pool.vectors)
            if not self._settle_rows(rows, most, settled, found):
                return False
            prefixes = prefixes.keep(np.concatenate([has_more, ~here[part:]]))
            if has_more.any() and len(self.pool.vectors) == n_vectors:
                room *= 4  # all that was reported is known: there must be room for more
        return True

    def _settle_rows(
        self,
        rows: NDArray[np.int64],
        most: int,
        settled: set[tuple[int, ...]],
        found: Callable[[Separation], bool],
    ) -> bool:
        """Decide sets of signed features that passed the tests on bits; whether to go on."""
        n_vectors = len(self.pool.vectors)
        for row in rows:
            if self.clock.is_over:
                return False
            columns = self._columns_of(tuple(row.tolist()))
            if columns in settled or self.pool.rules_out(row, most, n_vectors):
                continue
            settled.add(columns)
            if not self._may_hold(columns, most):
                continue
            self.tally.survivors += 1
            answer = self._settle_set(columns, most)
            if answer is None or self.clock.is_over:
                return False
            if isinstance(answer, Separation) and not found(answer):
                return False
        return True

    def _may_hold(self, columns: tuple[int, ...], most: int) -> bool:
        """Whether a set that passed the tests on bits passes all others that are quick."""
        return True

    def _settle_set(
        self, columns: tuple[int, ...], most: int
    ) -> Separation | list[RuledOut] | None:
        return self.settle(columns, most)

    def _list_prefixes(
        self, size: int, limit: Callable[[], float]
    ) -> Iterator[tuple[Prefixes, float]]:
        """All that two members are missing to, in parts of similar work, and the share before."""
        n_signed, length = self.bits.n_signed, size - 2
        enough = _TASKS_PER_THREAD * count_threads()
        batch: list[tuple[tuple[int, ...], int, int]] = []
        work, total = 0, max(1, n_signed ** max(1, length))
        for chosen, start, stop in self._list_starts(length):
            batch.append((chosen, start, stop))
            work += _BEGINNING + (stop - start) * (stop + 8)
            if work > _CALL_SETS and len(batch) >= enough:
                share = min(1.0, (chosen[0] if length else start) ** max(1, length) / total)
                yield self._with_roots(batch, length, limit()), share
                batch, work = [], 0
        if batch:
            yield self._with_roots(batch, length, limit()), 1.0

    def _list_starts(self, length: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Places in decreasing order, and from where to where the next one is."""
        if not length:
            for start in range(0, self.bits.n_signed, _STRIPE):
                yield (), start, min(start + _STRIPE, self.bits.n_signed)
            return
        rivals = self.bits.rivals
        taken = frozenset(rivals[self.roots[0]].tolist())
        for chosen in _decreasing(rivals.tolist(), self.bits.n_signed, length, taken):
            stop_when_over()
            yield chosen, 0, chosen[-1]

    def _with_roots(
        self, batch: list[tuple[tuple[int, ...], int, int]], length: int, limit: float
    ) -> Prefixes:
        """Beginnings of sets with the features that are always in, of all signs."""
        chosen = np.array([one[0] for one in batch], dtype=np.int64).reshape(len(batch), length)
        spans = np.array([one[1:] for one in batch], dtype=np.int64)
        left = limit - self.bits.price[chosen].sum(axis=1)
        affordable = left >= 0
        chosen, spans, left = chosen[affordable], spans[affordable], left[affordable]
        n_roots = len(self.roots)
        roots = np.repeat(self.roots, len(chosen), axis=0)
        spans = np.tile(spans, (n_roots, 1))
        return Prefixes(
            np.hstack([roots, np.tile(chosen, (n_roots, 1))]),
            spans[:, 0].copy(),
            spans[:, 1].copy(),
            np.tile(left, n_roots),
        )

    def expand(self, separations: Iterable[Separation], most: int) -> list[Separation]:
        """The sets, and those with equal columns in place of their own, up to a number of them."""
        everything = (
            replace_columns(self.X, one, columns)
            for one in separations
            for columns in self.twins.expand(one.columns)
        )
        return list(islice(everything, most))

    def _columns_of(self, places: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(self.bits.columns[list(places)].tolist()))


def _decreasing(
    rivals: list[int], below: int, length: int, taken: frozenset[int]
) -> Iterator[tuple[int, ...]]:
    """Tuples of decreasing places without rivals, those with small first numbers first.

    Below the last of each are at least two more that are no rivals: so many are missing to a set.
    """
    free: set[int] = set()
    for first in range(below):
        own = rivals[first]
        if own in taken:
            continue
        if len(free) - (own in free) > length:
            if length == 1:
                yield (first,)
            else:
                for rest in _decreasing(rivals, first, length - 1, taken | {own}):
                    yield (first, *rest)
        free.add(own)


def _match_equal_samples(X: FloatArray, y: IndexArray) -> Iterator[tuple[int, int]]:
    """Disjoint pairs of equal samples of both classes; the one of the second class comes first."""
    open_: dict[bytes, tuple[list[int], list[int]]] = {}
    for i, label in enumerate(y.tolist()):
        stop_when_over()
        groups = open_.setdefault((X[i] + 0.0).tobytes(), ([], []))
        groups[label].append(i)
    for first, second in open_.values():
        yield from zip(second, first, strict=False)
