"""What very many samples need: members of groups by one sort, and subsamples that are stated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from fewest._types import IndexArray

# Pairs of samples are compared for at most this many: their matrix takes 32 MB.
MOST_COMPARED = 2_000


def find_members(values: NDArray[Any]) -> list[IndexArray]:
    """The rows of each different value, both in increasing order; one sort for any number of them.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.many_samples import find_members
    >>> [rows.tolist() for rows in find_members(np.array(["b", "a", "b"]))]
    [[1], [0, 2]]
    """
    codes = np.unique(values, return_inverse=True)[1].ravel()
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])


def hold_several(values: NDArray[Any], groups: NDArray[Any]) -> NDArray[np.bool_]:
    """For each group, in increasing order, whether it holds more than one value."""
    of_values, of_groups = (np.unique(one, return_inverse=True)[1] for one in (values, groups))
    lowest = np.full(of_groups.max() + 1, len(values))
    highest = np.full(of_groups.max() + 1, -1)
    np.minimum.at(lowest, of_groups, of_values)
    np.maximum.at(highest, of_groups, of_values)
    return lowest < highest


def draw_subsample(y: NDArray[Any], most: int | None, random_state: Any = 0) -> IndexArray:
    """At most this many rows, in increasing order, drawn in proportion to the sizes of the classes.

    Every class keeps at least two samples (if it has them). All rows if there are no more than
    `most`, or if that is None.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.many_samples import draw_subsample
    >>> y = np.repeat([0, 1], [900, 100])
    >>> np.bincount(y[draw_subsample(y, 50)])
    array([45,  5])
    >>> len(draw_subsample(y, None))
    1000
    """
    if most is None or len(y) <= most:
        return np.arange(len(y))
    rng = check_random_state(random_state)
    members = find_members(y)
    counts = np.array([len(rows) for rows in members])
    sizes = np.minimum(counts, np.maximum(2, np.round(most * counts / len(y)).astype(np.intp)))
    largest = int(sizes.argmax())  # makes up for the rounding
    sizes[largest] = max(2, min(counts[largest], sizes[largest] + most - sizes.sum()))
    pairs = zip(members, sizes, strict=True)
    drawn = [rng.choice(rows, size, replace=False) for rows, size in pairs]
    return np.sort(np.concatenate(drawn))
