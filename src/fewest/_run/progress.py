"""Long work in parallel: a progress bar, and Ctrl-C for the parent process only."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sklearn.utils.parallel import Parallel, delayed

from fewest._run.sharing import run_on_cluster

# If only the share of the work done is known, counts and rates are meaningless.
_SHARE_ONLY = "{desc}: {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}{postfix}]"
# Seconds before a count without an end is shown: most fits take less.
_SHOWN_AFTER = 1.0


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Make processes that are started here leave Ctrl-C (and its traceback) to the parent.

    This takes some hundredths of a second; an interrupt during that time is lost.
    """
    if threading.current_thread() is not threading.main_thread():  # Python allows it only there
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def progress_bar(
    trials: Iterable[Any],
    total: int,
    show: bool,
    *,
    what: str = "cross-validation",
    unit: str = "fold",
) -> Iterable[Any]:
    """The trials, with a bar on standard error if it is wanted and tqdm is installed."""
    bar = _bar(trials, total, what, unit) if show else None
    return trials if bar is None else bar


def run_in_threads(
    function: Callable[..., Any],
    jobs: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    verbose: int = 0,
    what: str = "",
    unit: str = "",
    *,
    changes_jobs: bool = False,
) -> list[Any]:
    """`function(*job)` of every job, in their order; a single job needs no thread and no bar.

    Where the user asks joblib for processes or a cluster instead of threads, jobs are sent there,
    unless the function changes what it is given, which would not come back.
    """
    if len(jobs) == 1:
        return [function(*jobs[0])]
    found = None if changes_jobs else run_on_cluster(function, jobs, prefer="threads")
    if found is None:
        require = "sharedmem" if changes_jobs else None
        found = Parallel(n_jobs=n_jobs, prefer="threads", require=require, return_as="generator")(
            delayed(function)(*job) for job in jobs
        )
    return list(progress_bar(found, len(jobs), verbose > 0, what=what, unit=unit))


class Progress:
    """A bar on standard error; nothing if tqdm is missing or no bar is wanted.

    Where the total is not known (None), it counts, and appears only if the work takes a second.
    """

    def __init__(self, total: float | None, *, what: str, unit: str, show: bool) -> None:
        self._bar = _bar(None, total, what, unit) if show else None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()

    def advance(self, amount: float, *, note: str = "") -> None:
        """Advance the bar, with a note after it."""
        if self._bar is not None:
            if note:
                self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(amount)


def _bar(trials: Iterable[Any] | None, total: float | None, what: str, unit: str) -> Any:
    try:
        from tqdm import tqdm
    except ImportError:  # a convenience only
        return None
    form = _SHARE_ONLY if unit == "%" else None
    return tqdm(
        trials,
        total=total,
        desc=what,
        unit=unit,
        leave=False,
        file=sys.stderr,
        bar_format=form,
        delay=_SHOWN_AFTER if total is None and trials is None else 0,
    )
