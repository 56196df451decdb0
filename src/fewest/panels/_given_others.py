"""Whether a feature tells the classes apart beyond what the other features of a panel say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.labellings import are_groups_alike
from fewest._estimators.splits import choose_exchange
from fewest._run.budget import Budget
from fewest._solvers.watch import Watch, current_watch, watching
from fewest._types import BoolArray, FloatArray, IndexArray

_RANK_TOLERANCE = 1e-10  # relative to the largest singular value
_LEAST_OWN = 1e-16  # part of the variance of a feature that is rounding
_MOST_NUMBERS = 1 << 18  # of permuted values at a time, which the cache holds
_TIE = 1e-10  # statistics that differ by less are equal


def find_basis(block: FloatArray) -> FloatArray:
    """Orthonormal columns that span those of the block."""
    if block.shape[1] == 0:
        return block
    left, singular, _ = np.linalg.svd(block, full_matrices=False)
    return left[:, singular > _RANK_TOLERANCE * max(singular[0], np.finfo(float).tiny)]


def measure_given_others(
    values: FloatArray,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    places: Iterable[int],
    *,
    n_permutations: int,
    rng: np.random.RandomState,
    budget: Budget,
) -> tuple[list[float | None], int]:
    """p-values of some columns of `values` given the others, and the permutations behind each.

    All have as many permutations as the one that has fewest in an equal part of the time. Without
    any there are no p-values. A p-value is None, too, if samples are too few for it.
    """
    left, reached, n_done = list(places), list[BoolArray | None](), n_permutations
    while left:
        seconds = budget.left / len(left)
        with watching(Watch(seconds)):
            counted = _find_reached(values, codes, groups, left.pop(0), n_permutations, rng)
        reached.append(counted)
        n_done = n_done if counted is None else min(n_done, len(counted))
    p_values = [
        None if one is None or not n_done else (1 + int(np.sum(one[:n_done]))) / (1 + n_done)
        for one in reached
    ]
    return p_values, n_done


def _find_reached(
    values: FloatArray,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    place: int,
    n_permutations: int,
    rng: np.random.RandomState,
) -> BoolArray | None:
    r"""Which permutations do as well as the data, until time is up; None if samples are too few.

    None also where whole groups would change places although those of one class are much smaller.

    With the feature x, the others Z and indicators D of the classes, it is the test of Freedman and
    Lane (1983) of D in the linear model :math:`x = a + Z b + D c + e`: what Z leaves of x is
    permuted, and the share of it that D explains is compared. For normal x this is the permutation
    form of Rao's test whether a feature adds to a linear discriminant.
    """
    are_whole = choose_exchange(codes, groups) == "whole"
    if groups is not None and are_whole and not are_groups_alike(codes, groups):
        return None
    x, Z, D, blocks = _prepare(values, codes, groups, place)
    basis = find_basis(Z)
    residual = x - basis @ (basis.T @ x)
    own = find_basis(D - basis @ (basis.T @ D)) if D.size else D
    n_free = len(x) - len(np.unique(blocks)) - basis.shape[1] - own.shape[1]
    if own.shape[1] == 0 or n_free < 1:
        return None
    length = float(residual @ residual)
    if length <= _LEAST_OWN * max(float(x @ x), np.finfo(float).tiny):
        return np.ones(n_permutations, dtype=bool)  # the others have all that it says
    home = np.argsort(blocks, kind="stable")
    basis, own = basis[home], own[home]

    def explain(permuted: FloatArray) -> FloatArray:
        """Share of the residual that the classes explain, of every row."""
        left = length - np.sum((permuted @ basis) ** 2, axis=1)
        return np.sum((permuted @ own) ** 2, axis=1) / left

    least = explain(residual[home][None])[0] * (1.0 - _TIE)
    at_once, reached = max(1, _MOST_NUMBERS // len(x)), [np.zeros(0, dtype=bool)]
    for start in range(0, n_permutations, at_once):
        if current_watch().is_over:
            break
        number = min(at_once, n_permutations - start)
        # Within every block, an order at random.
        order = np.argsort(blocks + rng.random_sample((number, len(x))), axis=1)
        reached.append(explain(residual[order]) >= least)
    return np.concatenate(reached)


def _prepare(
    values: FloatArray, codes: IndexArray, groups: NDArray[Any] | None, place: int
) -> tuple[FloatArray, FloatArray, FloatArray, NDArray[np.intp]]:
    """Feature, others and indicators, centred within the blocks in which samples change places.

    Without groups all samples are one block. Groups of one class each become one sample each, their
    mean; groups of several classes are blocks.
    """
    indicators = np.eye(int(codes.max()) + 1)[codes]
    blocks = np.zeros(len(codes), dtype=np.intp)
    if groups is not None:
        members = np.unique(groups, return_inverse=True)[1]
        if choose_exchange(codes, groups) == "whole":
            values, indicators = (_average(one, members) for one in (values, indicators))
            blocks = np.zeros(len(values), dtype=np.intp)
        else:
            blocks = members
    values, indicators = (one - _average(one, blocks)[blocks] for one in (values, indicators))
    # The others on one scale, or a rank could not be told from rounding.
    deviation = np.sqrt(np.mean(values**2, axis=0))
    values = values / np.where(deviation > 0.0, deviation, 1.0)
    return values[:, place], np.delete(values, place, axis=1), indicators, blocks


def _average(values: FloatArray, members: NDArray[np.intp]) -> FloatArray:
    """Means of the rows of each member."""
    sums = np.zeros((int(members.max()) + 1, values.shape[1]))
    np.add.at(sums, members, values)
    return sums / np.bincount(members)[:, None]
