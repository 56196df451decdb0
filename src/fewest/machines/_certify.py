"""The hyperplane on the smallest number of features: proven, or found and taken instead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fewest._estimators.rules import Rules
from fewest._estimators.tasks import BinaryTask, Hyperplane
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray
from fewest.minimum import MinimumResult
from fewest.minimum._features import search_minimum
from fewest.minimum._prices import Prices
from fewest.minimum._signs import separate_with_signs

_USUAL_SECONDS = 60.0


def certify(
    plane: Hyperplane,
    task: BinaryTask,
    max_seconds: float | None,
    n_jobs: int | None,
    verbose: int,
) -> Hyperplane:
    """The hyperplane itself if no smaller set separates strictly, or one on the smallest set.

    Under rules about features the cheapest set takes the place of the smallest. The search has what
    the programs have left of a time limit.
    """
    minimum = search_minimum(
        task.columns.X,
        task.y,
        max_seconds=_USUAL_SECONDS if max_seconds is None else current_watch().seconds_left,
        n_jobs=n_jobs,
        verbose=verbose,
        rules=_find_rules(task),
        start=tuple(plane.result.features.tolist()),
    )
    if minimum.size is None or _is_as_good(plane, task, minimum):
        return replace(plane, minimum=minimum)
    features = minimum.subsets[0]
    margin = _find_margin(task, features)
    if margin is None:  # separable in whole numbers only
        return replace(plane, minimum=minimum)
    w, b = margin
    result = replace(
        plane.result,
        features=features,
        w=w,
        b=b,
        slack=np.zeros(len(task.y)),
        zero_norm_objective=float(len(features))
        if task.terms is None
        else task.terms.total(features),
    )
    return Hyperplane(result, w, b, minimum=minimum)


def keeps_rules(plane: Hyperplane, task: BinaryTask) -> bool:
    """Whether no group has several features where it may have one only."""
    features = plane.result.features
    return task.rules is None or not len(task.rules.find_crowded(features, np.ones(len(features))))


def _find_rules(task: BinaryTask) -> Rules | None:
    """The rules, which also exclude what is lower in a class than it must be."""
    if task.rules is None:
        return None
    barred = (task.columns.inverse_scale == 0.0) & ~task.rules.included
    return replace(task.rules, excluded=task.rules.excluded | barred)


def _is_as_good(plane: Hyperplane, task: BinaryTask, minimum: MinimumResult) -> bool:
    """Whether the machine's own set costs no more, by the exact prices of the search."""
    features = plane.result.features
    total = len if task.rules is None else Prices.read(task.rules).total
    return (
        total(features) <= total(minimum.subsets[0])
        and keeps_rules(plane, task)
        and _find_margin(task, features) is not None
    )


def _find_margin(task: BinaryTask, features: IndexArray) -> tuple[FloatArray, float] | None:
    """The largest margin on these features, or a hyperplane whose weights have their signs."""
    margin = task.find_hard_margin(features)
    signs = None if task.rules is None else task.rules.weight_signs
    if margin is None or signs is None or not np.any(signs[features] * margin[0] < 0.0):
        return margin
    block = task.columns.take(features)
    w, _ = separate_with_signs(block, task.y, signs[features])
    scores = block @ w
    low, high = scores[task.y < 0].max(), scores[task.y > 0].min()
    return (w, -float(low + high) / 2.0) if low < high else None
