"""The hyperplane on the smallest number of features: proven, or found and taken instead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fewest._estimators.tasks import BinaryTask, Hyperplane
from fewest.minimum._features import search_minimum

_USUAL_SECONDS = 60.0


def certify(
    plane: Hyperplane,
    task: BinaryTask,
    max_seconds: float | None,
    n_jobs: int | None,
    verbose: int,
) -> Hyperplane:
    """The hyperplane itself if no smaller set separates strictly, or one on the smallest set."""
    minimum = search_minimum(
        task.columns.X,
        task.y,
        max_seconds=_USUAL_SECONDS if max_seconds is None else float(max_seconds),
        n_jobs=n_jobs,
        verbose=verbose,
        start=tuple(plane.result.features.tolist()),
    )
    if minimum.size is None or _is_as_good(plane, task, minimum.size):
        return replace(plane, minimum=minimum)
    features = minimum.subsets[0]
    margin = task.find_hard_margin(features)
    if margin is None:  # separable in whole numbers only
        return replace(plane, minimum=minimum)
    w, b = margin
    result = replace(
        plane.result,
        features=features,
        w=w,
        b=b,
        slack=np.zeros(len(task.y)),
        zero_norm_objective=float(len(features)),
    )
    return Hyperplane(result, w, b, minimum=minimum)


def _is_as_good(plane: Hyperplane, task: BinaryTask, size: int) -> bool:
    features = plane.result.features
    return len(features) == size and task.find_hard_margin(features) is not None
