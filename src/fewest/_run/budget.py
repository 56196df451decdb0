"""Seconds for costly parts."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from typing import Any


class OutOfTimeError(ValueError):
    """A part was left out because it would take longer than its time."""


class Budget:
    """A clock that starts now, with what was `spent` before; None is no limit.

    A part (`take`) ends with the whole at the latest. What a part did not finish is named in the
    whole's `ended`.
    """

    def __init__(
        self, seconds: float | None, *, whole: Budget | None = None, spent: float = 0.0
    ) -> None:
        self._seconds, self._started = seconds, time.perf_counter() - spent
        self._whole = whole
        self.ended: list[str] = [] if whole is None else whole.ended

    def take(self, seconds: float | None, share: float = 1.0) -> Budget:
        """A part: so many seconds, and at most this share of what is left."""
        most = min(math.inf if seconds is None else seconds, share * self.left)
        return Budget(None if math.isinf(most) else most, whole=self)

    def end(self, what: str) -> None:
        """Note that the clock has ended something."""
        self.ended.append(f"{what} after {self.spent:.0f} s")

    @property
    def spent(self) -> float:
        return time.perf_counter() - self._started

    @property
    def is_limited(self) -> bool:
        return self._seconds is not None

    @property
    def left(self) -> float:
        own = math.inf if self._seconds is None else max(0.0, self._seconds - self.spent)
        return own if self._whole is None else min(own, self._whole.left)

    def refuse(self, what: str, of_what: str = "this report") -> OutOfTimeError:
        """The error of a part that takes longer."""
        if self._whole is not None and self._whole.is_limited:
            return self._whole.refuse(what, of_what)
        time_limit = f"{self._seconds:g} s"
        return OutOfTimeError(f"{what} did not fit into the time for {of_what} ({time_limit})")


def take_in_time(found: Any, budget: Budget) -> Iterator[Any]:
    """Results as they come until time is over; what computes them is closed then."""
    try:
        for one in found:
            yield one
            if not budget.left:
                break
    except OutOfTimeError:  # one that was under way
        if budget.left:
            raise
    close = getattr(found, "close", None)
    with warnings.catch_warnings(action="ignore"):  # joblib's, about what is not wanted any more
        if close is not None:
            close()
