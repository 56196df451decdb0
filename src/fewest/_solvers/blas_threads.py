"""One thread for linear algebra on small matrices, where more threads only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_inside = 0
_limits: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, products and factorisations run on one thread.

    The limit holds for the whole process. Where several threads are inside, the first sets it and
    the last takes it back.
    """
    global _inside, _limits
    with _lock:
        if _inside == 0:
            _limits = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limits.restore_original_limits()


@cache
def _controller() -> Any:
    """Looking for the libraries takes milliseconds; once is enough."""
    return ThreadpoolController()
