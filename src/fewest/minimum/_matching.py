"""The most pairs of samples in conflict that share no sample: a bound on the number of errors.

One sample of every such pair is wrong. By Koenig's theorem the size of a largest matching is also
the number of samples that cover all conflicts: so many errors are left by the best rule that is
monotone in the signed features, linear or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fewest.minimum._cover import popcount

_ONE = np.uint64(1)


@njit(cache=True)
def match_greedily(first: Any, second: Any, most: int, used: Any, partners: Any) -> int:
    """Disjoint conflicts that two graphs share, one after the other; ends above `most`.

    `partners` gets, for each row, the place of its partner, or -1. `used` is for work.
    """
    n_rows, n_words = first.shape
    for w in range(n_words):
        used[w] = 0
    count = 0
    for r in range(n_rows):
        partners[r] = -1
        for w in range(n_words):
            word = first[r, w] & second[r, w] & ~used[w]
            if word:
                lowest = word & (~word + _ONE)
                used[w] |= lowest
                partners[r] = 64 * w + popcount(lowest - _ONE)
                count += 1
                break
        if count > most:
            for rest in range(r + 1, n_rows):
                partners[rest] = -1
            return count
    return count


@njit(cache=True)
def match_best(graph: Any, most: int, owners: Any, partners: Any) -> int:
    """Size of a largest matching of a graph, or `most` + 1 if it is larger than `most`.

    Augmenting paths from every row. `owners` gets the row of each matched sample of the larger
    class, or -1, `partners` its reverse.
    """
    n_rows, n_words = graph.shape
    owners[:] = -1
    partners[:n_rows] = -1
    count = 0
    left = np.empty(n_words, np.uint64)
    path_rows = np.empty(n_rows + 1, np.int64)
    path_places = np.empty(n_rows + 1, np.int64)
    for start in range(n_rows):
        left[:] = ~np.uint64(0)
        depth = 0
        path_rows[0] = start
        while depth >= 0:
            row = path_rows[depth]
            place = np.int64(-1)
            for w in range(n_words):
                word = graph[row, w] & left[w]
                if word:
                    lowest = word & (~word + _ONE)
                    place = np.int64(64 * w + popcount(lowest - _ONE))
                    left[w] ^= lowest
                    break
            if place < 0:
                depth -= 1
                continue
            path_places[depth] = place
            if owners[place] < 0:
                for step in range(depth + 1):
                    owners[path_places[step]] = path_rows[step]
                    partners[path_rows[step]] = path_places[step]
                count += 1
                break
            depth += 1
            path_rows[depth] = owners[place]
        if count > most:
            return count
    return count
