"""In how many ways samples or groups could be labelled, and all of these where they are few."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.uncertainty import Labellings
from fewest._types import IndexArray

_MANY = 10**9  # arrangements: nobody lists so many


def count_labellings(codes: IndexArray, groups: NDArray[Any] | None) -> Labellings | None:
    """For groups of one class each; None where samples could have got other classes.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.labellings import count_labellings
    >>> patients = np.repeat(np.arange(8), 10)
    >>> count_labellings(patients % 2, patients)
    Labellings(n_groups=8, n_labellings=70, n_different=35)
    """
    if groups is None:
        return None
    _, first, member = np.unique(groups, return_index=True, return_inverse=True)
    if len(first) == len(codes) or not np.array_equal(codes[first][member], codes):
        return None
    sizes = Counter(codes[first].tolist())
    number = math.factorial(len(first)) // math.prod(map(math.factorial, sizes.values()))
    swaps = math.prod(map(math.factorial, Counter(sizes.values()).values()))
    return Labellings(len(first), number, number // swaps)


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
