"""Who waits for a long solve: what they are shown, and how long they are willing to wait.

Solvers ask `current_watch()`; whoever starts them may set one with `watching`. Every thread has its
own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from fewest._interrupts import raise_interrupt


class Watch:
    """A time limit, and where to tell how far a solve has come."""

    def __init__(
        self, max_seconds: float | None = None, tell: Callable[[str], None] | None = None
    ) -> None:
        self._end = float("inf") if max_seconds is None else monotonic() + max_seconds
        self._tell = tell

    @property
    def is_over(self) -> bool:
        """Whether the time is up: end soon, with the best that is known."""
        raise_interrupt()
        return monotonic() > self._end

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
    """Let solvers that are called within it know this watch."""
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
