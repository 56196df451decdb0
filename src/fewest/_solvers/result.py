"""What a solve returns: the solution, its certificate, and what the next solve may start from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from fewest._showing import Shown, list_shortly
from fewest._types import FloatArray, IndexArray


class Status(StrEnum):
    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"  # proven by a Farkas vector, kept in `alpha` and `multiplier`
    INACCURATE = "inaccurate"  # the gap stayed above the tolerance, perhaps at infinity


# An objective below its bound by more than this part of it is none: it violates constraints that
# decide it.
_BELOW = 1e-6


def is_gap_closed(objective: float, bound: float, tol: float) -> bool:
    """Whether the bound proves the objective, and does not refute it."""
    size = max(1.0, abs(objective))
    return -_BELOW * size <= objective - bound <= tol * size


def relative_gap(objective: float, bound: float) -> float:
    """Zero is a proof of optimality (or, both infinite, of infeasibility)."""
    if not np.isfinite(objective):
        return 0.0 if bound == objective else float(np.inf)
    return max(0.0, objective - bound) / max(1.0, abs(objective))


@dataclass(frozen=True, eq=False, repr=False)
class WarmStart(Shown):
    """Where a later, similar solve may begin: the columns and rows that mattered.

    `w` (a weight per feature) and `b` are the hyperplane, where it is known.
    """

    features: IndexArray
    samples: IndexArray
    w: FloatArray | None = None
    b: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Result(Shown):
    """Solution of one linear program, with primal and dual value recomputed from the data.

    `features` and `w` list the non-zero weights only (increasing column index); `w`, `b` refer to
    the standardised columns. `alpha` (one value per sample) and `multiplier` (of the equality) are
    the dual solution that proves `bound`, and `dual` is the vector v made of them. For an
    infeasible program they are a Farkas proof, and `objective` is infinite.
    """

    features: IndexArray
    w: FloatArray
    b: float
    slack: FloatArray = field(repr=False)
    alpha: FloatArray = field(repr=False)
    multiplier: float = field(repr=False)
    dual: FloatArray = field(repr=False)
    objective: float
    bound: float
    violation: float = field(repr=False)
    status: Status
    rounds: int
    seconds: float
    warm: WarmStart = field(repr=False)
    # Samples on their limit, where a walk may start.
    vertex: IndexArray | None = field(default=None, repr=False)

    def times(self, unit: float) -> Result:
        """The result of the program whose costs are all `unit` times larger."""
        return replace(
            self,
            alpha=self.alpha * unit,
            multiplier=self.multiplier * unit,
            dual=self.dual * unit,
            objective=self.objective * unit,
            bound=self.bound * unit,
        )

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.bound)

    @property
    def n_features(self) -> int:
        return len(self.features)


class Series:
    """What a series of programs has in common, whatever its `steps` and last `features` are."""

    features: IndexArray
    steps: tuple[Any, ...]

    def __post_init__(self) -> None:
        list_shortly(self, "steps")

    @property
    def n_features_first(self) -> int:
        return int(self.steps[0].n_features)

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
        return float(max(step.gap for step in self.steps))

    @property
    def seconds(self) -> float:
        return float(sum(step.seconds for step in self.steps))
