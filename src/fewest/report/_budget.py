"""Seconds for the costly parts."""

from __future__ import annotations

import time

# Fewer permutations than this can never reach p = 0.05.
FEWEST_PERMUTATIONS = 19


class Budget:
    """A clock that starts now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started = time.perf_counter()

    @property
    def spent(self) -> float:
        return time.perf_counter() - self._started

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - self.spent)
