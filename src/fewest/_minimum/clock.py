"""How much time is left, and what to tell those who wait."""

from __future__ import annotations

import sys
from time import perf_counter

_SECONDS_BETWEEN_REPORTS = 2.0


class Clock:
    """Counts the seconds of a run; `report` prints to standard error now and then if asked to."""

    def __init__(self, limit: float | None = None, verbose: int = 0) -> None:
        self._started = perf_counter()
        self._limit = float("inf") if limit is None else limit
        self._verbose = verbose
        self._last_report = self._started
        self._task = ""

    @property
    def seconds(self) -> float:
        return perf_counter() - self._started

    @property
    def left(self) -> float:
        return self._limit - self.seconds

    @property
    def is_over(self) -> bool:
        return self.left <= 0

    def begin(self, task: str) -> None:
        """Name what the next reports are about."""
        self._task = task

    def report(self, share: float, nodes: int) -> None:
        """Say how far the present task is."""
        now = perf_counter()
        if self._verbose and now - self._last_report > _SECONDS_BETWEEN_REPORTS:
            self._last_report = now
            self.say(f"{self._task}: {100 * share:.1f} %, {nodes:,} tested")

    def say(self, text: str) -> None:
        """Print a line with the time, if asked to."""
        if self._verbose:
            print(f"[minimum_features] {self.seconds:7.1f} s  {text}", file=sys.stderr, flush=True)
