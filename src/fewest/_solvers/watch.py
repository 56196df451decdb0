"""Who waits for a long solve: what they are shown, and how long they are willing to wait.

Solvers ask `current_watch()`; whoever starts them may set one with `watching`. Every thread has its
own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from fewest._interrupts import left_until_asked, raise_interrupt


class Watch:
    """A time limit, and where to tell how far a solve has come.

    It is over so many seconds of `grace` after the limit: what ends at the limit can still be put
    into a result then. Where Ctrl-C may ask a search to end, that is a limit, too.
    """

    def __init__(
        self,
        max_seconds: float | None = None,
        tell: Callable[[str], None] | None = None,
        *,
        grace: float = 0.0,
    ) -> None:
        self._limit = float("inf") if max_seconds is None else monotonic() + max_seconds
        self._end = self._limit + grace
        self._grace = grace
        self._tell = tell

    @property
    def is_over(self) -> bool:
        """Whether the time is up: end soon, with the best that is known."""
        raise_interrupt()
        return self._left < 0

    @property
    def _left(self) -> float:
        return min(self._end - monotonic(), left_until_asked() + self._grace)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._left)

    @property
    def seconds_for_step(self) -> float:
        """What a step that begins now may take: up to the limit, or else up to the end."""
        left = min(self._limit - monotonic(), left_until_asked())
        return left if left > 0 else self.seconds_left

    def end_with(self, other: Watch) -> None:
        """Be over no later than another one, but for a grace of its own."""
        grace = self._end - self._limit if self._limit < math.inf else 0.0
        self._limit = min(self._limit, other._limit)
        self._end = min(self._end, max(other._end, max(other._limit, monotonic()) + grace))

    def tell(self, gap: float | None = None, undecided: int | None = None) -> None:
        """Tell of one more round: the relative gap, and the number of undecided samples."""
        if self._tell is None:
            return
        parts = [] if gap is None else [f"gap {gap:.0e}"]
        parts += [] if undecided is None else [f"{undecided:,} samples undecided"]
        self._tell(", ".join(parts))


_NOBODY = Watch()
_watch: ContextVar[Watch] = ContextVar("watch", default=_NOBODY)


def current_watch() -> Watch:
    """The watch of this thread; one without a limit if none was set."""
    return _watch.get()


@contextmanager
def watching(watch: Watch) -> Iterator[Watch]:
    """Let solvers that are called within it know this watch; it ends with the one around it."""
    watch.end_with(current_watch())
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
