"""Splits of the samples that respect classes and groups, and the error that is measured on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold

from fewest._core.result import IndexArray


def balanced_split(
    codes: IndexArray, groups: NDArray[Any] | None, rng: np.random.RandomState
) -> tuple[IndexArray, IndexArray]:
    """Random Training set with equal classes, and the Monitoring set that belongs to it."""
    order = rng.permutation(len(codes))
    if groups is None:
        members = [order[codes[order] == code] for code in (0, 1)]
        size = min(map(len, members)) // 2
        training = np.concatenate([rows[:size] for rows in members])
        monitoring = np.concatenate([rows[size:] for rows in members])
        return np.sort(training), np.sort(monitoring)
    halves = _group_halves(codes, groups, rng)
    if halves is None:
        raise ValueError(
            "the groups cannot be split into a Training and a Monitoring set that both hold both "
            "classes: more groups are needed"
        )
    inside, monitoring = halves
    order = order[np.isin(order, inside)]
    members = [order[codes[order] == code] for code in (0, 1)]
    size = min(map(len, members))
    return np.sort(np.concatenate([rows[:size] for rows in members])), monitoring


def _group_halves(
    codes: IndexArray, groups: NDArray[Any], rng: np.random.RandomState
) -> tuple[IndexArray, IndexArray] | None:
    """Two random halves of whole groups, each with both classes; None if that fails."""
    for _ in range(20):
        splitter = StratifiedGroupKFold(2, shuffle=True, random_state=rng.randint(2**31 - 1))
        halves = next(splitter.split(np.empty((len(codes), 1)), codes, groups))
        if all(len(np.unique(codes[half])) == 2 for half in halves):
            return halves
    return None


def smallest_class(codes: IndexArray, groups: NDArray[Any] | None) -> tuple[str, int]:
    """Samples of the smaller class, or groups that have samples of it, and what was counted."""
    if groups is None:
        return "sample(s)", int(np.bincount(codes, minlength=2).min())
    return "group(s)", min(len(np.unique(groups[codes == code])) for code in (0, 1))


def balanced_error(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Mean over the classes at hand of the share of their samples that are misclassified."""
    return float(np.mean([np.mean(predicted[y == label] != label) for label in np.unique(y)]))
