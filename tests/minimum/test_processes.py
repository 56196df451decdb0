"""The search after a fork, in processes of joblib, and in several threads at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fewest import minimum_features
from fewest.minimum import _threads
from tests.platforms import needs

_DATA = """
import numpy as np
from fewest import minimum_features
X = np.random.default_rng(0).standard_normal((30, 60))
y = X[:, 17] + X[:, 52] - X[:, 11] > 0
def search(_=None):
    return minimum_features(X, y, n_jobs=2).size
"""
_FORK = """
import os
first = search()
child = os.fork()
if child == 0:
    os._exit(10 + search())
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(first, status, search())
"""
_JOBLIB = """
import joblib
first = search()
print(first, *joblib.Parallel(n_jobs=2, backend="multiprocessing")(
    joblib.delayed(search)() for _ in range(3)))
"""
_POOL = """
import multiprocessing
first = search()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(first, *pool.map(search, range(3)))
"""


def run(code: str) -> list[int]:
    """What another process prints; it would hang or die if it could not search after a fork."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _DATA + code],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert found.returncode == 0, found.stderr
    return [int(word) for word in found.stdout.split()]


@needs("POSIX signals")
@pytest.mark.parametrize(
    ("code", "printed"), [(_FORK, [3, 13, 3]), (_JOBLIB, [3] * 4), (_POOL, [3] * 4)]
)
def test_after_a_fork(code, printed):
    assert run(code) == printed


def test_several_searches_at_a_time():
    """Each finds what it finds alone; the threads that help them end with them."""
    rng = np.random.default_rng(1)
    data = []
    for _ in range(4):
        X = rng.standard_normal((25, 40))
        data.append((X, X[:, 3] + X[:, 7] - X[:, 11] > 0))
    alone = [minimum_features(X, y, n_solutions=None, n_jobs=1) for X, y in data]
    before = threading.active_count()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: minimum_features(*one, n_solutions=None, n_jobs=2), data))
    assert threading.active_count() == before
    for one, other in zip(alone, found, strict=True):
        assert one.size == other.size
        assert [part.tolist() for part in one.subsets] == [part.tolist() for part in other.subsets]
        assert [step.n_tested for step in one.searched] == [
            step.n_tested for step in other.searched
        ]


@pytest.mark.parametrize("n_tasks", [0, 1, 2, 31, 1000])
@pytest.mark.parametrize("worth", [0.0, np.inf])
def test_every_task_is_done_once(monkeypatch, n_tasks, worth):
    monkeypatch.setattr(_threads, "_WORTH_SHARING", worth)
    monkeypatch.setattr(_threads.joblib, "cpu_count", lambda: 3)
    done, workers = np.zeros(n_tasks, dtype=int), set()

    def kernel(start, stop, amount):
        workers.add(threading.current_thread().name)
        done[start:stop] += amount

    with _threads.limit_threads(3):
        _threads.share_out(kernel, n_tasks, 1)
    assert done.tolist() == [1] * n_tasks
    assert any(name.startswith("fewest") for name in workers) == (worth == 0 and n_tasks > 1)


def test_an_error_in_a_thread_is_not_lost(monkeypatch):
    monkeypatch.setattr(_threads, "_WORTH_SHARING", 0.0)
    monkeypatch.setattr(_threads.joblib, "cpu_count", lambda: 2)

    def kernel(start, stop):
        if start > 0:
            raise RuntimeError(f"task {start}")

    with pytest.raises(RuntimeError, match="task"), _threads.limit_threads(2):
        _threads.share_out(kernel, 100)
    assert not [one for one in threading.enumerate() if one.name.startswith("fewest")]
