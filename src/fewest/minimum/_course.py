"""What every search for a smallest set keeps on its way: sets, bounds, steps, and its result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.linear.master import TimeIsUpError
from fewest._types import FloatArray, IndexArray
from fewest.minimum._claims import measure_set
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins, add_columns, replace_columns
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._result import MinimumResult, Step
from fewest.minimum._search import Tally

MOST_KEPT = 10_000  # sets that are listed; all are counted


@dataclass(eq=False)
class Course:
    """One search, from small sets to larger ones.

    `y` are places of the labels in `classes`. Sets are found of columns that differ, and kept with
    their equals in their places and with the columns that are always in (`included`).
    """

    X: FloatArray
    y: IndexArray
    classes: NDArray[Any]
    clock: Clock
    max_size: int | None = None
    n_solutions: int | None = 1
    best: Separation | None = None
    lower_bound: int = 0
    found: list[Separation] = field(default_factory=list)
    n_found: int = 0
    complete: bool = False
    impossible: list[RuledOut] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    twins: Twins = field(init=False)
    included: tuple[int, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        self._kept: set[tuple[int, ...]] = set()

    def _may_try(self, size: int) -> bool:
        return (self.max_size is None or size <= self.max_size) and not self.clock.is_over

    def _keep(self, separations: Iterable[Separation], *, count: bool = True) -> None:
        """Keep sets, each once. Equal columns may make billions of one: these are only counted."""
        for separation in separations:
            group = self.twins.replace_by_first({*separation.columns, *self.included})
            if group in self._kept:
                continue
            self._kept.add(group)
            fixed = self._find_fixed(separation.columns)
            if count:
                self.n_found += self.twins.count_equal(separation.columns, fixed)
            room = max(0, MOST_KEPT - len(self.found))
            for columns in islice(self.twins.expand(separation.columns, fixed), room):
                own = replace_columns(self.X, separation, columns)
                self.found.append(add_columns(own, self.included))

    def _find_fixed(self, columns: tuple[int, ...]) -> set[int]:
        """Columns whose equals do not count as other sets."""
        return set()

    def _keep_wanted(self, separation: Separation) -> bool:
        """Keep a set; whether more are wanted."""
        self._keep([separation])
        return self.n_solutions is None or self.n_found < self.n_solutions

    def _forget(self) -> None:
        self.found, self.n_found = [], 0
        self._kept.clear()

    def _end_step(self, size: int, tally: Tally, began: float, *, complete: bool = True) -> bool:
        """Note what was tested; whether sets of this size were found."""
        n_columns = len(self.twins.firsts)
        step = Step.describe(size, n_columns, tally, self.n_found, complete=complete, began=began)
        self.steps.append(step)
        self.complete = complete
        self.clock.say(
            f"{self.n_found or 'no'} set(s) of {size} {self._name_success()}"
            + ("" if complete else " so far: not all were tested")
        )
        if self.found:
            self.best = self.found[0]
        elif complete:
            self.lower_bound = min(size, self.X.shape[1]) + 1
        return bool(self.found)

    def _name_success(self) -> str:
        """What the sets that are looked for do, in messages."""
        return "separate"

    @contextmanager
    def _ending_in_time(self) -> Iterator[None]:
        """Let a search end wherever it is when its time is up: what was known before still holds.

        A set that was kept, or only found, is then the best one.
        """
        try:
            yield
        except TimeIsUpError:
            self.complete = False
            self.n_found = max(self.n_found, len(self.found))
            if self.found and self.best is None:
                self.best = self.found[0]
            elif self.best is not None and not self.found:
                self._keep([self.best])
            self.clock.say("the time is up")

    def _minimum(self, ruled_out: Iterable[RuledOut], *, certified: bool) -> MinimumResult:
        ruled_out = tuple(ruled_out)
        # That all features together do not separate takes a proof of its own.
        most = self.lower_bound if certified else self.X.shape[1]
        scored = [(self._measure_in_time(one), one) for one in self.found]
        ranked = sorted(scored, key=by_margin)[: self.n_solutions]
        return MinimumResult(
            size=None if self.best is None else len(self.best.columns),
            lower_bound=min(self.lower_bound, most),
            certified=certified,
            subsets=tuple(np.array(one.columns, dtype=np.intp) for _, one in ranked),
            margins=np.array([margin for margin, _ in ranked]),
            n_found=self.n_found,
            complete=self.complete if self.found else certified,
            searched=tuple(self.steps),
            seconds=self.clock.seconds,
            n_features=self.X.shape[1],
            separations=tuple(one for _, one in ranked),
            ruled_out=ruled_out,
            inseparable=self._name_inseparable(ruled_out),
        )

    def _name_inseparable(self, ruled_out: Iterable[RuledOut]) -> NDArray[Any]:
        """Labels of the pairs of classes that nothing separates, in their order."""
        full = {leaf.columns for leaf in self.impossible}
        pairs = sorted({leaf.classes(self.y) for leaf in ruled_out if leaf.columns in full})
        return self.classes[np.array(pairs, dtype=np.intp).reshape(-1, 2)]

    def _margin(self, separation: Separation) -> float:
        return measure_set(self.X, self.y, separation)

    def _measure_in_time(self, separation: Separation) -> float:
        """The margin of a set, or NaN where time is up: sets are listed all the same."""
        if self.clock.is_late:
            return math.nan
        try:
            return self._margin(separation)
        except TimeIsUpError:
            return math.nan


def by_margin(scored: tuple[float, Separation]) -> tuple[bool, float, tuple[int, ...]]:
    """Large margins first, and last those that are not known."""
    margin, separation = scored
    return math.isnan(margin), 0.0 if math.isnan(margin) else -margin, separation.columns
