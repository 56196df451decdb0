"""One process that tries cases as they come; if it crashes, that is a finding."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import shutil
import sys
import traceback
import warnings
from collections.abc import Iterator
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

from fuzzing.kinds import BY_NAME
from fuzzing.outcome import Failure, Outcome

LOG = "worker.log"
_ADDRESS_SPACE = 12 * 2**30  # ends a runaway allocation before the computer suffers
_MOST_GROWTH = 2**30  # of resident memory, by one small case
# Part of every case.
LIMITS = {"FEWEST_MAX_GB": "0.5", "COLUMNS": "100"}
# Set before numpy is imported: one process per core needs no further threads.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    **LIMITS,
}


@contextlib.contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """Variables of the environment for what starts within it; afterwards they are as before."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def work(connection: Connection, folder: str) -> None:
    """Try the cases that arrive until the other end closes."""
    os.setsid()  # so that a hang ends with all processes that a case has started
    _redirect_streams(Path(folder) / LOG)
    _limit_memory()
    warnings.simplefilter("ignore")
    try:
        while True:
            name, case = connection.recv()
            connection.send(try_case(name, case, Path(folder)))
    except (EOFError, BrokenPipeError):
        return


def try_case(name: str, case: int, folder: Path) -> Outcome:
    """What became of one case, in an empty folder below this one."""
    place = folder / "case"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    check = import_module(BY_NAME[name].module).check
    before = _restart_peak()
    try:
        chances = tuple(check(case, place) or ())
    except Failure as failure:
        return Outcome(name, case, failure.sort, str(failure))
    except AssertionError:
        return Outcome(name, case, "wrong", traceback.format_exc())
    except MemoryError:
        return Outcome(name, case, "memory", traceback.format_exc())
    except BaseException:  # SystemExit and KeyboardInterrupt too: nobody asked for them
        return Outcome(name, case, "traceback", traceback.format_exc())
    grown = _peak() - before
    if grown > _MOST_GROWTH:
        return Outcome(name, case, "memory", f"used {grown / 2**30:.1f} GB")
    return Outcome(name, case, chances=chances)


def _redirect_streams(log: Path) -> None:
    """Standard output and error to a file, which says more about a crash."""
    file = open(log, "w+b", buffering=0)  # noqa: SIM115 (it stays open)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(file.fileno(), 1)
    os.dup2(file.fileno(), 2)
    faulthandler.enable(file)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))


def _restart_peak() -> int:
    """Forget the largest resident memory so far; the present one, in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return 2**62  # cannot be measured here
    return _peak()


def _peak() -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
