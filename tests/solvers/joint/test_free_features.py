"""Features that cost next to nothing, as those that are always in do."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.solve import solve_joint
from fewest._solvers.result import Status
from fewest.datasets import make_gaussian
from fuzzing.oracles.joint import joint_optimum


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_equal_to_the_full_program(seed, n_classes):
    """Their prices swing by a thousand times what those of others do, and they may leave once."""
    X, y = make_gaussian(n=40, d=12, k=4, mu=1.2, random_state=seed)
    codes = (y > 0).astype(np.intp)
    if n_classes == 3:
        codes[::3] = 2
    price = np.where(np.isin(np.arange(12), [9, 10]), 1e-3, 1.0)
    cost = np.full(40, 0.15)
    found = solve_joint(JointProblem(codes, cost, price), scale_columns(X))
    assert found.status is Status.OPTIMAL
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    wanted = joint_optimum(Z, codes, cost, price, means_apart=False).value
    assert found.objective == pytest.approx(wanted, rel=1e-6)
