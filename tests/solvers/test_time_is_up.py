"""Programs that end because the time is up, after features have joined that were not solved for."""

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import solve as solving
from fewest._solvers.linear.master import Master, TimeIsUpError
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Status


@pytest.mark.parametrize("n", [60, 150])  # with 150 samples, a guess replaces the whole program
def test_the_last_solution_is_returned_with_its_own_features(monkeypatch, n):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, 900)), np.where(np.arange(n) % 2, 1.0, -1.0)
    solve_master, calls = Master.solve, []

    def solve_once(master):
        calls.append(len(master.features))
        if len(calls) > 1:
            raise TimeIsUpError("the time is up")
        return solve_master(master)

    monkeypatch.setattr(Master, "solve", solve_once)
    found = solving.solve(unit_margin(y), scale_columns(X))
    assert len(calls) == 2
    assert calls[0] != calls[1]
    assert found.status is Status.INACCURATE
    assert len(found.warm.features) == len(found.warm.w) == calls[0]
    scores = scale_columns(X).take(found.features) @ found.w + found.b
    assert np.all(y * scores > 1 - 1e-6)
