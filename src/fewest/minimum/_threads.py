"""Compiled loops in several threads of Python.

The threading layers of numba do not survive a fork (OpenMP), or cannot be entered by two threads
at a time (work queue), or are not always there (TBB). Threads of Python have none of these faults,
and compiled code that holds no lock runs in them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import local
from time import perf_counter
from typing import Any

import joblib

_TRIED_FIRST = 32  # this part of the tasks shows how long the others will take
_PARTS_PER_THREAD = 4  # tasks differ in length
_WORTH_SHARING = 5e-4  # seconds; less is over before other threads have begun


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


def share_out(kernel: Callable[..., Any], n_tasks: int, *arguments: Any) -> None:
    """Call `kernel(start, stop, *arguments)` for all parts of the tasks, in threads if worth it.

    The kernel must be compiled with `nogil=True`, and each task must write to places of its own:
    the result then does not depend on who does it.
    """
    if _here.n_threads == 1 or n_tasks < 2:
        kernel(0, n_tasks, *arguments)
        return
    first = max(1, n_tasks // _TRIED_FIRST)
    began = perf_counter()
    kernel(0, first, *arguments)
    expected = (perf_counter() - began) * (n_tasks - first) / first
    if expected < _WORTH_SHARING:
        kernel(first, n_tasks, *arguments)
        return
    if _here.pool is None:
        _here.pool = ThreadPoolExecutor(_here.n_threads, "fewest")
    step = -(-(n_tasks - first) // (_PARTS_PER_THREAD * _here.n_threads))
    parts = [
        _here.pool.submit(kernel, start, min(start + step, n_tasks), *arguments)
        for start in range(first, n_tasks, step)
    ]
    try:
        for part in parts:
            part.result()
    finally:
        for part in parts:  # after a Ctrl-C
            part.cancel()
