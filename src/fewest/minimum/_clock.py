"""How much time is left, and messages on how far the search is."""

from __future__ import annotations

import sys
from time import perf_counter

from fewest._run.progress import Progress


class Clock:
    """Counts the seconds of a run; if asked to, shows on standard error how far it is."""

    def __init__(self, limit: float | None = None, verbose: int = 0) -> None:
        self._started = perf_counter()
        self._limit = float("inf") if limit is None else limit
        self._verbose = verbose
        self._bar: Progress | None = None
        self._share = 0.0

    def __enter__(self) -> Clock:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_task()

    @property
    def seconds(self) -> float:
        return perf_counter() - self._started

    @property
    def is_over(self) -> bool:
        return self.seconds >= self._limit

    def begin(self, task: str) -> None:
        """Draw a bar for what comes next."""
        self._end_task()
        self._share = 0.0
        self._bar = Progress(1.0, what=task, unit="%", show=self._verbose == 1)

    def report(self, share: float, nodes: int) -> None:
        """Show how far the present task is."""
        if self._bar is not None:
            self._bar.advance(share - self._share, note=f"{nodes:,} tested")
            self._share = share

    def say(self, text: str) -> None:
        """End the task, and print its result if asked to."""
        self._end_task()
        if self._verbose > 1:
            print(f"[minimum_features] {self.seconds:7.1f} s  {text}", file=sys.stderr, flush=True)

    def _end_task(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
