"""Fits that end with the time of those who wait for them, and count only if they were finished."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fewest._interrupts import is_interrupt
from fewest._run.budget import Budget, OutOfTimeError
from fewest._solvers.watch import Watch, current_watch, watching


@contextmanager
def in_time(budget: Budget, what: str, of_what: str = "this report") -> Iterator[None]:
    """Let programs and fits within it end with a budget; the budget then refuses the whole."""
    try:
        with watching(Watch(None if math.isinf(budget.left) else budget.left)):
            yield
    except Exception as error:
        if budget.left or is_interrupt(error):
            raise
        raise budget.refuse(what, of_what) from error


@contextmanager
def ending_in_time() -> Iterator[None]:
    """One fit: an OutOfTimeError if the time of the watch around it ends before or within it."""
    require_time()
    try:
        yield
    except Exception as error:
        if not is_interrupt(error):
            require_time(error)
        raise
    require_time()


def require_time(cause: Exception | None = None) -> None:
    """An OutOfTimeError if the time of the watch around it is up."""
    if current_watch().is_over:
        raise OutOfTimeError("the time is up") from cause


@dataclass(frozen=True)
class Timed:
    """A job that looks at the watch of this thread in whichever process it runs."""

    judge: Callable[..., Any]
    ends: float  # as time.time() counts, which all processes share

    def __call__(self, *job: Any) -> Any:
        with watching(Watch(max(0.0, self.ends - time.time()))):
            return self.judge(*job)


def time_job(judge: Callable[..., Any]) -> Callable[..., Any]:
    """The same job, within what is left on the watch of this thread."""
    left = current_watch().seconds_left
    return judge if math.isinf(left) else Timed(judge, time.time() + left)
