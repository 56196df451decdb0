"""Seconds for costly parts."""

from __future__ import annotations

import math
import time


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
    def left(self) -> float:
        return math.inf if self._seconds is None else max(0.0, self._seconds - self.spent)

    def refuse(self, what: str, of_what: str = "this report") -> OutOfTimeError:
        """The error of a part that takes longer."""
        time_limit = f"{self._seconds:g} s"
        return OutOfTimeError(f"{what} did not fit into the time for {of_what} ({time_limit})")
