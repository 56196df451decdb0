"""Jobs on the workers of a Dask cluster: large arrays travel once, however many jobs hold them.

`joblib.parallel_config(backend="dask")` says that a cluster is to be used. Jobs hold X deep inside
(in columns, in tasks, in measures), where joblib would not look for it: every job would take its
own copy along. Here each job is pickled without its large arrays. These are sent to the cluster
once, and every worker fetches those that its jobs need. Jobs whose worker is lost are done again by
another one; joblib itself waits for ever where that does not help either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from joblib.parallel import get_active_backend

from fewest.exceptions import ClusterError

# On so many workers each array lies from the beginning: one of them may be lost.
_COPIES = 2


class StaysHereError(TypeError):
    """What a job holds cannot go to other processes."""


def run_on_cluster(
    function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], *, prefer: str | None = None
) -> Iterator[Any] | None:
    """`function(*job)` of every job, in their order, as they are done; None without a cluster."""
    backend = get_active_backend(prefer=prefer)[0]
    if getattr(backend, "client", None) is None:
        return None
    with explain_losses():
        backend.effective_n_jobs(-1)  # waits for the first worker, or says that there is none
        try:
            return _collect(backend, _submit(backend, function, jobs))
        except StaysHereError:  # the whole cluster works on each job already
            return (function(*job) for job in jobs)


def _submit(
    backend: Any, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]
) -> list[Any]:
    """The future of every job; the cluster has begun with them."""
    from fewest._run.packing import Arrays, run_packed

    client, how = backend.client, {"pure": False, **backend.submit_kwargs}
    arrays, sent = Arrays(), []
    packed = [arrays.pack((function, job)) for job in jobs]
    if arrays.found:
        sent = client.scatter(arrays.found, broadcast=_COPIES, hash=False)
    return [
        client.submit(run_packed, job, places, *(sent[place] for place in places), **how)
        for job, places in packed
    ]


def _collect(backend: Any, futures: list[Any]) -> Iterator[Any]:
    """The results; jobs whose results nobody wants any more are ended."""
    futures.reverse()
    try:
        with explain_losses(), backend.retrieval_context():
            while futures:
                yield futures[-1].result()
                futures.pop()
    finally:
        if futures and backend.client.status == "running":  # else there is nobody to tell
            backend.client.cancel(futures)


@contextmanager
def explain_losses() -> Iterator[None]:
    """Raise a ClusterError that says what to do, where Dask says that workers were lost."""
    try:
        yield
    except Exception as error:
        names = {kind.__name__ for kind in type(error).__mro__}
        if names & {"KilledWorker", "MemoryError"}:
            ended = "KilledWorker" in names
            raise ClusterError(
                f"{'the same work ended one Dask worker after another: ' if ended else ''}most "
                "likely workers have too little memory. Give each worker more memory, or fewer "
                f"threads; if X is a Dask array, make its chunks smaller. Dask says: {error}"
            ) from error
        if names & {"CancelledError", "ClosedClientError", "CommClosedError"}:
            raise ClusterError(
                "the Dask cluster went away, or lost all workers that held the data. Start it "
                f"again, and repeat the analysis. Dask says: {error or type(error).__name__}"
            ) from error
        raise
