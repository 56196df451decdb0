"""The smallest or cheapest set that leaves few samples wrong, under rules or for many classes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from fewest._estimators.rules import Rules
from fewest._types import IndexArray
from fewest.minimum._claims import measure_set
from fewest.minimum._classes import pair_classes, sign_labels
from fewest.minimum._clock import Clock
from fewest.minimum._data import check_data
from fewest.minimum._errors_general import GeneralSearch
from fewest.minimum._first_ruled import find_ruled_set
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._result import MinimumResult, PriceStep
from fewest.minimum._ruled import check_rules
from fewest.minimum._ruled_proofs import as_ruled
from fewest.minimum._search import Tally
from fewest.minimum._separability import LARGEST_SYSTEM
from fewest.minimum._threads import limit_threads
from fewest.minimum._upper import find_first_set
from fewest.minimum._vectors import settle_with_errors
from fewest.minimum._with_errors import ErrorDriver

_SHARE_OF_BOUND = 0.3  # of the time that is left, for a set to start from

GROUPS_REFUSED = (
    "groups of features that are paid for once cannot be combined with errors: a set may then "
    "have whole groups of features, and proofs for that many would take too long. Set "
    "one_per_group=True, leave the groups out, or allow no errors"
)


def check_groups(rules: Rules | None) -> None:
    """Refuse groups that are paid for once."""
    if rules is not None and rules.groups is not None and not rules.one_per_group:
        raise ValueError(GROUPS_REFUSED)


def allow_errors(
    X: Any,
    y: ArrayLike,
    max_seconds: float | None,
    n_jobs: int | None,
    verbose: int,
    rules: Rules | None,
    max_errors: int,
    **wanted: Any,
) -> MinimumResult:
    """`minimum_features` where some samples may be wrong."""
    clock = Clock(max_seconds, verbose)
    X, classes, codes = check_data(X, y)
    if rules is not None:
        check_rules(rules, len(classes))
        check_groups(rules)
    wanted["max_errors"] = max_errors
    with clock, limit_threads(effective_n_jobs(n_jobs)):
        if rules is None and len(classes) == 2:
            return ErrorDriver(X, codes, classes, clock, **wanted).run()
        return GeneralErrorDriver(X, codes, classes, clock, rules=rules, **wanted).run()


@dataclass(eq=False)
class GeneralErrorDriver(ErrorDriver):
    """One search. Up from no feature, or, where prices differ, for lower and lower prices."""

    rules: Rules | None = field(kw_only=True)
    bound: int = 0
    is_exhausted: bool = False

    def run(self) -> MinimumResult:
        self.search: GeneralSearch = GeneralSearch(self.X, self.y, self.clock, rules=self.rules)
        rules = self.rules
        if rules is not None:
            self.included = tuple(np.flatnonzero(rules.included).tolist())
        self.prices = self.search.prices
        with self._ending_in_time():
            if self.search.is_ready:
                self._search_all()
        if self.impossible:
            self.lower_bound = self.X.shape[1] + 1
        return self._result()

    def _search_all(self) -> None:
        self.twins = self.search.twins
        if self.search.floor > self.max_errors:
            pairs = self.search.list_conflicts(self.max_errors)
            self.impossible = [RuledOut(self.search.everything, pair, (1, 1)) for pair in pairs]
        elif self.prices.are_equal:
            self._go_up()
        else:
            self._go_down()

    # Features that all have the same price.

    def _go_up(self) -> None:
        n_candidates = len(self.search.candidates)
        for size in range(n_candidates + 1):
            if size == 3:
                self.best = self._find_first()
                if self.impossible:
                    return
            several = self.n_solutions != 1
            if self.best is not None and size >= self._count(self.best) + several:
                break
            if not self._may_try(size):
                break
            self._try_count(size)
            if self.found or self.lower_bound <= size:
                break
        if self.found:
            return
        if self.best is None and not self.impossible:
            self.best = self._find_first()
        if self.best is None or self.impossible:
            self.is_exhausted = self.lower_bound > n_candidates and self._is_one_per_group
            return
        self._keep([self.best])
        self.best, self.complete = self.found[0], False

    @property
    def _is_one_per_group(self) -> bool:
        return self.rules is not None and self.rules.one_per_group

    def _count(self, separation: Separation) -> int:
        return len(set(separation.columns) - set(self.included))

    def _try_count(self, size: int) -> None:
        began = perf_counter()
        self.clock.begin(f"sets of {size}")
        self.search.tally = Tally()
        complete = self.search.run(size, self.max_errors, self._keep_wanted)
        self._end_step(size, self.search.tally, began, complete=complete)

    # Features of different prices.

    def _go_down(self) -> None:
        self.best = self._find_first()
        if self.impossible:
            return
        search, most = self.search, self.prices.above_all
        if self.max_size is not None:
            most = min(most, self.prices.count(self.max_size))

        def keep(separation: Separation) -> bool:
            if self.prices.total(separation.columns) <= self._limit():
                self.best = separation
            return True

        n_candidates = len(search.candidates)
        is_complete = True
        for size in range(n_candidates + 1):
            if search.cheapest[size] > min(self._limit(), most):
                break
            began = perf_counter()
            self.clock.begin(f"sets of {size}")
            search.tally = Tally()
            before = min(self._limit(), most)
            is_complete = not self.clock.is_over and search.run(
                size, self.max_errors, keep, lambda: min(self._limit(), most)
            )
            self._end_price(size, before, began, complete=is_complete)
            if not is_complete:
                break
            self.bound = min(most + 1, search.cheapest[min(size + 1, n_candidates)])
        price = self._limit() + 1
        self.bound = min(price, most + 1 if is_complete else self.bound)
        if self.best is None:
            self.is_exhausted = self.bound >= price and self._is_one_per_group
            return
        if self.bound >= price and self.n_solutions != 1:
            self._list_cheapest(price)
        if not self.found:
            self._keep([self.best])
        self.best = self.found[0]

    def _limit(self) -> int:
        """What a better set may cost."""
        if self.best is None:
            return self.prices.above_all - 1
        return self.prices.total(self.best.columns) - 1

    def _end_price(self, size: int, price: int, began: float, *, complete: bool) -> None:
        best, bound = self.best, self.lower_bound
        self._end_step(size, self.search.tally, began, complete=complete)
        self.steps[-1] = PriceStep(**asdict(self.steps[-1]), price=self.prices.show(price))
        self.best, self.lower_bound, self.complete = best, bound, False

    def _list_cheapest(self, limit: int) -> None:
        """All sets, or as many as are wanted, that cost no more than the best one."""
        began = perf_counter()
        self.search.tally = Tally()
        complete, size = True, 0
        for size in range(len(self.search.candidates) + 1):
            if self.search.cheapest[size] > limit or not complete:
                break
            complete = self.search.run(size, self.max_errors, self._keep_wanted, lambda: limit)
        self._end_price(size, limit, began, complete=complete)
        self.complete = complete

    # Both.

    def _find_first(self) -> Separation | None:
        """Any set that leaves few errors; or that all columns together leave more."""
        clock = self.clock.take_part(_SHARE_OF_BOUND)
        search = self.search
        columns = np.union1d(search.candidates, np.array(search.root, dtype=np.intp))
        tried = [self._join_pairs(columns.astype(np.intp), clock)]
        if len(columns) * len(self.y) ** 2 <= LARGEST_SYSTEM:
            tried.append(tuple(columns.tolist()))
        best = None
        for chosen in tried:
            if best is not None or not chosen:
                continue
            answer = settle_with_errors(
                self.X, self.y, chosen, self.max_errors, (), self.clock, search.signs
            )
            if isinstance(answer, Separation) and self._is_allowed(answer):
                best = answer
            elif isinstance(answer, list) and len(chosen) == len(columns):
                self.impossible = [replace(one, columns=search.everything) for one in answer]
        return None if best is None else self._drop_idle(best, clock)

    def _join_pairs(self, columns: IndexArray, clock: Clock) -> tuple[int, ...]:
        """Columns that are likely to separate all classes without the hardest samples."""
        left = self._leave_hardest_out(np.array(self.search.everything), clock)
        chosen = set(self.search.root)
        for pair in pair_classes(self.y[left]):
            rows, X = left[pair.rows], np.asfortranarray(self.X[left[pair.rows]])
            labels = sign_labels(self.y[rows])
            if self.rules is not None:
                found = find_ruled_set(X, labels, columns, self.rules, clock)
                chosen |= set() if found is None else set(found.tolist())
            else:
                first = find_first_set(X, labels, clock)
                chosen |= set() if first is None else set(first.columns)
        return self.twins.replace_by_first(chosen)

    def _is_allowed(self, separation: Separation) -> bool:
        used = np.array(separation.columns, dtype=np.intp)
        return self.rules is None or not len(self.rules.find_crowded(used, np.ones(len(used))))

    def _drop_idle(self, separation: Separation, clock: Clock) -> Separation:
        """The set without columns that the others do not need, the most expensive ones first."""
        units = self.prices.units
        for column in sorted(separation.columns, key=lambda one: (-units[one], one)):
            fewer = tuple(one for one in separation.columns if one != column)
            if clock.is_over or column in self.search.root or not fewer:
                continue
            answer = settle_with_errors(
                self.X, self.y, fewer, self.max_errors, (), clock, self.search.signs
            )
            separation = answer if isinstance(answer, Separation) else separation
        return separation

    def _result(self) -> MinimumResult:
        if self.prices.are_equal:
            self.bound = self.lower_bound
        is_cheapest = self.best is not None and self.bound > self._limit()
        hopeless = bool(self.impossible) or self.is_exhausted
        found = self._end(certified=hopeless or is_cheapest)
        return found if self.rules is None else as_ruled(found, self.rules, self.prices, self.bound)

    def _margin(self, separation: Separation) -> float:
        return measure_set(self.X, self.y, separation, self.search.signs)
