"""What the hard machine promises: no training error, by the rule of `predict`."""

from __future__ import annotations

import numpy as np

from fewest._estimators.decisions import choose_classes
from fewest._estimators.validation import unscale
from fewest._solvers.columns import Columns
from fewest._solvers.margin import hard_margin
from fewest._types import FloatArray, IndexArray

# Scores below this part of the largest one are zero up to the tolerance of the programs.
_ON_THE_PLANE = 1e-7
# Scores below this part of the terms that they are summed from may be rounding.
_ROUNDING = 1e-12


def are_parted(Z: FloatArray, y: FloatArray, w: FloatArray, b: float) -> bool:
    """Whether some hyperplane on these features has every sample strictly on its side.

    The given one has none on the wrong side, but perhaps some on itself. If another one parts
    those, a little of it added to the given one parts all.
    """
    margins = y * (Z @ w + b)
    tied = margins <= _ON_THE_PLANE * np.abs(margins).max(initial=0.0)
    if np.all(y[tied] > 0) or np.all(y[tied] < 0):  # none, or a shift parts them
        return True
    return hard_margin(Z[tied], y[tied]) is not None


def count_errors(
    columns: Columns, features: IndexArray, codes: IndexArray, W: FloatArray, b: FloatArray
) -> int:
    """Training samples that `predict` puts into another class than their own.

    `W` has one column for two classes, and otherwise one per class. Scores of X as it was given,
    with which `predict` decides, are only computed where rounding matters.
    """
    raw, biases = np.zeros_like(W), np.zeros_like(b)
    for column in range(W.shape[1]):
        raw[:, column], biases[column] = unscale(columns, features, W[:, column], b[column])
    scores = columns.take(features) @ W + b
    chosen = choose_classes(scores)
    terms = np.abs(scores).max(initial=0.0) + np.abs(biases).max(initial=0.0)
    terms += float(np.max(np.abs(columns.mean[features]) @ np.abs(raw), initial=0.0))
    if _measure_lead(scores) <= _ROUNDING * terms:
        chosen = choose_classes(np.asarray(columns.X[:, features] @ raw) + biases)
    return int(np.sum(chosen != codes))


def _measure_lead(scores: FloatArray) -> float:
    """How far the score that decides is ahead, where it is least."""
    if scores.shape[1] == 1:
        return float(np.abs(scores).min())
    ordered = np.partition(scores, -2, axis=1)
    return float((ordered[:, -1] - ordered[:, -2]).min())
