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
    """A clock that starts now; None is no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._started = seconds, time.perf_counter()

    @property
    def spent(self) -> float:
        return time.perf_counter() - self._started

    @property
    def is_limited(self) -> bool:
        return self._seconds is not None

    @property
    def left(self) -> float:
        return math.inf if self._seconds is None else max(0.0, self._seconds - self.spent)

    def refuse(self, what: str, of_what: str = "this report") -> OutOfTimeError:
        """The error of a part that takes longer."""
        time_limit = f"{self._seconds:g} s"
        return OutOfTimeError(f"{what} did not fit into the time for {of_what} ({time_limit})")


def take_in_time(found: Any, budget: Budget) -> Iterator[Any]:
    """Results as they come, one at least, until time is over; what computes them is closed then."""
    for one in found:
        yield one
        if not budget.left:
            break
    close = getattr(found, "close", None)
    with warnings.catch_warnings(action="ignore"):  # joblib's, about what is not wanted any more
        if close is not None:
            close()
