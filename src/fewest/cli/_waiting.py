"""Reading files: the terminal says so if it takes long, and Ctrl-C ends it at once."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from fewest._wording import visible
from fewest.cli._errors import INTERRUPTED

_Read = TypeVar("_Read")

# Seconds until the first line on a terminal, and from one line to the next, also in a log.
_FIRST, _NEXT = 2.0, 30.0
_LOOK = 0.1


def read_waiting(read: Callable[[], _Read], file: str, *, quiet: bool = False) -> _Read:
    """What `read` returns. Parsers are deaf to signals, so they work in a thread.

    Small files too: a few kilobytes may hold millions of rows that are packed tightly.
    """
    if threading.current_thread() is not threading.main_thread():  # signals belong to that one
        return read()
    found: Future[_Read] = Future()
    thread = threading.Thread(target=_work, args=(read, found), daemon=True)
    thread.start()
    started, due = time.monotonic(), _FIRST if sys.stderr.isatty() else _NEXT
    try:
        while not found.done():
            thread.join(_LOOK)
            spent = time.monotonic() - started
            if not quiet and spent > due:
                due = spent + _NEXT
                size = Path(file).stat().st_size / 2**20
                text = f"Reading {visible(file)} ({size:,.1f} MB): {spent:.0f} s (Ctrl-C ends it)"
                print(text, file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        atexit.register(_leave, thread)
        raise
    return found.result()


def _work(read: Callable[[], _Read], found: Future[_Read]) -> None:
    try:
        found.set_result(read())
    except BaseException as error:
        found.set_exception(error)


def _leave(thread: threading.Thread) -> None:
    """End the process if the parser is still at work, which could not be stopped otherwise."""
    if thread.is_alive():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)
