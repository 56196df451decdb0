"""How many threads the compiled loops may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import numba

# Not every threading layer of numba can be entered by two threads at a time.
_TURN = RLock()


@contextmanager
def limit_threads(wanted: int) -> Iterator[None]:
    """One search at a time, with this many threads (or as many as there are)."""
    with _TURN:
        before = numba.get_num_threads()
        numba.set_num_threads(max(1, min(wanted, numba.config.NUMBA_NUM_THREADS)))
        try:
            yield
        finally:
            numba.set_num_threads(before)
