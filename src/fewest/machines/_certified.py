"""A hard machine whose number of features is proven to be the smallest, or made so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fewest._estimators.base import BinaryTask, Hyperplane
from fewest._solvers.margin import hard_margin
from fewest.minimum.features import search_minimum
from fewest.minimum.result import MinimumResult

_USUAL_SECONDS = 60.0


@dataclass(frozen=True, eq=False)
class CertifiedHyperplane(Hyperplane):
    """A machine, and what is proven about the smallest number of features."""

    minimum: MinimumResult


def certified(
    machine: Hyperplane, task: BinaryTask, certify: bool | float, n_jobs: int | None, verbose: int
) -> CertifiedHyperplane:
    """The machine itself if no smaller set separates strictly, or one on the smallest set."""
    minimum = search_minimum(
        task.columns.X,
        task.y,
        time_limit=_USUAL_SECONDS if certify is True else float(certify),
        n_jobs=n_jobs,
        verbose=verbose,
        start=tuple(machine.result.features.tolist()),
    )
    if minimum.size is None or _is_as_good(machine, task, minimum.size):
        return CertifiedHyperplane(machine.result, machine.w, machine.b, minimum)
    features = minimum.subsets[0]
    plane = hard_margin(task.columns.take(features), task.y)
    if plane is None:  # separable in whole numbers only
        return CertifiedHyperplane(machine.result, machine.w, machine.b, minimum)
    result = replace(
        machine.result,
        features=features,
        w=plane[0],
        b=plane[1],
        slack=np.zeros(len(task.y)),
        zero_norm_objective=float(len(features)),
    )
    return CertifiedHyperplane(result, *plane, minimum)


def _is_as_good(machine: Hyperplane, task: BinaryTask, size: int) -> bool:
    features = machine.result.features
    return len(features) == size and hard_margin(task.columns.take(features), task.y) is not None
