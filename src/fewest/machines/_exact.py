"""Whether classes are separable at all, in whole numbers: the final check of hard machines.

Programs in floating-point numbers cannot tell classes that touch from classes that nearly do.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from fewest._estimators.joint import JointClassifier
from fewest._estimators.joint_task import JointTask
from fewest._estimators.tasks import BinaryTask, Hyperplane
from fewest._solvers.columns import Columns
from fewest._solvers.joint.panel import JointSelection
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.result import Status
from fewest._types import FloatArray, IndexArray

# A program that finds the classes inseparable is asked for an exact proof if columns times samples
# squared are at most this: its word is only in doubt if distances are below 1e-9, and fractions
# take long.
_SMALL_SYSTEM = 20_000
# The largest system whose proof is looked for where programs have found nothing.
_LARGEST_SYSTEM = 300_000


class ExactlyDecided(JointClassifier):
    """A machine that asks whole numbers where its programs are in doubt."""

    def _decide_exactly(
        self, task: BinaryTask, last: ZeroNormResult
    ) -> tuple[bool, Hyperplane | None] | None:
        block, features = _take_raw(task.columns, last.status)
        numbers = None if block is None else _find_weights(block, task.y)
        if numbers is None or (numbers and _are_limited(task)):
            return None  # rules may forbid what separates
        if not numbers:
            return False, None
        raw = _as_floats(numbers)
        kept = raw != 0.0
        features, raw = features[kept], raw[kept]
        w = raw / task.columns.inverse_scale[features]
        b = task.find_middle(features, w)
        result = replace(
            last,
            features=features,
            w=w,
            b=b,
            slack=np.zeros(len(task.y)),
            zero_norm_objective=float(len(features)),
        )
        return True, Hyperplane(result, w, b)

    def _decide_jointly(
        self, task: JointTask, last: JointSelection
    ) -> tuple[bool, tuple[JointSelection, FloatArray, FloatArray] | None] | None:
        n_classes = len(task.names)
        block, features = _take_raw(task.columns, Status.INACCURATE, n_classes)
        if block is None:
            return None
        rows = _lay_out(block, task.codes, n_classes)
        signs = np.repeat([1.0, -1.0], len(rows))  # with their mirror images: no intercept
        numbers = _find_weights(np.vstack([rows, -rows]), signs)
        if numbers is None or (numbers and _are_limited(task)):
            return None
        if not numbers:
            return False, None
        raw = _as_floats(numbers).reshape(n_classes, -1).T
        kept = np.ptp(raw[:-1], axis=1) > 0.0
        features = features[kept]
        W = raw[:-1][kept] / task.columns.inverse_scale[features, None]
        b = raw[-1] + task.columns.mean[features] @ raw[:-1][kept]
        selection = replace(
            last,
            features=features,
            W=W,
            b=b,
            slack=np.zeros(len(task.codes)),
            zero_norm_objective=float(len(features)),
        )
        return True, (selection, W, b)


def _are_limited(task: BinaryTask | JointTask) -> bool:
    return task.rules is not None and task.rules.limit_weights


def _take_raw(
    columns: Columns, status: Status, n_classes: int = 1
) -> tuple[FloatArray | None, IndexArray]:
    """Columns that may be selected, as they were given; None if fractions would take too long."""
    most = _SMALL_SYSTEM if status is Status.INFEASIBLE else _LARGEST_SYSTEM
    features = np.flatnonzero(columns.inverse_scale)
    n_samples = columns.n_samples * max(1, 2 * (n_classes - 1))
    if len(features) * n_classes * n_samples**2 > most:
        return None, features
    block: Any = columns.X[:, features]
    block = block.toarray() if hasattr(block, "toarray") else block
    return np.asarray(block, dtype=np.float64), features


def _find_weights(block: FloatArray, y: FloatArray) -> tuple[int, ...] | None:
    """Whole-number weights that separate the classes; none if nothing does, None if not known."""
    from fewest.minimum._leaves import Separation  # loads a compiler; rarely needed
    from fewest.minimum._separability import find_proof

    _, proof = find_proof(np.asfortranarray(block), y)
    if not isinstance(proof, Separation):
        return () if proof is not None else None
    weights = np.zeros(block.shape[1], dtype=object)
    weights[list(proof.columns)] = proof.weights[0]
    return tuple(weights)


def _lay_out(block: FloatArray, codes: IndexArray, n_classes: int) -> FloatArray:
    """One row per sample and rival: its product with all weights and biases must be positive."""
    with_one = np.column_stack([block, np.ones(len(block))])
    rows = []
    for sample, own in zip(with_one, codes, strict=True):
        for rival in range(n_classes):
            if rival != own:
                row = np.zeros((n_classes, len(sample)))
                row[own], row[rival] = sample, -sample
                rows.append(row.ravel())
    return np.array(rows)


def _as_floats(numbers: tuple[int, ...]) -> FloatArray:
    """Whole numbers of any size, as parts of the largest."""
    largest = max(abs(number) for number in numbers)
    return np.array([float(Fraction(number, largest)) for number in numbers])
