"""How much time, or work, a search may use, and messages on how far it is."""

from __future__ import annotations

import sys
from time import perf_counter

from fewest._run.progress import Progress


class Clock:
    """Counts the seconds of a run; if asked to, shows on standard error how far it is.

    A limit on steps ends a search where it ends on any computer, however busy that is. A step is a
    pair of features that is tested, about ten nanoseconds; stages that count none run to their end.
    """

    def __init__(
        self,
        limit: float | None = None,
        verbose: int = 0,
        name: str = "minimum_features",
        *,
        most_steps: float = float("inf"),
    ) -> None:
        self._started = perf_counter()
        self._limit = float("inf") if limit is None else limit
        self._steps, self._most_steps = 0, most_steps
        self._verbose = verbose
        self._name = name
        self._share = 0.0
        self._bar = Progress(1.0, what="", unit="%", show=False)

    def __enter__(self) -> Clock:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    @property
    def seconds(self) -> float:
        return perf_counter() - self._started

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._limit - self.seconds)

    @property
    def is_over(self) -> bool:
        return self.seconds >= self._limit or self._steps >= self._most_steps

    def count(self, steps: int) -> None:
        """Note that so many more steps were taken."""
        self._steps += steps

    def take_part(self, share: float) -> Clock:
        """A clock for a part of the run: it is over after this share of what is left."""
        left = max(0.0, self._most_steps - self._steps)
        return Clock(share * self.seconds_left, most_steps=share * left)

    def begin(self, task: str) -> None:
        """Draw a bar for what comes next."""
        self._bar.close()
        self._share = 0.0
        self._bar = Progress(1.0, what=task, unit="%", show=self._verbose == 1)

    def report(self, share: float, nodes: int) -> None:
        """Show how far the present task is."""
        self._bar.advance(share - self._share, note=f"{nodes:,} tested")
        self._share = share

    def say(self, text: str) -> None:
        """End the task, and print its result if asked to."""
        self._bar.close()
        if self._verbose > 1:
            print(f"[{self._name}] {self.seconds:7.1f} s  {text}", file=sys.stderr, flush=True)
