"""The search for the smallest set after a fork: it once died, or hung in joblib's processes."""

from __future__ import annotations

import subprocess
import sys

import pytest

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


@needs("POSIX signals")
@pytest.mark.parametrize(
    ("code", "printed"),
    [(_FORK, [3, 13, 3]), (_JOBLIB, [3] * 4), (_POOL, [3] * 4)],
    ids=["fork", "joblib", "pool"],
)
def test_after_a_fork(code, printed):
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _DATA + code],
        capture_output=True,
        text=True,
        timeout=240,
        start_new_session=True,  # processes that hang are ended with their group
    )
    assert found.returncode == 0, found.stderr
    assert [int(word) for word in found.stdout.split()] == printed
