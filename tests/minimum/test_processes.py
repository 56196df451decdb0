"""The search in several threads at a time; after a fork: `tests/trust/test_forks.py`."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fewest import minimum_features
from fewest.minimum import _threads


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
def test_every_task_is_done_once(monkeypatch, n_tasks):
    monkeypatch.setattr(_threads.joblib, "cpu_count", lambda: 3)
    done, workers = np.zeros(n_tasks, dtype=int), set()

    def kernel(start, stop, alarm, amount):
        workers.add(threading.current_thread().name)
        done[start:stop] += amount

    with _threads.limit_threads(3):
        _threads.share_out(kernel, n_tasks, 1)
    assert done.tolist() == [1] * n_tasks
    assert all(name.startswith("fewest") for name in workers)


def test_an_error_in_a_thread_is_not_lost(monkeypatch):
    monkeypatch.setattr(_threads.joblib, "cpu_count", lambda: 2)

    def kernel(start, stop, alarm):
        if start > 0:
            raise RuntimeError(f"task {start}")

    with pytest.raises(RuntimeError, match="task"), _threads.limit_threads(2):
        _threads.share_out(kernel, 100)
    assert not [one for one in threading.enumerate() if one.name.startswith("fewest")]
