"""In how many ways samples or groups could be labelled, and all of these where they are few."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.uncertainty import Labellings
from fewest._types import IndexArray

_ALIKE = 2.0  # so far may the averages of classes be apart
_MANY = 10**9  # arrangements: nobody lists so many


def count_labellings(codes: IndexArray, groups: NDArray[Any] | None) -> Labellings | None:
    """For groups of one class each; None where samples could have got other classes.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.labellings import count_labellings
    >>> patients = np.repeat(np.arange(8), 10)
    >>> count_labellings(patients % 2, patients)
    Labellings(n_groups=8, n_labellings=70, n_different=35, are_alike=True)
    """
    if groups is None:
        return None
    _, first, member = np.unique(groups, return_index=True, return_inverse=True)
    if len(first) == len(codes) or not np.array_equal(codes[first][member], codes):
        return None
    return Labellings(len(first), *count_ways(codes[first]), are_groups_alike(codes, groups))


def count_ways(labels: NDArray[Any]) -> tuple[int, int]:
    """In how many ways labels can change places; and how many differ in more than their names."""
    sizes = Counter(labels.tolist())
    number = math.factorial(len(labels)) // math.prod(map(math.factorial, sizes.values()))
    swaps = math.prod(map(math.factorial, Counter(sizes.values()).values()))
    return number, number // swaps


def are_groups_alike(y: NDArray[Any], groups: NDArray[Any]) -> bool:
    """Whether groups of all classes, of which each has one, have about as many samples.

    What varies with the size of a group is its mean, by the inverse: so its average is compared.
    """
    _, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    labels = y[first]
    means = [float(np.mean(1.0 / sizes[labels == label])) for label in np.unique(labels)]
    return max(means) <= _ALIKE * min(means)


def note_sizes(y: NDArray[Any], groups: NDArray[Any] | None) -> None:
    """Warn where labels of whole groups cannot change places as if groups were alike."""
    if groups is not None and not are_groups_alike(y, groups):
        warnings.warn(
            "groups of one class have more samples than those of another, and their means vary "
            "less: p-values that compare whole groups may be too small. Trust the interval of the "
            "error, or take as many samples of every group",
            stacklevel=3,
        )


def count_arrangements(y: NDArray[Any], members: Sequence[IndexArray]) -> int:
    """In how many ways labels can change places among these samples, with theirs."""
    number = 1
    for rows in members:
        counts = np.unique(y[rows], return_counts=True)[1].tolist()
        number *= math.factorial(len(rows)) // math.prod(map(math.factorial, counts))
        if number > _MANY:
            break
    return number


def list_others(y: NDArray[Any], members: Sequence[IndexArray]) -> NDArray[Any]:
    """All labellings but this one, each once: the test is then exact."""
    found = y[None].copy()
    for rows in members:
        ways = np.array(_arrange(sorted(y[rows].tolist())), dtype=y.dtype)
        found = np.repeat(found, len(ways), axis=0)
        found[:, rows] = np.tile(ways, (len(found) // len(ways), 1))
    return found[np.any(found != y, axis=1)]


def _arrange(labels: list[Any]) -> list[list[Any]]:
    """All different orders of sorted labels."""
    if not labels:
        return [[]]
    return [
        [label, *rest]
        for label in dict.fromkeys(labels)
        for rest in _arrange(_without(labels, label))
    ]


def _without(labels: list[Any], label: Any) -> list[Any]:
    place = labels.index(label)
    return labels[:place] + labels[place + 1 :]
