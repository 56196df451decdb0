"""Samples that two data sets share: on them, no error is that of new samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from scipy.stats import binom, poisson

from fewest._types import FloatArray
from fewest._wording import counted, listed

# In standard deviations. Values may have been rounded, but many values are near each other.
_TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
_FINE = 1e-4
_LEVEL = 0.001


def count_equal(first: FloatArray, second: FloatArray) -> int:
    """How many rows of `second` are also in `first`, perhaps rounded; 0 if chance may explain it.

    Different samples are equal between data sets no more often than within them. If every column
    has a value of its own, so few are equal by chance that one row can be enough.
    """
    scale = first.std(axis=0)
    varied = scale > 0.0
    if not varied.any() or min(len(first), len(second)) < 2:
        return 0
    known, new = first[:, varied] / scale[varied], second[:, varied] / scale[varied]
    trees = [KDTree(known), KDTree(new)]
    bound = {"p": np.inf, "distance_upper_bound": 2.0 * _TOLERANCES[0]}
    alone = [tree.query(tree.data, k=[2], **bound)[0][:, 0] for tree in trees]
    distance, nearest = trees[0].query(new, **bound)
    beside = np.append(alone[0], 0.0)[nearest]  # where none is near, `nearest` is one too far
    found = []
    for tolerance in _TOLERANCES:
        equal = distance <= tolerance
        n_across = int(np.sum(equal & (alone[1] > tolerance) & (beside > tolerance)))
        n_within = sum(int(np.sum(one <= tolerance)) for one in alone)
        chance = binom.sf(n_across - 1, n_across + n_within, 0.5)
        if not n_within and tolerance <= _FINE:
            expected = len(known) * len(new) * _share_near(known, new, tolerance)
            chance = min(chance, poisson.sf(n_across - 1, expected))
        found.append((chance, tolerance, int(equal.sum())))
    chance, _, n_equal = min(found)
    return n_equal if chance <= _LEVEL else 0


def _share_near(known: FloatArray, new: FloatArray, tolerance: float) -> float:
    """Of pairs of different samples, if columns are independent; from pairs within data sets."""
    logarithm = 0.0
    for column in range(known.shape[1]):
        n_near = n_pairs = 1
        for values in (np.sort(known[:, column]), np.sort(new[:, column])):
            places = np.arange(len(values))
            ends = np.searchsorted(values, values + tolerance, side="right")
            n_near += int(np.sum(ends - 1 - places))
            n_pairs += len(values) * (len(values) - 1) // 2
        logarithm += np.log(n_near / n_pairs)
    return float(np.exp(logarithm))


def find_shared(first: NDArray[Any] | None, second: NDArray[Any] | None) -> list[str]:
    """Names of groups that are in both."""
    if first is None or second is None:
        return []
    known = {str(one) for one in first.tolist()}
    return [str(one) for one in np.unique(second).tolist() if str(one) in known]


def say_overlap(n_equal: int, n_samples: int, shared: list[str], n_groups: int | None) -> str:
    """What both data sets have; empty if nothing was found."""
    found = []
    if n_equal:
        found.append(f"{n_equal} of its {counted(n_samples, 'sample')}")
    if shared:
        found.append(f"{len(shared)} of its {counted(n_groups or 0, 'group')} ({listed(shared)})")
    verb = "is" if (n_equal or len(shared)) == 1 and len(found) == 1 else "are"
    return f"{' and '.join(found)} {verb} also in the first data set" if found else ""
