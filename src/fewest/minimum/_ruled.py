"""The smallest, or cheapest, separating set under rules about features, with its proof."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from time import perf_counter

import numpy as np

from fewest._estimators.rules import Rules
from fewest._wording import counted
from fewest.minimum._claims import measure_set
from fewest.minimum._classes import ClassPair
from fewest.minimum._clock import Clock
from fewest.minimum._data import (
    Twins,
    conflicting_samples,
    drop_unused,
)
from fewest.minimum._driver import Driver
from fewest.minimum._first_ruled import find_ruled_set
from fewest.minimum._group_search import make_search
from fewest.minimum._leaves import RuledOut, Separation, settle, settle_pair
from fewest.minimum._prices import Prices, check_prices
from fewest.minimum._result import PriceStep
from fewest.minimum._ruled_proofs import RuledMinimum, as_ruled
from fewest.minimum._ruled_search import describe_candidates, make_bits
from fewest.minimum._search import Tally
from fewest.minimum._separability import LARGEST_SYSTEM
from fewest.minimum._upper import join_sets

_SHARE_OF_BOUND = 0.5  # of the time that is left, for the first set
_QUARTERS = (1, 2, 3, 4)  # of the price of the best set, each searched completely
_MOST_INCLUDED = 8  # all their signs are tried


def check_rules(rules: Rules, n_classes: int) -> None:
    """Refuse what the search cannot do."""
    if rules.n_included > _MOST_INCLUDED:
        raise ValueError(
            f"include names {counted(rules.n_included, 'feature')}, but the certified minimum can "
            f"include {_MOST_INCLUDED} at most: it tries all signs of their weights. Include fewer"
        )
    check_prices(rules)
    signs = rules.weight_signs
    if n_classes > 2 and signs is not None and signs.any():
        raise ValueError(
            f"signs are for two classes, but y has {n_classes}: every two of them have their own "
            "weights. Leave signs out, or use two classes"
        )


@dataclass(eq=False)
class RuledDriver(Driver):
    """One search under rules.

    Where all features have the same price it goes up from no feature; else it goes down from a
    first set, in steps of price. `bound` says which price no set is below, in units.
    """

    rules: Rules = field(kw_only=True)
    bound: int = 0
    is_exhausted: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.prices = Prices.read(self.rules)
        self._everything = tuple(np.flatnonzero(~self.rules.excluded).tolist())
        self.included = tuple(np.flatnonzero(self.rules.included).tolist())

    def prepare(self) -> None:
        """Equal columns, equal samples, bit sets."""
        self.twins = Twins(self.X, describe_candidates(self.rules), self.rules.weight_signs)
        for samples in conflicting_samples(self.X[:, self._everything], self.y):
            self.impossible.append(RuledOut(self._everything, samples, (1, 1)))
        if not self.impossible:
            self.bits = make_bits(self.X, self.y, self.rules, self.twins)
            self.search = make_search(
                self.X, self.y, self.bits, self.rules, prices=self.prices, known=[]
            )

    def run(self) -> RuledMinimum:
        self.lower_bound = 0  # features that are always in may be enough
        with self._ending_in_time():
            self.prepare()
            if not self.impossible:
                self.ruled_out = self.search.ruled_out
                self.lower_bound = 0 if self.search.root else 1
                if self.prices.are_equal:
                    self._go_up()
                else:
                    self._go_down()
                if self.is_exhausted and not self.rules.one_per_group:
                    self._prove_exhausted()
        if self.impossible:
            self.ruled_out += self.impossible
        if self.prices.are_equal:
            self.bound = self.lower_bound
        is_hopeless = bool(self.impossible) or self.is_exhausted
        is_cheapest = self.best is not None and self.bound >= self._best_price()
        found = self._minimum(self.ruled_out, certified=is_hopeless or is_cheapest)
        return as_ruled(found, self.rules, self.prices, self.bound)

    def _prove_exhausted(self) -> None:
        """No set separates: a proof for all columns says so too, which needs no repeated search."""
        self.is_exhausted = False
        used = tuple(np.unique(self.bits.columns).tolist())
        for pair in self.pairs:
            if len(used) * len(pair.rows) ** 2 > LARGEST_SYSTEM:
                continue
            answer = settle_pair(self.X, pair, used, self.rules.weight_signs)
            if isinstance(answer, RuledOut):
                self.impossible.append(replace(answer, columns=self._everything))
        if not self.impossible:  # what is said of all features needs that proof
            self.lower_bound = min(self.lower_bound, self.X.shape[1])

    # Features that all have the same price.

    def _go_up(self) -> None:
        for size in range(self.lower_bound, 3):
            if self.found or not self._may_try(size):
                break
            self._try_count(size)
        if self.found:
            return
        best = self._find_first()
        if self.impossible:
            return
        several = self.n_solutions != 1
        largest = len(self.search.candidates)
        if best is not None:
            largest = min(largest, self._count(best) - (not several))
            self.clock.say(f"{self._count(best)} features separate")
        for size in range(self.lower_bound, largest + 1):
            if self.found or not self._may_try(size):
                break
            self._try_count(size)
        if self.found:
            return
        self.is_exhausted = best is None and self.lower_bound > largest
        if best is not None:
            self._keep([best])
            self.best, self.complete = self.found[0], False

    def _count(self, separation: Separation) -> int:
        return len(separation.columns) - len(self.search.root)

    def _try_count(self, size: int) -> None:
        began = perf_counter()
        self.clock.begin(f"sets of {size}")
        self.search.tally = Tally()
        complete = self.search.find_within(size, self.clock, self._keep_wanted)
        self._end_step(size, self.search.tally, began, complete=complete)

    # Features, or groups, of different prices.

    def _go_down(self) -> None:
        if self.search.root:
            self._try_price(0)
        if self.found or self.clock.is_over:
            return
        first = self._find_first()
        if self.impossible:
            return
        if first is not None:
            self._keep([first])
            self.best = self.found[0]
            self.clock.say(f"a set of price {self.prices.show(self._best_price()):g} separates")
        if self.prices.groups is None:
            for self.search.most in (1, 2):  # takes little time, and may lower the price much
                self._lower_price(self._best_price())
            self.search.most = None
        most = self.prices.above_all
        if self.max_size is not None:
            most = min(most, self.prices.count(self.max_size))
        for quarters in _QUARTERS:
            limit = min(self._best_price() * quarters // 4 - (quarters == 4), most)
            if not self.clock.is_over and limit >= self.bound:
                self._try_price(limit)
        is_certain = self.bound >= self._best_price()
        self.complete = False
        if self.best is None:
            self.is_exhausted = is_certain
        elif is_certain and self.n_solutions != 1:
            self._list_cheapest()

    def _best_price(self) -> int:
        """What the best set costs; more than any set can cost, if there is none."""
        return self.prices.above_all if self.best is None else self.prices.total(self.best.columns)

    def _try_price(self, limit: int) -> None:
        """Search all sets up to a price, which goes down with every better set."""
        began = perf_counter()
        self.clock.begin(f"sets up to a price of {self.prices.show(limit):g}")
        self.search.tally = Tally()

        complete = self._lower_price(limit)
        self._end_price(limit, began, complete=complete)
        if complete:
            self.bound = min(limit + 1, self._best_price())

    def _lower_price(self, limit: int) -> bool:
        """Find better sets until there is none within the limit; is that certain?"""
        while True:
            before = self.best
            within = min(limit, self._best_price() - 1)
            if within < 0 or self.search.find_within(within, self.clock, self._keep_better):
                return True
            if self.best is before:
                return False  # time is up

    def _keep_better(self, separation: Separation) -> bool:
        """Keep a better set, and end the search: with a lower limit, the rest of it is shorter."""
        if self.prices.total(separation.columns) >= self._best_price():
            return True
        self._forget()
        self._keep([separation])
        self.best = self.found[0]
        return False

    def _end_price(self, limit: int, began: float, *, complete: bool) -> None:
        best = self.best
        size = int(np.searchsorted(self.search.cheapest, limit, side="right"))
        self._end_step(size, self.search.tally, began, complete=complete)
        self.steps[-1] = PriceStep(**asdict(self.steps[-1]), price=self.prices.show(limit))
        self.best = best

    def _list_cheapest(self) -> None:
        """All sets, or as many as are wanted, that cost no more than the best one."""
        limit = self._best_price()
        began = perf_counter()
        self.clock.begin("sets of the lowest price")
        self.search.tally = Tally()
        self._forget()
        complete = self.search.find_within(limit, self.clock, self._keep_wanted)
        if not self.found and self.best is not None:
            self.found, self.n_found = [self.best], 1
        self._end_price(limit, began, complete=complete)

    # Both.

    def _find_fixed(self, columns: tuple[int, ...]) -> set[int]:
        """Columns of groups that are paid once: sets that differ only there are one."""
        groups = self.prices.groups
        if groups is None:
            return set()
        return {column for column in columns if groups[column] >= 0}

    def _find_first(self) -> Separation | None:
        """A set to start from; pairs of classes that nothing separates join `impossible`."""
        clock = self.clock.take_part(_SHARE_OF_BOUND)
        self.clock.begin("a first set")
        sets = []
        for pair in self.pairs:
            is_late = len(self.pairs) > 1 and self.clock.is_over
            one = None if is_late else self._separate(pair, clock)
            sets += [] if one is None else [one]
        if self.impossible:
            return None
        known = [self._settle_start()]
        if len(sets) == len(self.pairs):
            known.append(join_sets(sets))
        lean = [self._drop_idle(one, clock) for one in known if one and self._is_allowed(one)]
        return min(lean, key=lambda one: self.prices.total(one.columns), default=None)

    def _settle_start(self) -> Separation | None:
        """The set that was given to start from, with all that is always in, if it separates."""
        if not self.start:
            return None
        columns = {*self.twins.replace_by_first(self.start), *self.search.root}
        answer = settle(self.X, self.y, columns, signs=self.rules.weight_signs)
        return answer if isinstance(answer, Separation) else None

    def _is_allowed(self, separation: Separation) -> bool:
        used = np.array(separation.columns, dtype=np.intp)
        crowded = self.rules.find_crowded(used, np.ones(len(used)))
        return not len(crowded) and not self.rules.excluded[used].any()

    def _separate(self, pair: ClassPair, clock: Clock) -> Separation | None:
        columns = np.unique(self.bits.columns)
        X = np.asfortranarray(self.X[pair.rows])
        first = find_ruled_set(X, pair.y, columns, self.rules, clock) if len(columns) else None
        answer: tuple[int, ...] | RuledOut | None = None
        if first is not None:
            used = tuple(first.tolist())
            answer = settle_pair(self.X, pair, used, self.rules.weight_signs)
            if not isinstance(answer, RuledOut):
                return Separation(used, (answer,))
        used = tuple(columns.tolist())
        if len(columns) * len(pair.rows) ** 2 <= LARGEST_SYSTEM:
            answer = settle_pair(self.X, pair, used, self.rules.weight_signs)
        elif self.rules.weight_signs is None:
            answer = self._prove_by_few_samples(np.asfortranarray(X[:, columns]), pair)
        if isinstance(answer, RuledOut):
            self.impossible.append(replace(answer, columns=self._everything))
            return None
        if answer is None or self.rules.one_per_group:
            return None
        return Separation(used, (answer,))

    def _drop_idle(self, separation: Separation, clock: Clock) -> Separation:
        """The set without columns that the others do not need, the most expensive ones first."""
        fixed = {*self.search.root}
        for column in sorted(separation.columns, key=lambda one: (-self.rules.price[one], one)):
            fewer = [one for one in separation.columns if one != column]
            if clock.is_over or column in fixed or not fewer:
                continue
            answer = settle(self.X, self.y, fewer, signs=self.rules.weight_signs)
            if isinstance(answer, Separation):
                separation = answer
        separation = drop_unused(separation, fixed)
        missing = sorted(fixed - set(separation.columns))
        if not missing:
            return separation
        answer = settle(
            self.X, self.y, (*separation.columns, *missing), signs=self.rules.weight_signs
        )
        return answer if isinstance(answer, Separation) else separation

    def _margin(self, separation: Separation) -> float:
        return measure_set(self.X, self.y, separation, self.rules.weight_signs)
