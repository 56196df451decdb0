"""Labellings that chance might have made: classes change places, within groups or with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def choose_exchange(y: NDArray[Any], groups: NDArray[Any] | None) -> str:
    """How labels change places: "within" groups, or "whole" groups if each has one class."""
    return "whole" if groups is not None and not _mixed(y, groups) else "within"


def permute_labels(
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    n_permutations: int,
    rng: np.random.RandomState,
    *,
    exchange: str = "within",
    parts: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Permuted labels, one row per permutation; a ValueError if the groups do not allow any.

    Whole groups change places within `parts` only, where these are given: one per sample.
    """
    if groups is None:
        return _permute_within(y, np.zeros(len(y)), n_permutations, rng)
    mixed = _mixed(y, groups)
    if exchange == "within":
        if not mixed:
            raise ValueError(
                "every group holds a single class, so no label can move within its group. "
                "Permute the labels of whole groups with exchange='whole'"
            )
        return _permute_within(y, groups, n_permutations, rng)
    if mixed:
        raise ValueError(
            "exchange='whole' needs groups of one class each, but some hold several. Permute "
            "their labels with exchange='within'"
        )
    _, first, member = np.unique(groups, return_index=True, return_inverse=True)
    blocks = np.zeros(len(first)) if parts is None else parts[first]
    return _permute_within(y[first], blocks, n_permutations, rng)[:, member]


def _mixed(y: NDArray[Any], groups: NDArray[Any]) -> bool:
    return any(len(np.unique(y[groups == group])) > 1 for group in np.unique(groups))


def _permute_within(
    y: NDArray[Any], blocks: NDArray[Any], n_permutations: int, rng: np.random.RandomState
) -> NDArray[Any]:
    members = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    permuted = np.tile(y, (n_permutations, 1))
    for labels in permuted:
        for rows in members:
            labels[rows] = rng.permutation(labels[rows])
    return permuted
