"""One class against another as a solver needs it, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._estimators.rules import RULES_FAILED, Rules, say_rules
from fewest._estimators.validation import mask_columns
from fewest._solvers.columns import Columns
from fewest._solvers.linear.master import SolverError
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.margin import hard_margin, soft_margin
from fewest._solvers.problem import Problem, visible_slack_cost
from fewest._solvers.result import Status
from fewest._solvers.terms import Terms
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError

if TYPE_CHECKING:
    from fewest._estimators.joint_task import JointTask


@dataclass(frozen=True, eq=False)
class BinaryTask:
    """One class against another (or all others), ready for a solver."""

    columns: Columns
    y: FloatArray
    sample_weight: FloatArray | None
    error_cost: FloatArray | None  # None: no errors allowed
    name: str
    rules: Rules | None = None
    is_signed: bool = False  # the programs know which signs weights may have

    def price(self, problem: Problem) -> Problem:
        """The program with what the rules say of features."""
        if self.rules is None:
            return problem
        sign = self.rules.weight_signs if self.is_signed else None
        return replace(
            problem, feature_cost=self.rules.relative_terms.first_costs(), feature_sign=sign
        )

    @property
    def terms(self) -> Terms | None:
        """What they cost in all programs."""
        return None if self.rules is None else self.rules.relative_terms

    def find_hard_margin(self, features: IndexArray) -> tuple[FloatArray, float] | None:
        """Hyperplane of the largest margin on these features; None if they do not separate."""
        return hard_margin(self.columns.take(features), self.y)

    def find_middle(self, features: IndexArray, w: FloatArray) -> float:
        """The bias halfway between the classes along these weights."""
        scores = self.columns.project(features, w)
        return float(-(scores[self.y > 0].min() + scores[self.y < 0].max()) / 2.0)

    def find_margin_of(self, block: FloatArray, rows: IndexArray) -> tuple[FloatArray, float]:
        """The largest margin on some of the samples, whose selected columns these are."""
        y = self.y[rows]
        found = hard_margin(block, y) if self.error_cost is None else None
        if found is not None:
            return found
        cost = np.full(len(y), np.inf) if self.error_cost is None else self.error_cost[rows]
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        return soft_margin(block, y, cost, weight)

    def find_soft_margin(self, features: IndexArray) -> tuple[FloatArray, float]:
        """The same where errors are left, at the cost of the task."""
        cost = self.error_cost if self.error_cost is not None else np.full(len(self.y), np.inf)
        return soft_margin(self.columns.take(features), self.y, cost, self.sample_weight)


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """A solved task: its programs, and the hyperplane on standardised columns to predict with.

    `subsets` are the disjoint sets of features that it joins, if there are several; `minimum` is
    what was proven about the smallest number of features, and `is_late` says that there was no time
    for the largest margin: the weights are those of the program.
    """

    result: ZeroNormResult
    w: FloatArray
    b: float
    subsets: tuple[IndexArray, ...] = ()
    minimum: Any = None
    is_late: bool = False


def solve_by_rules(
    task: BinaryTask, solve: Callable[..., ZeroNormResult], **known: Any
) -> ZeroNormResult:
    """Solve a task; again with signs, or without features that share a group with a larger one.

    Weights mostly have the signs that the class means have, and programs are faster if they need
    not know. What is known of the first program serves the first time.
    """
    result, narrowed = solve(task, **known), False
    rules = task.rules
    while rules is not None and np.isfinite(result.zero_norm_objective):
        if len(rules.find_turned(result.features, result.w)) and not task.is_signed:
            task = replace(task, is_signed=True)
        else:
            crowded = rules.find_crowded(result.features, np.abs(result.w))
            if not len(crowded):
                break
            task, narrowed = replace(task, columns=mask_columns(task.columns, crowded)), True
        result = solve(task)
    if narrowed and result.status is Status.INFEASIBLE:
        raise NotSeparableError(RULES_FAILED)
    return result


def slack_cost_of_first_program(
    task: BinaryTask | JointTask, *, scale_samples: bool = True
) -> FloatArray | None:
    """Slack costs on standardised columns; None where no errors are allowed.

    Klement et al. (2013) scale samples to norm one, while standardised samples have the
    (root-mean-square) norm sqrt(number of columns that vary). So their weights are larger by that
    factor, compared with the slacks.
    """
    if task.error_cost is None:
        return None
    norm = np.sqrt(task.columns.n_usable) if scale_samples else 1.0
    return visible_slack_cost(task.error_cost / norm)


def inseparable(task: BinaryTask) -> ValueError:
    if task.columns.hides_any():
        return unsolved(task)
    if task.error_cost is None:
        return NotSeparableError(
            f"class {task.name} cannot be separated without error from the rest by any hyperplane "
            f"in these {task.columns.n_features} feature(s){say_rules(task.rules)} (proven). "
            "Allow errors with a finite C, for example C=1.0"
        )
    return ValueError(
        f"the means of class {task.name} and of the rest are equal in every feature, so the "
        "equality of the Support Feature Machine cannot hold. Add features that differ"
    )


@contextmanager
def solved(task: BinaryTask) -> Iterator[None]:
    """Within it, a solver that gives up says what is usually the reason."""
    try:
        yield
    except SolverError as error:
        raise unsolved(task) from error


def unsolved(task: BinaryTask) -> ValueError:
    message = (
        f"no hyperplane for class {task.name} was found, nor a proof that there is none. Outliers, "
        "or columns that are equal up to rounding, are the usual reason: transform or remove them"
    )
    if task.error_cost is None:
        return NotSeparableError(f"{message}, or allow errors with a finite C, for example C=1.0")
    return ValueError(f"{message}, or lower C")
