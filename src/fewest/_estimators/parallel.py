"""Work of one fit in threads, with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.utils.parallel import Parallel, delayed

from fewest._run.progress import progress_bar


def run_in_threads(
    function: Callable[..., Any],
    jobs: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    verbose: int = 0,
    what: str = "",
    unit: str = "",
) -> list[Any]:
    """`function(*job)` of every job, in their order; a single job needs no thread and no bar."""
    if len(jobs) == 1:
        return [function(*jobs[0])]
    found = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(function)(*job) for job in jobs
    )
    return list(progress_bar(found, len(jobs), verbose > 0, what=what, unit=unit))
