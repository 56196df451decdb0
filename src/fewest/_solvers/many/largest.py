"""The largest of many prices, block by block, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

_STRIDE = 16


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz", "nnan"})
def keep_largest(P, scale, first, thresholds, index, price, filled, count, is_complete):  # type: ignore[no-untyped-def]
    """Let a block of products compete with the largest prices so far.

    P has one row per problem and one column per column of X, from `first` on; `scale` has one row,
    or one per problem. `index` and `price` have room for at least twice as many as are to be kept:
    when they are full, the smaller half goes and the threshold rises.
    """
    n_problems, width = P.shape
    room = index.shape[1]
    for p in range(n_problems):
        own = scale[min(p, len(scale) - 1)]
        for left in range(0, width, _STRIDE):
            right = min(left + _STRIDE, width)
            most = 0.0
            for c in range(left, right):  # nearly always nothing is large: one look at many
                most = max(most, abs(P[p, c]) * own[c])
            if most <= thresholds[p]:
                continue
            for c in range(left, right):
                size = abs(P[p, c]) * own[c]
                if size > thresholds[p]:
                    index[p, filled[p]], price[p, filled[p]] = first + c, size
                    filled[p] += 1
                    if filled[p] == room:
                        is_complete[p] = False
                        _drop_smaller(p, thresholds, index, price, filled, count)


@njit(cache=True, nogil=True)
def _drop_smaller(p, thresholds, index, price, filled, count):  # type: ignore[no-untyped-def]
    """Keep `count` of the largest prices of a problem."""
    n = filled[p]
    level = np.sort(price[p, :n])[n - count]
    kept = 0
    for take_equal in (False, True):  # those above the level first: ties fill up the rest
        if take_equal:
            for c in range(kept, n):
                if kept < count and price[p, c] == level:
                    index[p, c], index[p, kept] = index[p, kept], index[p, c]
                    price[p, c], price[p, kept] = price[p, kept], price[p, c]
                    kept += 1
        else:
            for c in range(n):
                if price[p, c] > level:
                    index[p, c], index[p, kept] = index[p, kept], index[p, c]
                    price[p, c], price[p, kept] = price[p, kept], price[p, c]
                    kept += 1
    filled[p] = kept
    thresholds[p] = max(thresholds[p], level)


@njit(cache=True, nogil=True)
def trim_to_largest(thresholds, index, price, filled, count, is_complete):  # type: ignore[no-untyped-def]
    """At the end, no more than `count` of every problem."""
    for p in range(len(filled)):
        if filled[p] > count:
            is_complete[p] = False
            _drop_smaller(p, thresholds, index, price, filled, count)
