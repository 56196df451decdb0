"""The course of a search without rules: which stages there are, and when it may end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest.minimum._bits import SignedBits
from fewest.minimum._classes import ClassPair, pair_classes
from fewest.minimum._clock import LARGE_PIECE, Clock
from fewest.minimum._course import MOST_KEPT, Course
from fewest.minimum._data import (
    Twins,
    conflicting_samples,
    separating_columns,
)
from fewest.minimum._leaves import (
    RuledOut,
    Separation,
    find_weighed,
    find_weights,
    lift_columns,
    settle,
    settle_pair,
)
from fewest.minimum._pairs import scan_pairs
from fewest.minimum._result import MinimumResult
from fewest.minimum._search import CoverSearch, Tally
from fewest.minimum._separability import LARGEST_SYSTEM, rule_out_all
from fewest.minimum._upper import drop_idle, find_first_set, join_sets, select_jointly, swap_down

_SHARE_OF_PAIRS = 0.7  # of the time that is left
_SHARE_OF_BOUND = 0.5  # of the time that is left, for the first set, and again for swaps


@dataclass(eq=False)
class Driver(Course):
    """One search, from one feature upwards: which sizes are impossible, which sets the smallest.

    `run` goes through its stages until the answer is certain or time is up.
    """

    start: tuple[int, ...] = ()
    lower_bound: int = 1
    ruled_out: list[RuledOut] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.pairs = pair_classes(self.y)

    def run(self) -> MinimumResult:
        with self._ending_in_time():
            self._search_all()
        if self.impossible:
            self.ruled_out += self.impossible
            self.lower_bound = self.X.shape[1] + 1
        certified = self.best is not None and len(self.best.columns) == self.lower_bound
        return self._minimum(self.ruled_out, certified=certified or bool(self.impossible))

    def _search_all(self) -> None:
        self.twins = Twins(self.X)
        self._find_conflicts()
        if not self.impossible:
            self._try_singles()
            if self.best is None and self._may_try(2):
                self._try_pairs()
        if self.best is None:
            self.best = self._upper_bound()
            if self.best is not None:
                self.clock.say(f"{len(self.best.columns)} features separate")
                self._try_larger()

    def _find_conflicts(self) -> None:
        """Equal samples of two classes, which no columns separate."""
        everything = tuple(range(self.X.shape[1]))
        for samples in conflicting_samples(self.X, self.y):
            self.impossible.append(RuledOut(everything, samples, (1, 1)))

    def _try_singles(self) -> None:
        began = perf_counter()
        columns = self.twins.firsts
        self._keep(separating_columns(self.X, self.y, columns))
        self._end_step(1, Tally(2 * len(columns), len(self.found)), began)

    def _try_pairs(self) -> None:
        """All pairs, within a part of the time: a set to start from takes time as well."""
        began = perf_counter()
        self.clock.begin("pairs")
        tally, complete = Tally(), False
        with self.clock.take_part(_SHARE_OF_PAIRS) as clock, suppress(TimeIsUpError):
            self.bits = SignedBits(self.X, self.y, self.twins.firsts)
            complete = self._scan_pairs(self.bits, tally, clock)
        if not self.found:  # those that were seen, but not proven, do not count
            self.n_found = 0
        if complete or tally.nodes:
            self._end_step(2, tally, began, complete=complete)

    def _scan_pairs(self, bits: SignedBits, tally: Tally, clock: Clock) -> bool:
        """Keep all pairs that separate; whether these are all."""
        copies = np.array([self.twins.copies(j) for j in bits.columns.tolist()], dtype=np.int64)
        in_doubt, complete = [], True
        for batch in scan_pairs(self.X, bits, copies, MOST_KEPT):
            tally.nodes += batch.n_tested
            tally.survivors += batch.n_survivors
            tally.settled += len(batch.uncertain)
            sure = batch.separating[: max(0, MOST_KEPT - len(self.found))]
            self.n_found += batch.n_separating
            for one in self._settle_pairs(sure):  # all are counted, and as many listed as can be
                self._keep([one], count=False)
                if clock.is_over:
                    break
            in_doubt.append(batch.uncertain)
            self.clock.report(batch.share, tally.nodes)
            clock.spend(LARGE_PIECE)
            if clock.is_over and batch.share < 1.0:
                complete = False
                break
        return self._keep_in_doubt(in_doubt, clock) and complete

    def _keep_in_doubt(self, batches: list[NDArray[np.int64]], clock: Clock) -> bool:
        """Keep those that separate; whether there was time to decide all of them."""
        for pair in self._list_in_doubt(batches):
            if clock.is_over:
                return False
            self._keep(self._settle_pairs(pair[None]))
        return True

    def _list_in_doubt(self, batches: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Pairs of signed features in doubt, but for columns that another pair has settled.

        The same columns may be in doubt with several signs, and separate with one of them.
        """
        known = {tuple(sorted(one.columns)) for one in self.found}
        chosen = []
        for pair in (pair for batch in batches for pair in batch):
            columns = tuple(sorted(self.bits.columns[pair].tolist()))
            if columns not in known:
                known.add(columns)
                chosen.append(pair)
        return np.array(chosen, dtype=np.int64).reshape(-1, 2)

    def _settle_pairs(self, pairs: NDArray[np.int64]) -> Iterator[Separation]:
        """Those of the pairs that separate; the others join `ruled_out`."""
        for pair in pairs:
            columns = self.bits.columns[pair].tolist()
            answer = settle(self.X, self.y, columns, self.bits.pairs)
            if isinstance(answer, Separation):
                yield answer
            else:
                self.ruled_out.append(answer)

    def _try_larger(self) -> None:
        """Sizes from three on, below the size of the best set or up to it if several are wanted."""
        assert self.best is not None
        several = self.n_solutions != 1
        is_open = several or self.lower_bound < len(self.best.columns)
        if self.lower_bound >= 3 and is_open and not self.clock.is_over:
            search = CoverSearch(self.X, self.y, self.bits, self.ruled_out)
            self.ruled_out = search.ruled_out
            self.clock.begin("local swaps")
            clock = self.clock.take_part(_SHARE_OF_BOUND)
            self.best = swap_down(search, self.best, self.lower_bound, clock)
            self.clock.say(f"local swaps: {len(self.best.columns)} features separate")
            largest = len(self.best.columns) if several else len(self.best.columns) - 1
            for size in range(3, largest + 1):
                if self.found or not self._may_try(size):
                    break
                self._try_size(search, size)
        if not self.found:  # no complete scan found a set: the one at hand is returned
            self._keep([self.best])
            self.complete = False

    def _try_size(self, search: CoverSearch, size: int) -> None:
        began = perf_counter()
        self.clock.begin(f"sets of {size}")
        search.tally = Tally()
        complete = search.run(size, self.clock, self._keep_wanted)
        self._end_step(size, search.tally, began, complete=complete)

    def _upper_bound(self) -> Separation | None:
        """The smallest of the known sets, without idle columns, made of first columns.

        Pairs of classes that no columns separate join `impossible`.
        """
        clock = self.clock.take_part(_SHARE_OF_BOUND)
        sets = [self._join_pairs(clock), self._settle_known(self.start)]
        found = [drop_idle(one, self.X, self.y, clock) for one in sets if one is not None]
        fewest = min((len(one.columns) for one in found), default=self.X.shape[1] + 1)
        is_worth_it = fewest > self.lower_bound and not self.impossible and not clock.is_over
        if len(self.pairs) > 1 and is_worth_it:
            joint = self._settle_known(select_jointly(self.X, self.y, clock))
            found += [] if joint is None else [drop_idle(joint, self.X, self.y, clock)]
        return min(found, key=lambda one: len(one.columns), default=None)

    def _join_pairs(self, clock: Clock) -> Separation | None:
        """Columns for each pair of classes, together; None if some pair has none, or no time."""
        known = {leaf.classes(self.y) for leaf in self.impossible}
        sets: list[Separation] = []
        for pair in self.pairs:
            if len(self.pairs) > 1 and self.clock.is_over:
                return None
            found = self._reuse(sets, pair) if clock.is_over else None
            if found is None and pair.labels not in known:
                found = self._separate(pair, clock)
            sets += [] if found is None else [found]
        return join_sets(sets) if len(sets) == len(self.pairs) else None

    def _reuse(self, sets: list[Separation], pair: ClassPair) -> Separation | None:
        """The columns of other pairs of classes, if they will do: that takes the least time."""
        columns = tuple(sorted({column for one in sets for column in one.columns}))
        weights = find_weights(self.X, pair, columns) if columns else None
        return None if weights is None else Separation(columns, (weights,))

    def _settle_known(self, columns: tuple[int, ...]) -> Separation | None:
        """These columns, if there are any and they separate the classes."""
        if not columns or self.impossible:
            return None
        answer = settle(self.X, self.y, self.twins.leaders(columns))
        return answer if isinstance(answer, Separation) else None

    def _separate(self, pair: ClassPair, clock: Clock) -> Separation | None:
        """First columns that separate two classes; None if none are known, or there are none."""
        X = self.X if len(self.pairs) == 1 else np.asfortranarray(self.X[pair.rows])
        first = find_first_set(X, pair.y, clock)
        columns = self.twins.leaders(self.twins.firsts if first is None else first.columns)
        answer: tuple[int, ...] | RuledOut | None
        if first is not None or len(columns) * len(pair.rows) ** 2 <= LARGEST_SYSTEM:
            answer = settle_pair(self.X, pair, columns)
        else:
            answer = self._prove_by_few_samples(X, pair)
        if isinstance(answer, RuledOut):
            if first is None:
                self.impossible.append(replace(answer, columns=tuple(range(self.X.shape[1]))))
            return None
        return None if answer is None else Separation(columns, (answer,))

    def _prove_by_few_samples(self, X: FloatArray, pair: ClassPair) -> RuledOut | None:
        """A Farkas vector with few samples, which can be made exact however many columns exist."""
        result = solve(unit_margin(pair.y), scale_columns(lift_columns(X)[0]))
        if result.status is not Status.INFEASIBLE:
            return None
        leaf = rule_out_all(X, pair.y, find_weighed(result))
        if leaf is None:
            return None
        return replace(leaf, samples=tuple(pair.rows[list(leaf.samples)].tolist()))
