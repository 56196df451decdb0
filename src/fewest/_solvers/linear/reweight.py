"""The zero-norm loop shared by the Support Feature Machine and Weston's method.

The number of non-zero weights, plus C_i for every sample that needs a slack, is approached by a
sequence of linear programs: each divides the cost of a weight (and of a slack) by the size it had
in the last one, and what was zero stays zero. Only the first program sees all columns.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fewest._solvers.columns import Columns
from fewest._solvers.linear.master import SolverError
from fewest._solvers.linear.solve import generate, solve
from fewest._solvers.problem import (
    LARGEST_SLACK_COST,
    SMALLEST_SLACK_COST,
    Problem,
    visible_slack_cost,
)
from fewest._solvers.result import Result, Status, WarmStart
from fewest._types import FloatArray, IndexArray

if TYPE_CHECKING:
    from fewest._solvers.linear.vertex import Walker


@dataclass(frozen=True, eq=False)
class ZeroNormResult:
    """The loop's final weights, and the certified linear program behind every step.

    `steps[0]` is the program over all columns; the later ones count columns within the support
    of the step before them. `features` are column numbers of X.
    """

    features: IndexArray
    w: FloatArray
    b: float
    slack: FloatArray
    rhs: float
    zero_norm_objective: float
    steps: tuple[Result, ...]
    converged: bool

    @property
    def n_features_first(self) -> int:
        return self.steps[0].n_features

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def status(self) -> Status:
        statuses = (step.status for step in self.steps)
        return next((one for one in statuses if one is not Status.OPTIMAL), Status.OPTIMAL)

    @property
    def gap(self) -> float:
        """Largest relative duality gap of the steps."""
        return max(step.gap for step in self.steps)

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)


def minimize_zero_norm(
    problem: Problem,
    columns: Columns,
    *,
    error_cost: FloatArray | None = None,
    tol: float = 1e-7,
    max_iter: int = 20,
    warm: WarmStart | None = None,
    first: Result | None = None,
) -> ZeroNormResult:
    """Run the loop until neither the weights nor the samples with slack change.

    `error_cost` is what a sample with slack costs in features. It differs from the first
    program's slack cost by the scale of the columns, and is needed where slacks are allowed.
    `first` is the solution of the first program where that is known already.
    """
    if (error_cost is None) != (problem.slack_cost is None):
        raise ValueError("error costs go with slack costs: give both or none")
    step = first if first is not None else solve(problem, columns, tol=tol, warm=warm)
    steps = [step]
    features = step.features
    converged = step.n_features == 0
    loop = _Loop(problem, columns, error_cost, tol)
    while not converged and len(steps) < max_iter:
        previous, step = step, loop.next(step)
        if not np.isfinite(step.objective):
            # The last solution satisfies this program up to rounding: nothing better exists.
            step, converged = previous, True
            break
        steps.append(step)
        features = features[step.features]
        converged = step.n_features == 0 or _stands_still(previous, step)
    return ZeroNormResult(
        features=features,
        w=step.w,
        b=step.b,
        slack=step.slack,
        rhs=problem.rhs,
        zero_norm_objective=zero_norm_objective(step, error_cost),
        steps=tuple(steps),
        converged=converged,
    )


class _Loop:
    """The programs after the first one, each over the features that the last one left."""

    def __init__(
        self, problem: Problem, columns: Columns, error_cost: FloatArray | None, tol: float
    ) -> None:
        self._problem, self._columns = problem, columns
        self._error_cost, self._tol = error_cost, tol
        self._walker: Walker | None = None

    def next(self, last: Result) -> Result:
        """The program whose costs follow from the last solution, over its features."""
        problem = _reweight(self._problem, last, self._error_cost)
        self._columns = self._columns.subset(last.features)
        step = None
        if self._walker is not None or last.vertex is not None:
            step = self._walk(problem, last)
        return solve(problem, self._columns, tol=self._tol) if step is None else step

    def _walk(self, problem: Problem, last: Result) -> Result | None:
        """The optimum by a walk from the last vertex, if the walk arrives."""
        problem, unit = problem.in_own_unit()
        with suppress(SolverError):
            if self._walker is not None:
                self._walker.reduce_to(last.features, problem)
            else:
                self._walker = _start_walker(last, problem, self._columns)
            step = generate(self._columns, self._walker, tol=self._tol)
            if step.status is Status.OPTIMAL:
                return step.times(unit)
        self._walker = None
        return None


def _start_walker(last: Result, problem: Problem, columns: Columns) -> Walker:
    # Importing it loads the compiler, which pays off only for long series of programs.
    from fewest._solvers.linear.vertex import Walker

    assert last.vertex is not None
    every = np.arange(columns.n_features)
    nothing = np.empty((columns.n_samples, 0))
    return Walker(problem, every, columns.take(every), nothing, every, last.vertex)


def _stands_still(previous: Result, step: Result) -> bool:
    """Whether samples with slack and weights are the same: a weight that moves may yet vanish."""
    return (
        step.n_features == previous.n_features
        and np.array_equal(step.slack > 0.0, previous.slack > 0.0)
        and np.allclose(step.w, previous.w, rtol=1e-4)
    )


def zero_norm_objective(step: Result, error_cost: FloatArray | None) -> float:
    """Number of features plus the cost of every sample that needs a slack."""
    if not np.isfinite(step.objective):
        return float(np.inf)
    if error_cost is None:
        return float(step.n_features)
    return step.n_features + float(error_cost[step.slack > 0.0].sum())


def _reweight(problem: Problem, last: Result, error_cost: FloatArray | None) -> Problem:
    """Costs divided by the last sizes; a slack that was zero is no longer available."""
    slack_cost = None
    if error_cost is not None:
        slack_cost = np.full(problem.n_samples, np.inf)
        used = last.slack > 0.0
        quotient = visible_slack_cost(error_cost)[used] / last.slack[used]
        slack_cost[used] = np.clip(quotient, SMALLEST_SLACK_COST, LARGEST_SLACK_COST)
    return problem.with_costs(1.0 / np.abs(last.w), slack_cost)
