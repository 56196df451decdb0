"""Ctrl-C while many permutations advance together."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.platforms import needs

SCRIPT = """
import numpy as np
import fewest.significance._together as together
from fewest import SupportFeatureMachine
from fewest._estimators import together as settings
from fewest.significance import permutation_test

settings._WORTH_COMPILING = 0
find = together.find_outcomes

def tell(*given):
    for outcome in find(*given):
        print("going", flush=True)
        yield outcome

together.find_outcomes = tell
X, y = np.random.default_rng(0).standard_normal((60, 3000)), np.arange(60) % 2
hard = SupportFeatureMachine(C=np.inf)
try:
    permutation_test(hard, X, y, statistics="features", n_permutations=50_000, n_jobs={n_jobs})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@needs("POSIX signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_all_problems(n_jobs):
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(n_jobs=n_jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        for line in child.stdout:
            if line.strip() == "going":
                break
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert output.strip().endswith("interrupted"), errors
    assert child.returncode == 0
    assert "Traceback" not in errors
