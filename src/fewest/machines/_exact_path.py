"""The first program of a machine for every C between two values."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from fewest._estimators.validation import check_positive
from fewest._solvers.linear.path import ExactPath, PathSolver, exact_path
from fewest.machines.liknon import Liknon
from fewest.machines.sfm import SupportFeatureMachine


def follow_exactly(
    machine: SupportFeatureMachine | Liknon,
    X: Any,
    y: ArrayLike,
    C_min: float,
    C_max: float,
    max_solutions: int,
) -> ExactPath:
    """The path of a machine with C = 1, whose costs are multiplied by every C."""
    check_positive("C_min", C_min)
    check_positive("C_max", C_max)
    if C_min >= C_max:
        raise ValueError(f"C_min = {C_min} must be below C_max = {C_max}")
    task = machine._binary_task(X, y)
    solver = PathSolver(machine._first_problem(task), task.columns, tol=machine.tol)
    return exact_path(solver, C_min, C_max, max_solutions=max_solutions)
