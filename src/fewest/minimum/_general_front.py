"""The front of features, or of their price, and errors: under rules, or for many classes."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter

import numpy as np

from fewest._estimators.rules import Rules
from fewest._solvers.linear.master import TimeIsUpError
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock
from fewest.minimum._data import add_columns
from fewest.minimum._errors_general import GeneralSearch
from fewest.minimum._front import Front
from fewest.minimum._front_result import ErrorFront
from fewest.minimum._general_errors import check_groups
from fewest.minimum._guess import guess_wrong
from fewest.minimum._leaves import Separation
from fewest.minimum._price_front import PriceFront, PricePoint
from fewest.minimum._prices import Prices
from fewest.minimum._ruled import check_rules
from fewest.minimum._vectors import separate_others

_MOST_GUESSES = 3_000  # columns that are tried together with the best set of a feature less


def find_general_front(
    X: FloatArray,
    y: IndexArray,
    clock: Clock,
    n_solutions: int | None,
    max_features: int,
    rules: Rules | None,
) -> ErrorFront | PriceFront:
    """`error_front` under rules, or for more than two classes."""
    if rules is not None:
        check_rules(rules, int(y.max()) + 1)
        check_groups(rules)
        if not Prices.read(rules).are_equal:
            return _PriceSearch(X, y, clock, rules).run(max_features)
    return _GeneralFront(X, y, clock, n_solutions, rules).run(max_features)


class _GeneralFront(Front):
    """One search, from no feature upwards."""

    def __init__(
        self,
        X: FloatArray,
        y: IndexArray,
        clock: Clock,
        n_solutions: int | None,
        rules: Rules | None,
    ) -> None:
        super().__init__(X, y, clock, n_solutions)
        self.search: GeneralSearch = GeneralSearch(X, y, clock, rules=rules)
        self.rules = rules
        self.included = [] if rules is None else np.flatnonzero(rules.included).tolist()

    def run(self, max_features: int) -> ErrorFront:
        search = self.search
        most = len(search.candidates) if search.is_ready else self.X.shape[1]
        max_features = min(max_features, most)
        for size in range(max_features + 1):
            self.began = perf_counter()
            if size and self._is_settled():
                self._keep_last(size, search.floor)
            else:
                search.clock = self.clock.take_part(1 / (max_features - size + 1))
                with suppress(TimeIsUpError):
                    if search.is_ready:
                        self._try_size(size)
                self._fill_in(size)
            last = self.points[-1]
            self.clock.say(f"{size} features: {last.lower_bound} to {last.errors} errors")
        n_samples, n_features = self.X.shape
        return ErrorFront(
            points=tuple(self.points),
            floor=search.floor,
            seconds=self.clock.seconds,
            n_samples=n_samples,
            n_features=n_features,
            ruled_out=search.proofs,
            rules=self.rules,
        )

    def _fill_in(self, size: int) -> None:
        """What is known without a search, where there was no time for it."""
        if len(self.points) > size:
            return
        if size:
            self._keep_last(size, self.search.floor)
        else:
            nothing = add_columns(self.search.leave_class_out(), self.included)
            self._add(0, self.search.floor, [nothing], complete=False)

    def _covers_smaller(self, size: int) -> bool:
        return self.rules is None or not self.rules.one_per_group

    def _try_size(self, size: int) -> None:
        """The fewest errors of a size: more and more are allowed until there is a set."""
        search = self.search
        nothing = search.leave_class_out()
        known = self.points[-1].errors if size else len(nothing.wrong)
        lower_bound = search.floor
        guess = self._guess(size, known)
        most_tried = known if guess is None else len(guess.wrong) + self.several
        for most in range(lower_bound, min(known, most_tried)):
            self.clock.begin(f"sets of {size} with {most} errors")
            at_most: list[Separation] = []

            def keep(separation: Separation, at_most: list[Separation] = at_most) -> bool:
                at_most.append(separation)
                return self.several and len(at_most) <= self.room

            complete = search.run(size, most, keep)
            if at_most:
                sets = {one.columns: one for one in self._whole(at_most)}
                # A set may leave fewer errors than were allowed where time ended a search before.
                fewest = min(len(one.wrong) for one in sets.values())
                best = [one for one in sets.values() if len(one.wrong) == fewest]
                self._add(size, lower_bound, best, complete=complete)
                return
            if not complete:
                break
            lower_bound = most + 1
        if guess is not None:
            self._add(size, lower_bound, self._whole([guess]), complete=False)
        elif size:
            self._keep_last(size, lower_bound)
        else:
            self._add(0, lower_bound, self._whole([nothing]))

    def _guess(self, size: int, known: int) -> Separation | None:
        """A set with fewer errors than are known, from the best one of a feature less; or None.

        It takes little time, and is there when time is up.
        """
        search = self.search
        before = set(self.points[-1].subsets[0].tolist()) if size else set()
        base = search.twins.replace_by_first({*before, *search.root})
        base = tuple(column for column in base if column in search.is_searched)
        further = (
            [(*base, int(one)) for one in search.candidates[:_MOST_GUESSES]] if size else [base]
        )
        allowed = [one for one in further if search.may_join(one)]
        counts: list[int] = []
        for one in allowed:
            if counts and search.clock.is_over:
                break
            counts.append(len(guess_wrong(self.X, self.y, one)))
        if not counts or min(counts) >= known:
            return None
        columns = tuple(sorted(allowed[int(np.argmin(counts))]))
        try:
            found = separate_others(self.X, self.y, columns, guess_wrong(self.X, self.y, columns))
        except RuntimeError:  # rounding took another side than the exact decision
            return None
        return found if search.signs is None or found.holds(self.X, self.y, search.signs) else None

    def _whole(self, separations: list[Separation]) -> list[Separation]:
        """The sets and their equals, with all features that are always in."""
        found = self.search.expand(separations, self.room + 1)
        return [add_columns(one, self.included) for one in found]


class _PriceSearch:
    """One search, for fewer and fewer errors."""

    def __init__(self, X: FloatArray, y: IndexArray, clock: Clock, rules: Rules) -> None:
        self.clock, self.rules = clock, rules
        self.search = GeneralSearch(X, y, clock, rules=rules)
        self.prices = self.search.prices
        self.points: list[PricePoint] = []
        self.bounds: list[int] = []  # of the points, in units

    def run(self, max_features: int) -> PriceFront:
        search = self.search
        most = len(search.candidates) if search.is_ready else search.X.shape[1]
        self.max_features = min(max_features, most)
        with suppress(TimeIsUpError):
            self._add_first()
        if not self.points:
            self._add(search.leave_class_out(), 0, perf_counter())
        complete = False
        with suppress(TimeIsUpError):
            complete = search.is_ready and self._add_further()
        n_samples, n_features = search.X.shape
        return PriceFront(
            points=tuple(self.points),
            complete=complete,
            max_features=self.max_features,
            floor=search.floor,
            seconds=self.clock.seconds,
            n_samples=n_samples,
            n_features=n_features,
            ruled_out=search.proofs,
            rules=self.rules,
        )

    def _add_further(self) -> bool:
        """Points with fewer and fewer errors; whether these are all."""
        search = self.search
        while True:
            errors = self.points[-1].errors
            if errors == search.floor:
                return True
            began = perf_counter()
            self.clock.begin(f"sets with {errors - 1} errors")
            best, bound = self._find_cheapest(errors - 1)
            if best is None:
                return bound == self.prices.above_all
            self._add(best, max(bound, self.bounds[-1]), began)
            last = self.points[-1]
            self.clock.say(f"{last.errors} errors for a price of {last.price:g}")

    def _add_first(self) -> None:
        """What costs nothing: the features that are always in, or none."""
        search, began = self.search, perf_counter()
        if not search.is_ready:
            return
        best = search.leave_class_out()
        found: list[Separation] = []

        def keep(separation: Separation) -> bool:
            found.append(separation)
            return False

        for most in range(search.floor, len(best.wrong)):
            if not search.run(0, most, keep):
                break
        self._add(found[0] if found else best, 0, began)

    def _find_cheapest(self, most: int) -> tuple[Separation | None, int]:
        """A set of the lowest price with so few errors, and a bound of the price.

        The bound is above all prices if there is no set.
        """
        search, total = self.search, self.prices.total
        best: Separation | None = None

        def limit() -> int:
            return (self.prices.above_all if best is None else total(best.columns)) - 1

        def keep(separation: Separation) -> bool:
            nonlocal best
            if total(separation.columns) <= limit():
                best = separation
            return True

        for size in range(1, self.max_features + 1):
            if search.cheapest[size] > limit():
                break
            if not search.run(size, most, keep, limit):
                return best, min(search.cheapest[size], limit() + 1)
        return best, limit() + 1

    def _add(self, separation: Separation, bound: int, began: float) -> None:
        whole = add_columns(separation, np.flatnonzero(self.rules.included).tolist())
        columns = np.array(whole.columns, dtype=np.intp)
        price = self.prices.total(columns)
        seconds = perf_counter() - began
        if self.points and price <= self.prices.total(self.points[-1].subsets[0]):
            # The same price leaves fewer errors: the point before is none of the front.
            seconds += self.points.pop().seconds
            bound = max(bound, self.bounds.pop())
        self.bounds.append(bound)
        self.points.append(
            PricePoint(
                price=self.prices.show(price),
                price_bound=self.prices.show_bound(bound, price),
                errors=len(whole.wrong),
                subsets=(columns,),
                proven=bound >= price,
                seconds=seconds,
                separations=(whole,),
            )
        )
