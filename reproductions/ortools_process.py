"""GLOP and PDLP in a process of their own: OR-Tools brings a HiGHS that cannot share one with ours.

The process reads pickled programs from its input until that is closed, and answers each with the
solution (None if there is none) and the seconds that the solver took.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np


def solve(name: str, limit: float, *model: Any) -> tuple[np.ndarray | None, float]:
    """Hand a model to the process, which the first call starts."""
    process = _start()
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump((name, limit, model), process.stdin)
    process.stdin.flush()
    return pickle.load(process.stdout)


@cache
def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "reproductions.ortools_process"],
        cwd=Path(__file__).resolve().parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def _answer(name: str, limit: float, model: Any) -> tuple[np.ndarray | None, float]:
    from ortools.linear_solver.python import model_builder_helper as ortools

    helper = ortools.ModelBuilderHelper()
    helper.fill_model_from_sparse_data(*model)
    solver = ortools.ModelSolverHelper(name)
    solver.set_time_limit_in_seconds(limit)
    start = time.perf_counter()
    solver.solve(helper)
    seconds = time.perf_counter() - start
    solved = solver.has_response() and solver.status() == ortools.SolveStatus.OPTIMAL
    return (np.array(solver.variable_values()) if solved else None), seconds


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what solvers print must not mix with the answers
    while True:
        try:
            name, limit, model = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(_answer(name, limit, model), answers)
        answers.flush()


if __name__ == "__main__":
    main()
