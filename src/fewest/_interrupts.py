"""Ctrl-C that is not lost, and is known for what it is.

A Ctrl-C may arrive where Python cannot raise it: in a destructor or a callback, whose errors are
ignored, or in compiled code, which turns it into a SystemError. So a Ctrl-C is also remembered
until somebody has dealt with it; solvers ask for it from round to round.
"""

from __future__ import annotations

import _thread
import math
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Any

_PAUSE = 0.01  # seconds until a Ctrl-C that a destructor has swallowed is sent again

_pressed = threading.Event()
# When the user asked searches to end, if these may be asked (`ending_early`).
_asked: list[float] | None = None


def is_interrupt(error: BaseException) -> bool:
    """Whether an error is a Ctrl-C, or the consequence of one."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if isinstance(one, KeyboardInterrupt):
            return True
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            waiting += [one.__cause__, one.__context__]
    return _pressed.is_set()


def raise_interrupt() -> None:
    """Raise a Ctrl-C that has not been dealt with."""
    if _pressed.is_set():
        raise KeyboardInterrupt


def settle_interrupt() -> None:
    """Say that a Ctrl-C has been dealt with: work goes on, with what is finished."""
    _pressed.clear()


def ignore_interrupts() -> None:
    """Let a further Ctrl-C not disturb the end of the command; until `no_lost_interrupts` ends."""
    if signal.getsignal(signal.SIGINT) is _remember:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def may_be_asked() -> bool:
    """Whether a Ctrl-C asks what is under way to end with what it knows, and raises nothing."""
    return _asked is not None


def left_until_asked() -> float:
    """Seconds until the user asked to end: none or less by then, infinity before that."""
    return _asked[0] - monotonic() if _asked else math.inf


@contextmanager
def ending_early() -> Iterator[list[float]]:
    """Let the first Ctrl-C end searches as a time limit does; the second one ends the command.

    Yields a list that is empty until then. Only within `no_lost_interrupts`: in Python, Ctrl-C is a
    KeyboardInterrupt.
    """
    global _asked
    asked: list[float] = []
    if signal.getsignal(signal.SIGINT) is not _remember:
        yield asked
        return

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(monotonic())
        signal.signal(signal.SIGINT, _remember)

    _asked = asked
    signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        _asked = None
        if signal.getsignal(signal.SIGINT) is ask:
            signal.signal(signal.SIGINT, _remember)


@contextmanager
def no_lost_interrupts() -> Iterator[None]:
    """Remember every Ctrl-C, and send one again that came in a destructor.

    Compilers have many of those: numba, for instance, the first time it needs a function. Where
    Ctrl-C is ignored, or belongs to somebody else, it stays so.
    """
    _pressed.clear()
    is_ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    usual = sys.unraisablehook

    def send_again(lost: Any) -> None:
        if isinstance(lost.exc_value, BaseException) and is_interrupt(lost.exc_value):
            threading.Timer(_PAUSE, interrupt).start()  # later: the destructor has to end first
        else:
            usual(lost)

    def interrupt() -> None:
        if sys.unraisablehook is send_again:  # not if another Ctrl-C has ended the command
            _thread.interrupt_main()

    if is_ours:
        signal.signal(signal.SIGINT, _remember)
    sys.unraisablehook = send_again
    try:
        yield
    finally:
        sys.unraisablehook = usual
        if is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _pressed.clear()


def _remember(number: int, frame: FrameType | None) -> None:
    _pressed.set()
    raise KeyboardInterrupt
