"""Values of C worth trying for a Support Feature Machine, between the ends of its path over C."""

from __future__ import annotations

import numpy as np

from fewest._estimators.base import BinaryTask
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import SMALLEST_SLACK_COST
from fewest._solvers.result import Status
from fewest._types import FloatArray
from fewest.machines._sfm_along import NEARLY_HARD, unit_cost
from fewest.machines.sfm import SupportFeatureMachine

# The smallest C: a feature has to correct two errors, or, for many samples, errors of all of them
# together cost this many features. Below that, one feature is all that is selected, and candidates
# that differ by chance only make the choice worse.
_LEAST_COST, _LEAST_TOTAL_COST = 0.5, 25.0
# The largest finite C, in units of the smallest: the C from which on the first program is that of
# the hard machine, but within these bounds. The reweighting loop trades errors for features beyond
# that point, too; and where classes overlap there is no such point.
_NARROWEST, _WIDEST = 8.0, 16.0


def find_candidate_costs(
    machine: SupportFeatureMachine, tasks: list[BinaryTask], count: int, *, include_hard: bool
) -> FloatArray:
    """At most `count` values in increasing order; infinity last where the classes are separable.

    The tasks have the costs of C = 1.
    """
    ends = [_find_path_end(machine, task) for task in tasks]
    with_hard = include_hard and not any(np.isinf(end) for end in ends)
    low = max(map(_find_path_start, tasks))
    high = low * float(np.clip(max(ends) / low, _NARROWEST, _WIDEST))
    steepest = max(float(unit_cost(task).max()) for task in tasks)
    high = max(low, min(high, NEARLY_HARD / steepest))
    values = np.geomspace(low, high, count - with_hard)
    return np.append(values, np.inf) if with_hard else values


def _find_path_start(task: BinaryTask) -> float:
    """The C below which one feature is left, and its errors are not worth another one."""
    assert task.error_cost is not None
    start = min(
        _LEAST_COST,
        _LEAST_TOTAL_COST / float(task.error_cost.sum()),
    )
    return max(start, SMALLEST_SLACK_COST / float(unit_cost(task).min()))


def _find_path_end(machine: SupportFeatureMachine, task: BinaryTask) -> float:
    """The C from which on the first program is that of the hard machine; infinite for overlap."""
    hard = solve(machine._first_problem(task).with_slack_cost(None), task.columns, tol=machine.tol)
    if hard.status is not Status.OPTIMAL:
        return np.inf
    return float((hard.alpha / unit_cost(task)).max())
