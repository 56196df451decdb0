"""Worker processes that are replaced when they crash or hang."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from pathlib import Path

from fuzzing.kinds import Kind
from fuzzing.outcome import Outcome
from fuzzing.worker import ENVIRONMENT, LOG, environment, work

_START = 120.0  # more seconds for the first case of a process, which imports and compiles
_TAIL = 3000  # characters of what a worker wrote before it died


class _Worker:
    """A process, the case it has, and until when."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, str(folder)), daemon=False)
        with environment(ENVIRONMENT):
            self.process.start()
        other.close()
        self.case: tuple[Kind, int] | None = None
        self.until = float("inf")
        self._spare = _START

    def give(self, kind: Kind, case: int) -> None:
        self.case = kind, case
        self.until = time.monotonic() + kind.seconds + self._spare
        self._spare = 0.0
        with contextlib.suppress(OSError):  # if it has died meanwhile, that shows when it answers
            self.connection.send((kind.name, case))

    def take_back(self) -> tuple[Kind, int]:
        """The case that it had."""
        assert self.case is not None
        case, self.case = self.case, None
        return case

    def end(self) -> None:
        """Kill the process and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid or -1, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()

    def said(self) -> str:
        """The end of what it wrote."""
        try:
            return (self.folder / LOG).read_text(errors="replace")[-_TAIL:]
        except OSError:
            return ""


def try_cases(
    cases: Iterator[tuple[Kind, int]],
    jobs: int,
    folder: Path,
    is_over: Callable[[], bool],
) -> Iterator[Outcome]:
    """The outcome of each case, as they end; no further case begins once `is_over()`.

    A case without an answer in time is tried once more: the computer may have been busy.
    """
    late: set[tuple[str, int]] = set()
    workers = [_Worker(folder / f"worker-{number}") for number in range(jobs)]
    exhausted = False
    try:
        while True:
            for worker in workers:
                if worker.case is None and not exhausted and not is_over():
                    following = next(cases, None)
                    if following is None:
                        exhausted = True
                    else:
                        worker.give(*following)
            busy = [worker for worker in workers if worker.case is not None]
            if not busy:
                return
            left = min(worker.until for worker in busy) - time.monotonic()
            ready = wait([worker.connection for worker in busy], max(0.0, left))
            for worker in busy:
                outcome = _ask(worker, worker.connection in ready)
                if outcome is None:
                    continue
                kind, case = worker.take_back()
                if outcome.sort in ("crash", "hang", "memory"):
                    worker.end()
                    fresh = workers[workers.index(worker)] = _Worker(worker.folder)
                    if outcome.sort == "hang" and (kind.name, case) not in late:
                        late.add((kind.name, case))
                        fresh.give(kind, case)
                        continue
                yield outcome
    finally:
        for worker in workers:
            worker.end()


def _ask(worker: _Worker, is_ready: bool) -> Outcome | None:
    """What became of the worker's case; None if it is still at it."""
    assert worker.case is not None
    kind, case = worker.case
    if is_ready:
        try:
            return worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join(10)
            code = worker.process.exitcode
            return Outcome(kind.name, case, "crash", f"exit code {code}\n{worker.said()}")
    if time.monotonic() > worker.until:
        return Outcome(kind.name, case, "hang", f"no answer in time\n{worker.said()}")
    return None
