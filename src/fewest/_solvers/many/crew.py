"""Threads that share the work of a round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

from fewest._solvers.blas_threads import one_blas_thread
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.watch import current_watch


class Crew:
    """Some threads; with a single one, the caller does the work and linear algebra uses its own.

    Compiled code and products run side by side in them. Close it, or use it as a context.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool = ThreadPoolExecutor(size, "fewest") if size > 1 else None

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads; what they have not begun is not done."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> list[Any]:
        """`function(*job)` of every job, in their order; a TimeIsUpError where time ends first."""
        with one_blas_thread() if self._pool is not None else nullcontext():
            if self._pool is None or len(jobs) == 1:
                return [_in_time(function(*job)) for job in jobs]
            waiting = [self._pool.submit(function, *job) for job in jobs]
            try:
                return [_in_time(one.result()) for one in waiting]
            except BaseException:  # Ctrl-C too: what has not begun is not wanted any more
                for one in waiting:
                    one.cancel()
                raise

    def shares(self, count: int) -> list[slice]:
        """Equal parts of so many things, one per thread."""
        size = -(-count // self.size)
        return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def _in_time(found: Any) -> Any:
    """What was found, if anybody still waits for it."""
    if current_watch().is_over:
        raise TimeIsUpError("the time is up, and nobody waits for these problems")
    return found
