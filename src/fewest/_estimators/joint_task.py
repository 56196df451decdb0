"""All classes against each other as a solver needs them, and why there may be no solution."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fewest._estimators.rules import Rules, say_rules
from fewest._solvers.columns import Columns
from fewest._solvers.joint.solve import JointResult
from fewest._solvers.terms import Terms
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError

# Pairs of classes with this part of the largest share in a proof are named.
_INVOLVED, _MOST_NAMED = 1e-3, 5


@dataclass(frozen=True, eq=False)
class JointTask:
    """All classes against each other, ready for a solver."""

    columns: Columns
    codes: IndexArray
    sample_weight: FloatArray | None
    error_cost: FloatArray | None  # None: no errors allowed
    names: tuple[str, ...]
    rules: Rules | None = None

    @property
    def feature_cost(self) -> FloatArray | None:
        """What features cost in the first program; None: one each."""
        return None if self.rules is None else self.rules.relative_terms.first_costs()

    @property
    def terms(self) -> Terms | None:
        """What they cost in all programs."""
        return None if self.rules is None else self.rules.relative_terms

    def take(self, rows: IndexArray) -> JointTask:
        """The task of some of the samples, on the scale of all of them."""
        return replace(
            self,
            columns=self.columns.rows(rows),
            codes=self.codes[rows],
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
            error_cost=None if self.error_cost is None else self.error_cost[rows],
        )


def inseparable(task: JointTask, result: JointResult | None = None) -> ValueError:
    """The error that names the pairs of classes which the proof is about, if it came with any."""
    if task.columns.hides_any():
        return unsolved(task)
    n_features, ruled = task.columns.n_features, say_rules(task.rules)
    start = f"the classes cannot be separated from each other without error in these {n_features} "
    advice = "Allow errors with a finite C, for example C=1.0"
    if result is None:
        return NotSeparableError(f"{start}feature(s){ruled} (proven in whole numbers). {advice}")
    flow = np.zeros((len(task.names), len(task.names)))
    np.add.at(flow, task.codes, result.alpha)
    share = np.triu(flow + flow.T)
    pairs = np.argwhere(share > _INVOLVED * share.max())
    named = "; ".join(f"{task.names[a]} and {task.names[b]}" for a, b in pairs[:_MOST_NAMED])
    if task.error_cost is not None:
        return ValueError(
            "the means of some classes are equal in every feature, so the constraints of the "
            f"Support Feature Machine cannot hold ({named}). Add features that differ"
        )
    return NotSeparableError(f"{start}feature(s){ruled} (proven for the classes {named}). {advice}")


def unsolved(task: JointTask) -> ValueError:
    message = (
        "no weights were found that tell all classes apart, nor a proof that there are none. "
        "Samples of different classes that coincide, outliers, or columns that are equal up to "
        "rounding are the usual reason: transform or remove them"
    )
    if task.error_cost is None:
        return NotSeparableError(f"{message}, or allow errors with a finite C, for example C=1.0")
    return ValueError(f"{message}, or lower C")
