"""Standard error that may be closed or full, and a polite request to end."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

_BY_SIGNAL = 128  # shells add the number of the signal
_PAUSE = 0.01  # seconds until a request that was lost is sent again

_asked = threading.Event()  # to end, by SIGTERM


class _Forgiving:
    """A stream that loses what cannot be written, and is like the other one in all else."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, or give up for good."""
        try:
            self._stream.write(text)
        except OSError:
            self._give_up()
        return len(text)

    def flush(self) -> None:
        """Flush, or give up for good."""
        try:
            self._stream.flush()
        except OSError:
            self._give_up()

    def _give_up(self) -> None:
        # What is still buffered would fail once more at exit, and change the exit code.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextmanager
def forgiving_standard_error() -> Iterator[None]:
    """Within it, `2>/dev/full` and `2>&-` change nothing but what is seen."""
    before = sys.stderr
    if before is None:
        # It takes the free number 2: else a file opened later would get what libraries print.
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    else:
        sys.stderr = cast(Any, _Forgiving(before))
    try:
        yield
    finally:
        if before is not None:
            with suppress(ValueError):  # closed meanwhile
                sys.stderr.flush()
            sys.stderr = before


@contextmanager
def cleaning_up_when_terminated() -> Iterator[None]:
    """Within it, SIGTERM ends the command as an error would: temporary files are removed."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    owner, usual = os.getpid(), sys.unraisablehook

    def end(number: int, _: Any) -> None:
        if os.getpid() != owner:  # a child that was forked is no concern of ours
            os._exit(_BY_SIGNAL + number)
        _asked.set()
        raise SystemExit(_BY_SIGNAL + number)

    def send_again(lost: Any) -> None:
        # It came in a destructor or a callback, which lose every error: later, not now.
        if isinstance(lost.exc_value, SystemExit) and _asked.is_set():
            threading.Timer(_PAUSE, _send_again).start()
        else:
            usual(lost)

    _asked.clear()
    signal.signal(signal.SIGTERM, end)
    sys.unraisablehook = send_again
    try:
        yield
    finally:
        sys.unraisablehook = usual
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _send_again() -> None:
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # the command has ended
        return
    if hasattr(signal, "pthread_kill"):  # a signal that also ends waiting
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    else:
        _thread.interrupt_main(signal.SIGTERM)


def raise_termination() -> None:
    """End the command if it was asked to end, whatever became of the request."""
    if _asked.is_set():
        raise SystemExit(_BY_SIGNAL + signal.SIGTERM)
