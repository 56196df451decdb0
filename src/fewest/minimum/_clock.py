"""How much time a search may use, and messages on how far it is."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from time import perf_counter

from fewest._interrupts import left_until_asked, may_be_asked
from fewest._run.progress import Progress
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.watch import Watch, current_watch, watching

LARGE_PIECE = 50  # looks: tenths of a second
_GRACE = 1.0  # seconds in which what is known becomes a result


class Clock:
    """Counts the seconds of a run; if asked to, shows on standard error how far it is.

    Searches look at it after pieces of work that do not depend on time: about a thousandth of a
    second each, and so many looks at once (`spend`) after larger ones. A run may thus also be
    limited by a number of looks, and then ends at the same place however fast the computer is. With
    a limit, it is also over when the user asks for it, where Ctrl-C may do that.

    Within it (`with clock:`), programs, compiled loops and exact decisions look at the same limit.
    Compiled loops end there, decisions a second later: with a `TimeIsUpError`, and no answer.
    """

    def __init__(
        self,
        limit: float | None = None,
        verbose: int = 0,
        name: str = "minimum_features",
        *,
        most_looks: float = math.inf,
        whole: Clock | None = None,
    ) -> None:
        self._started = perf_counter()
        self._limit = float("inf") if limit is None else limit
        self._may_be_asked = limit is not None and may_be_asked()
        self._looks_left = most_looks
        self._whole = whole  # of which this is a part
        self._verbose = verbose
        self._name = name
        self._share = 0.0
        self._bar = Progress(1.0, what="", unit="%", show=False)
        self._within = ExitStack()

    def __enter__(self) -> Clock:
        if self._limit < math.inf or self._may_be_asked:
            self._within.enter_context(watching(Watch(self.seconds_left, grace=_GRACE)))
        return self

    def __exit__(self, *_: object) -> None:
        self._within.close()
        self._bar.close()

    @property
    def seconds(self) -> float:
        return perf_counter() - self._started

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._left)

    @property
    def _left(self) -> float:
        left = self._limit - self.seconds
        return min(left, left_until_asked()) if self._may_be_asked else left

    @property
    def is_over(self) -> bool:
        """Whether to end now; to ask is a look."""
        self.spend(1)
        return self._looks_left < 0 or self._left <= 0

    @property
    def is_late(self) -> bool:
        """Whether the time was up a while ago: leave out what is not needed."""
        return self._left <= -_GRACE

    def spend(self, looks: int) -> None:
        """Count work that is worth so many looks."""
        self._looks_left -= looks
        if self._whole is not None:
            self._whole.spend(looks)

    @property
    def seconds_left_in_all(self) -> float:
        """What is left to the run of which this is a part."""
        return self.seconds_left if self._whole is None else self._whole.seconds_left_in_all

    def take_part(self, share: float) -> Clock:
        """A clock for a part of the run: it is over after this share of what is left."""
        looks = share * max(0.0, self._looks_left)
        return Clock(share * self.seconds_left, most_looks=looks, whole=self)

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


def stop_when_over() -> None:
    """Give up what is under way where the time is up: for loops that know no clock."""
    if current_watch().is_over:
        raise TimeIsUpError("the time is up, and this was not decided")
