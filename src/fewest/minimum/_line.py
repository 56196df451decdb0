"""The fewest errors that thresholds leave on one column, for two classes or more.

Any two classes are separated on a line if each class has an interval of its own. So the intervals
of some classes follow each other, and all other samples are wrong. All orders of the classes are
tried together: what matters is which classes have had their interval already, and the last of
them. An interval goes on until the next one begins, just before a sample of its class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fewest._types import FloatArray, IndexArray
from fewest.minimum._threads import share_out

MOST_CLASSES = 10  # all sets of classes are gone through
_IMPOSSIBLE = -(1 << 60)


def count_line_errors(x: FloatArray, codes: IndexArray, n_classes: int) -> int:
    """The fewest samples of a column that are wrong."""
    return len(x) - int(_find_intervals(x, codes, n_classes)[0])


def find_line_errors(x: FloatArray, codes: IndexArray, n_classes: int) -> IndexArray:
    """The samples of a column that are wrong, as few as possible."""
    _, labels, starts = _find_intervals(x, codes, n_classes)
    interval = np.searchsorted(starts, np.arange(len(x)), side="right") - 1
    order = np.argsort(x, kind="stable")
    return np.sort(order[labels[interval] != codes[order]])


def _find_intervals(
    x: FloatArray, codes: IndexArray, n_classes: int
) -> tuple[int, IndexArray, IndexArray]:
    """The most samples that can be right; the classes of the intervals, and where these begin."""
    order = np.argsort(x, kind="stable")
    most = np.zeros(1, dtype=np.int64)
    found = np.full((2, n_classes), -1, dtype=np.int64)
    share_out(_go_through, 1, x[order], codes[order].astype(np.int64), most, found)
    labels, starts = found[:, found[0] >= 0]
    starts[0] = 0
    return int(most[0]), labels, starts


@njit(cache=True, nogil=True)
def _go_through(
    start: int, stop: int, alarm: Any, x: Any, codes: Any, most: Any, found: Any
) -> None:
    """All sorted samples, once: one task.

    `right[s, c]` says how many are right so far if the classes of the set s have had their
    intervals, the last of them c. These intervals are in `paths[:, s, c]`: classes and beginnings.
    """
    n, n_classes = len(x), found.shape[1]
    n_sets = 1 << n_classes
    right = np.full((n_sets, n_classes), _IMPOSSIBLE, np.int64)
    paths = np.full((2, n_sets, n_classes, n_classes), -1, np.int64)
    best = np.full(n_sets, _IMPOSSIBLE, np.int64)  # over the last class
    last = np.zeros(n_sets, np.int64)
    best[0] = 0
    size = np.zeros(n_sets, np.int64)
    for used in range(1, n_sets):
        size[used] = size[used >> 1] + (used & 1)
    counts = np.zeros(n_classes, np.int64)
    begin = 0
    while begin < n:
        if alarm[0]:
            return
        counts[:] = 0
        end = begin
        while end < n and x[end] == x[begin]:  # between equal values there is no threshold
            counts[codes[end]] += 1
            end += 1
        for label in range(n_classes):
            for used in range(n_sets if counts[label] else 0):
                after = used | (1 << label)
                if after == used or best[used] <= right[after, label]:
                    continue
                right[after, label] = best[used]
                paths[:, after, label] = paths[:, used, last[used]]
                paths[0, after, label, size[used]] = label
                paths[1, after, label, size[used]] = begin
        for label in range(n_classes):
            for used in range(n_sets if counts[label] else 0):
                if right[used, label] >= 0:
                    right[used, label] += counts[label]
                    if right[used, label] > best[used]:
                        best[used], last[used] = right[used, label], label
        begin = end
    chosen = np.argmax(best)
    most[0] = best[chosen]
    found[:] = paths[:, chosen, last[chosen]]
