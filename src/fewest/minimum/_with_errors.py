"""The smallest number of features that leave at most a few training samples wrong."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import TimeIsUpError
from fewest._types import IndexArray
from fewest.minimum._classes import sign_labels
from fewest.minimum._clock import Clock
from fewest.minimum._course import MOST_KEPT, Course
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._result import MinimumResult
from fewest.minimum._search import Tally
from fewest.minimum._separability import LARGEST_SYSTEM
from fewest.minimum._upper import find_first_set
from fewest.minimum._vectors import separate_others, settle_with_errors

_SHARE_OF_BOUND = 0.3  # of the time that is left, for a set to start from
_MOST_ROUNDS = 32  # in which samples are left out: each takes a pass over the data


@dataclass(eq=False)
class ErrorDriver(Course):
    """One search, from no feature upwards: which sizes leave too many errors, which sets do not."""

    max_errors: int = field(kw_only=True)

    def run(self) -> MinimumResult:
        self.search = ErrorSearch(self.X, self.y, self.clock)
        with self._ending_in_time():
            if self.search.is_ready:
                self._search_all()
        if self.impossible:
            self.lower_bound = self.X.shape[1] + 1
        is_smallest = self.best is not None and len(self.best.columns) == self.lower_bound
        return self._end(certified=is_smallest or bool(self.impossible))

    def _search_all(self) -> None:
        self.twins = self.search.twins
        everything = tuple(range(self.X.shape[1]))
        if self.search.floor > self.max_errors:
            pairs = self.search.conflicts[: self.max_errors + 1]
            self.impossible = [RuledOut(everything, pair, (1, 1)) for pair in pairs]
        elif not self._try_nothing() and not self._try_singles() and not self._try_pairs():
            self._find_upper_bound()
            if self.best is not None:
                self._try_larger()

    def _try_nothing(self) -> bool:
        nothing = self.search.leave_class_out()
        if len(nothing.wrong) <= self.max_errors:
            self._keep([nothing])
        return self._end_step(0, Tally(nodes=1), perf_counter())

    def _try_singles(self) -> bool:
        began = perf_counter()
        errors = self.search.bits.errors
        columns = self.search.singles(self.max_errors)
        n_listed, n_wanted = 0, min(len(columns), MOST_KEPT)
        while n_listed < n_wanted and not (n_listed and self.clock.is_over):
            self._keep([self.search.separate_single(columns[n_listed])])
            n_listed += 1
        self.n_found += sum(self.twins.copies(column) for column in columns[n_listed:])
        complete = n_listed == n_wanted
        return self._end_step(1, Tally(nodes=len(errors)), began, complete=complete)

    def _try_pairs(self) -> bool:
        if not self._may_try(2):
            return False
        began = perf_counter()
        self.clock.begin("pairs")
        self.search.tally = Tally()
        bounded = self.search.bound_pairs(self.max_errors)
        complete = False
        if bounded is not None:
            pairs, bounds, limit = bounded
            complete = limit >= self.max_errors
            known: set[tuple[int, int]] = set()
            is_counted = not len(pairs)
            with suppress(TimeIsUpError):
                for bound, columns, counts in self.search.count_pairs(pairs, bounds):
                    chosen = [columns[k] for k in np.flatnonzero(counts <= self.max_errors)]
                    fresh = [pair for pair in chosen if pair not in known]
                    known.update(fresh)
                    self._keep(self.search.separate_pair(pair) for pair in fresh)
                    is_counted = bound >= len(self.y)
                    if self.clock.is_over:
                        break
            complete = complete and is_counted
        return self._end_step(2, self.search.tally, began, complete=complete)

    def _find_upper_bound(self) -> None:
        """Any columns that leave few errors, as few as quick methods find; or that there are none.

        The samples that are hardest for all columns are left out first.
        """
        clock = self.clock.take_part(_SHARE_OF_BOUND)
        firsts = self.twins.firsts
        best = self._separate_without_hardest(clock)
        if best is None and len(firsts) * len(self.y) ** 2 <= LARGEST_SYSTEM:
            columns = tuple(firsts.tolist())
            answer = settle_with_errors(self.X, self.y, columns, self.max_errors, (), self.clock)
            if isinstance(answer, list):
                everything = tuple(range(self.X.shape[1]))
                self.impossible = [RuledOut(everything, one.samples, one.shares) for one in answer]
            elif answer is not None:
                best = answer
        if best is not None:
            best = self._drop_idle(best, clock)
            self.clock.say(f"{len(best.columns)} features suffice")
            self.best = best
            self._swap_down(clock)

    def _separate_without_hardest(self, clock: Clock) -> Separation | None:
        """Columns for all samples but some that lie deep in the other class."""
        left = self._leave_hardest_out(np.arange(self.X.shape[1]), clock)
        signs = sign_labels(self.y[left])
        found = find_first_set(np.asfortranarray(self.X[left]), signs, clock)
        if found is None:
            return None
        columns = self.twins.leaders(found.columns)
        return separate_others(self.X, self.y, columns, np.setdiff1d(np.arange(len(self.y)), left))

    def _leave_hardest_out(self, columns: IndexArray, clock: Clock) -> IndexArray:
        """All samples but as many as may be wrong, those nearer to another class by these columns.

        Classes are their means, which move a bit whenever some samples are left out.
        """
        Z = scale_columns(self.X).take(columns)
        is_of = self.y == np.arange(self.y.max() + 1)[:, None]
        left = np.arange(len(self.y))
        n_out = min(self.max_errors, len(self.y) - 1)
        ends = np.linspace(0, n_out, min(n_out, _MOST_ROUNDS) + 1).astype(int)
        for n_more in np.diff(ends):
            if clock.is_over:
                break
            own = np.zeros(is_of.shape)
            own[:, left] = is_of[:, left]
            means = (own @ Z) / np.maximum(own.sum(axis=1), 1.0)[:, None]
            # Squared distances, but for the norm of the sample itself.
            away = (means**2).sum(axis=1)[:, None] - 2.0 * (means @ Z.T)
            away[own.sum(axis=1) == 0.0] = np.inf
            distance = np.where(is_of, away, np.inf).min(axis=0)
            nearest = np.where(is_of, np.inf, away).min(axis=0)
            hardest = np.argsort((nearest - distance)[left], kind="stable")[:n_more]
            kept = np.delete(left, hardest)
            if len(np.unique(self.y[kept])) < 2:
                break
            left = kept
        return left

    def _drop_idle(self, separation: Separation, clock: Clock) -> Separation:
        """The same set without columns that the others do not need, as far as there is time."""
        for column in separation.columns:
            if clock.is_over or len(separation.columns) == 1:
                break
            fewer = tuple(other for other in separation.columns if other != column)
            answer = settle_with_errors(self.X, self.y, fewer, self.max_errors, (), clock)
            separation = answer if isinstance(answer, Separation) else separation
        return separation

    def _swap_down(self, clock: Clock) -> None:
        """Replace two columns by one as long as that works."""
        assert self.best is not None
        self.search.clock = clock
        while len(self.best.columns) > max(3, self.lower_bound):
            better = self.search.improve(
                len(self.best.columns) - 1, self._without_each(self.best), self.max_errors
            )
            if better is None:
                break
            self.best = better
            self.clock.say(f"local swaps: {len(self.best.columns)} features suffice")
        self.search.clock = self.clock

    @staticmethod
    def _without_each(best: Separation) -> list[Separation]:
        """The set without each of its columns in turn: from these, two are replaced by one."""
        places = range(len(best.columns))
        return [
            Separation(
                tuple(best.columns[k] for k in places if k != drop),
                (tuple(best.weights[0][k] for k in places if k != drop),),
            )
            for drop in places
        ]

    def _try_larger(self) -> None:
        """Sizes from three on, below the size of the best set or up to it if several are wanted."""
        assert self.best is not None
        several = self.n_solutions != 1
        largest = len(self.best.columns) if several else len(self.best.columns) - 1
        for size in range(max(3, self.lower_bound), largest + 1):
            if not self._may_try(size) or self.lower_bound < size:
                break
            began = perf_counter()
            self.clock.begin(f"sets of {size}")
            self.search.tally = Tally()
            complete = self.search.run(size, self.max_errors, self._keep_wanted)
            if self._end_step(size, self.search.tally, began, complete=complete):
                break
        if not self.found:  # no complete scan found a set: the one at hand is returned
            self._keep([self.best])
            self.complete = False

    def _name_success(self) -> str:
        return f"leave at most {self.max_errors} wrong"

    def _end(self, *, certified: bool) -> MinimumResult:
        ruled_out = (*self.search.proofs, *self.impossible)
        return replace(self._minimum(ruled_out, certified=certified), max_errors=self.max_errors)
