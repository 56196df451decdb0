"""The fewest errors that thresholds leave on one column, for two classes or more.

Any two classes are separated on a line if each class has an interval of its own. So the intervals
of some classes follow each other, and all other samples are wrong. All orders of the classes are
tried together: what matters is which classes have had their interval already.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fewest._types import FloatArray, IndexArray

MOST_CLASSES = 10  # all sets of classes are gone through


@njit(cache=True)
def count_line_errors(X: Any, codes: Any, n_classes: int, columns: Any) -> Any:
    """The fewest errors of each column."""
    counts = np.empty(len(columns), np.int64)
    for k in range(len(columns)):
        best, _, _ = _find_intervals(X[:, columns[k]].copy(), codes, n_classes)
        counts[k] = len(codes) - best
    return counts


def find_line_errors(x: FloatArray, codes: IndexArray, n_classes: int) -> IndexArray:
    """The samples of a column that are wrong, as few as possible."""
    _, last, steps = _find_intervals(x, codes, n_classes)
    order = np.argsort(x, kind="stable")
    right = np.zeros(len(x), dtype=bool)
    place, used = len(x), last
    while place > 0:
        label, start = steps[place, used]
        if label < 0:
            place = start
            continue
        own = order[start:place]
        right[own[codes[own] == label]] = True
        place, used = start, used ^ (1 << label)
    return np.flatnonzero(~right)


@njit(cache=True)
def _find_intervals(x: Any, codes: Any, n_classes: int) -> tuple[int, int, Any]:
    """The most samples that can be right; the classes that have an interval; how to go back.

    `steps[p, s]` says, of the first p samples in the order of x and the set s of classes that had
    an interval, which class had the last one, and where it began (class -1: nothing ends here).
    """
    n, n_sets = len(x), 1 << n_classes
    order = np.argsort(x, kind="mergesort")
    best = np.full((n + 1, n_sets), -1)
    steps = np.full((n + 1, n_sets, 2), -1)
    best[0, 0] = 0
    begins = np.ones(n + 1, np.bool_)  # between equal values there is no threshold
    for p in range(1, n):
        begins[p] = x[order[p]] != x[order[p - 1]]
    counts = np.zeros((n + 1, n_classes), np.int64)
    for p in range(n):
        counts[p + 1] = counts[p]
        counts[p + 1, codes[order[p]]] += 1
    for p in range(1, n + 1):
        if not begins[p]:
            continue
        for start in range(p):
            if not begins[start]:
                continue
            for used in range(n_sets):
                if best[start, used] < 0:
                    continue
                for label in range(n_classes):
                    if (used >> label) & 1:
                        continue
                    total = best[start, used] + counts[p, label] - counts[start, label]
                    after = used | (1 << label)
                    if total > best[p, after]:
                        best[p, after] = total
                        steps[p, after, 0], steps[p, after, 1] = label, start
    most, last = -1, 0
    for used in range(n_sets):
        if best[n, used] > most:
            most, last = best[n, used], used
    return most, last, steps
