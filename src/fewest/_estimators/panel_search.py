"""Panels of several sizes for the same classes: what they share is computed once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fewest._solvers.joint.panel import JointSelection, choose_panel, solve_panel
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.ridge import PanelChooser
from fewest._solvers.joint.smooth import Rivalry
from fewest._solvers.joint.solve import JointResult
from fewest._types import IndexArray

if TYPE_CHECKING:
    from fewest._estimators.joint_task import JointTask


@dataclass(frozen=True, eq=False)
class PanelSearch:
    """One first program, and panels of any size.

    Features are compared on some of the samples, the `part` (`rows` of the task), if there are very
    many; `problem` is the program of all samples, `part_problem` the one that `first` solves.
    `always` are features that are in every panel.
    """

    task: JointTask
    part: JointTask
    rows: IndexArray
    problem: JointProblem
    part_problem: JointProblem
    first: JointResult
    always: IndexArray
    fills_up: bool = False

    def choose(self, size: int) -> IndexArray:
        """So many features, or all that vary if there are fewer.

        Two classes: those of the best ridge fit. More classes: those of the first program, which
        may be fewer if the rest looks like noise. Where it has none, or exactly so many are wanted,
        the ridge fit adds what is missing.
        """
        chosen = self.always
        if len(self.task.names) > 2:
            assert self.part.error_cost is not None
            chosen = choose_panel(
                self.part_problem,
                self.part.columns,
                self.first,
                size,
                weight=self.part.error_cost,
                always=chosen,
                rivalry=self._rivalry,
            )
            if len(chosen) > len(self.always) and not self.fills_up:
                return chosen
        if len(chosen) >= size:
            return chosen
        return self._chooser.choose(size, chosen, rivalry=self._rivalry)

    def select(self, size: int, *, tol: float) -> JointSelection:
        """The program on a panel of this size, as what the first program led to."""
        assert self.task.error_cost is not None
        first = self.first
        if self.part is not self.task:
            first = _spread(first, self.rows, len(self.task.codes))
        return solve_panel(
            self.problem,
            self.task.columns,
            first,
            self.choose(size),
            error_cost=self.task.error_cost,
            tol=tol,
            terms=self.task.terms,
        )

    @property
    def _rivalry(self) -> Rivalry | None:
        return None if self.task.rules is None else self.task.rules.rivalry

    @cached_property
    def _chooser(self) -> PanelChooser:
        part = self.part
        return PanelChooser(
            part.columns,
            part.codes,
            weight=part.sample_weight,
            class_cost=np.asarray(np.bincount(part.codes, part.error_cost), dtype=np.float64),
        )


def find_candidate_problem(task: JointTask, problem: JointProblem) -> JointProblem:
    """The program that finds candidates for a panel: unit margins, slacks that keep noise out.

    While all margins are violated, sum_k |x_j . v_k| of a standardised feature of noise is about
    sqrt(2 / pi) sum_k sqrt((K - 1)^2 / n_k + sum_(l != k) 1 / n_l) / K times the sum of all slack
    costs, if these are balanced. Where that is 2, the feature is worth its price.
    """
    assert problem.slack_cost is not None
    shares = 1.0 / np.bincount(task.codes)
    K = len(shares)
    spread = np.sqrt((K - 1) ** 2 * shares + shares.sum() - shares).sum()
    total = 2.0 * K / (np.sqrt(2.0 / np.pi) * spread)
    factor = min(1.0, total / float(problem.slack_cost.sum()))
    return JointProblem(
        task.codes,
        factor * problem.slack_cost,
        problem.feature_cost,
        sample_weight=task.sample_weight,
    )


def _spread(result: JointResult, rows: IndexArray, n_samples: int) -> JointResult:
    """A result on some of the samples with values for all of them: zero for the others."""
    slack, alpha = (np.zeros((n_samples, len(result.b))) for _ in range(2))
    slack[rows], alpha[rows] = result.slack, result.alpha
    return replace(result, slack=slack, alpha=alpha)
