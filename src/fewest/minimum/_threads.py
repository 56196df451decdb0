"""Compiled loops in threads of Python, which end when the time is up.

The threading layers of numba do not survive a fork (OpenMP), or cannot be entered by two threads
at a time (work queue), or are not always there (TBB). Threads of Python have none of these faults,
and compiled code that holds no lock runs in them side by side. The thread that waits for them hears
Ctrl-C, and sees when the time is up: it then sets an alarm at which all loops look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import local
from time import monotonic
from typing import Any

import joblib
import numpy as np

from fewest._interrupts import left_until_asked, may_be_asked
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.watch import current_watch

_PARTS_PER_THREAD = 4  # tasks differ in length
_LOOK = 0.1  # seconds from one look to the next at whether the user asks to end


class _Here(local):
    """How many threads a search in this thread may use, and these threads, once there are any."""

    n_threads = 1
    pool: ThreadPoolExecutor | None = None


_here = _Here()


@contextmanager
def limit_threads(wanted: int) -> Iterator[None]:
    """Within it, loops of this thread may use so many threads (or as many as there are cores)."""
    before = _here.n_threads, _here.pool
    _here.n_threads, _here.pool = max(1, min(wanted, joblib.cpu_count())), None
    try:
        yield
    finally:
        if _here.pool is not None:
            _here.pool.shutdown(cancel_futures=True)
        _here.n_threads, _here.pool = before


def count_threads() -> int:
    """How many threads loops of this thread may use."""
    return _here.n_threads


def share_out(kernel: Callable[..., Any], n_tasks: int, *arguments: Any) -> None:
    """Call `kernel(start, stop, alarm, *arguments)` for all parts of the tasks, in threads.

    The kernel must be compiled with `nogil=True`, and each task must write to places of its own:
    the result then does not depend on who does it. It must look at `alarm[0]` at least every tenth
    of a second, and return where that is not zero. A `TimeIsUpError` is raised then: what the
    kernel has written so far is not all.
    """
    alarm = np.zeros(1, dtype=np.uint8)
    end, was_asked = monotonic() + current_watch().seconds_for_step, left_until_asked() <= 0
    if _here.n_threads == 1 and end == math.inf and not may_be_asked():
        kernel(0, n_tasks, alarm, *arguments)
        return
    if _here.pool is None:
        _here.pool = ThreadPoolExecutor(_here.n_threads, "fewest")
    n_parts = _PARTS_PER_THREAD * _here.n_threads if _here.n_threads > 1 else 1
    step = max(1, -(-n_tasks // n_parts))
    parts = [
        _here.pool.submit(kernel, start, min(start + step, n_tasks), alarm, *arguments)
        for start in range(0, n_tasks, step)
    ]
    try:
        while wait(parts, max(0.0, min(_LOOK, end - monotonic()))).not_done:
            if monotonic() >= end or (left_until_asked() <= 0 and not was_asked):
                raise TimeIsUpError("the time is up, and not all was gone through")
        for part in parts:
            part.result()
    finally:  # also after a Ctrl-C
        alarm[0] = 1
        for part in parts:
            part.cancel()
        wait(parts)
