"""Outer folds, and random Training and Monitoring sets within each of them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.splits import count_smallest_class, split_balanced, split_folds
from fewest._types import IndexArray


@dataclass(frozen=True, eq=False)
class MonitoredSplit:
    """Rows of X for one split of the samples outside an outer fold."""

    fold: int
    split: int
    training: IndexArray
    monitoring: IndexArray


def random_folds(
    cv: Any,
    y: NDArray[Any],
    codes: IndexArray,
    groups: NDArray[Any] | None,
    rng: np.random.RandomState,
) -> list[tuple[IndexArray, IndexArray]]:
    """Samples outside and inside of each fold; a number of folds means stratified random ones."""
    if not isinstance(cv, Integral):
        return split_folds(cv, y, groups)
    unit, least = count_smallest_class(codes, groups)
    if least < cv:
        raise ValueError(
            f"the smallest class has {least} {unit}, too few for cv={cv} folds: lower cv"
        )
    return split_folds(cv, y, groups, random_state=rng.randint(2**31 - 1))


def inner_splits(
    folds: list[tuple[IndexArray, IndexArray]],
    n_splits: int,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    rng: np.random.RandomState,
) -> list[MonitoredSplit]:
    """All random splits, drawn before any work so that n_jobs cannot change them."""
    splits = []
    for fold, (development, _) in enumerate(folds):
        own_groups = None if groups is None else groups[development]
        unit, least = count_smallest_class(codes[development], own_groups)
        if least < 2:
            raise ValueError(
                f"a class has {least} {unit} outside fold {fold + 1}, too few for a Training "
                "and a Monitoring set: at least 2 are needed. Lower cv, or add samples"
            )
        for split in range(n_splits):
            rows = split_balanced(codes[development], own_groups, rng)
            splits.append(MonitoredSplit(fold, split, *(development[part] for part in rows)))
    return splits
