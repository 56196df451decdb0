"""All pairs of features: a bit test on every signed pair, a direct test in the plane on the rest.

Nothing grows with the square of the number of features: signed features are sorted by the size of
their bad sets, blocks of their first words fit into the cache, and only pairs that separate (or
that rounding leaves open) are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from fewest._types import FloatArray
from fewest.minimum._bits import SignedBits

_NO, _YES, _UNCERTAIN = 0, 1, 2
# A cross product has three roundings, and the bounds have been compared before.
_ROUNDING = 1e-14
# Products of smaller differences may have lost their last digits.
_TINY = 1e-120
# Products of whole numbers below this are exact.
_EXACT = 2**26
_BLOCK = 2048  # the first words of this many features fit into the first-level cache
_TASKS = 64
_BLOCK_VALUES = 1 << 20
_CALL_PAIRS = 1 << 24  # tens of milliseconds, or seconds where most pairs pass the bit test
_DOUBTFUL_PAIRS = 1 << 10  # per task, at first


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Results of some of the signed pairs: how many were tested, and which separate.

    `separating` and `uncertain` hold places of signed features, two per row. `n_separating` also
    counts those for which there was no room, and the pairs of equal columns they stand for.
    """

    n_tested: int
    n_survivors: int
    n_separating: int
    separating: NDArray[np.int64]
    uncertain: NDArray[np.int64]
    share: float


def scan_pairs(
    X: FloatArray, y: FloatArray, bits: SignedBits, copies: NDArray[np.int64], room: int
) -> Iterator[PairBatch]:
    """Test all signed pairs, batch by batch; a batch keeps at most `room` separating pairs.

    `copies` says how many equal columns every signed feature stands for.
    """
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    exact = is_whole_and_small(X)
    # Two bad sets that do not meet have together no more members than there are rows.
    ends = np.searchsorted(bits.bad_counts, bits.n_pairs - bits.bad_counts, side="right")
    work = np.cumsum(np.maximum(0, ends - np.arange(len(ends)) - 1))
    total = int(work[-1]) if len(work) else 0
    words = np.ascontiguousarray(bits.bad[:, 0]) if bits.n_signed else np.empty(0, np.uint64)
    start, room_for_doubt = 0, _DOUBTFUL_PAIRS
    last = int(np.searchsorted(work, total)) + 1 if total else 0
    while start < last:
        done = int(work[start - 1]) if start else 0
        stop = min(last, max(start + 1, int(np.searchsorted(work, done + _CALL_PAIRS))))
        out = np.empty((_TASKS, room, 2), dtype=np.int64)
        doubtful = np.empty((_TASKS, room_for_doubt, 2), dtype=np.int64)
        counts = np.zeros((_TASKS, 4), dtype=np.int64)
        _scan(
            X, positive, negative, bits.columns, bits.signs, copies, bits.bad, words,
            ends, start, stop, exact, out, doubtful, counts,
        )  # fmt: skip
        if counts[:, 2].max() > room_for_doubt:
            room_for_doubt *= 4  # no pair in doubt may be lost
            continue
        yield PairBatch(
            n_tested=int(work[stop - 1]) - done,
            n_survivors=int(counts[:, 0].sum()),
            n_separating=int(counts[:, 3].sum()),
            separating=_join(out, counts[:, 1])[:room],
            uncertain=_join(doubtful, counts[:, 2]),
            share=int(work[stop - 1]) / total,
        )
        start = stop


def is_whole_and_small(X: FloatArray) -> bool:
    """Whether differences and their products are computed without rounding."""
    for block in np.array_split(X, -(-X.size // _BLOCK_VALUES) or 1, axis=1):
        if block.size and (np.abs(block).max() >= _EXACT // 2 or np.any(block != np.rint(block))):
            return False
    return True


def _join(out: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([part[:count] for part, count in zip(out, counts, strict=True)])


@njit(cache=True, parallel=True)
def _scan(
    X: Any, positive: Any, negative: Any, columns: Any, signs: Any, copies: Any,
    bad: Any, words: Any, ends: Any, start: int, stop: int, exact: bool,
    out: Any, doubtful: Any, counts: Any,
) -> None:  # fmt: skip
    """Task t takes every `_TASKS`-th signed feature as the first of the pair."""
    n_words = bad.shape[1]
    room = out.shape[1]
    for t in prange(_TASKS):
        survivors, separating, pairs, open_ = 0, 0, 0, 0
        for block in range(start // _BLOCK, (len(words) + _BLOCK - 1) // _BLOCK):
            for i in range(start + t, stop, _TASKS):
                own = words[i]
                for j in range(max(i + 1, block * _BLOCK), min(ends[i], (block + 1) * _BLOCK)):
                    if own & words[j]:
                        continue
                    meets = False
                    for w in range(1, n_words):
                        if bad[i, w] & bad[j, w]:
                            meets = True
                            break
                    if meets or columns[i] == columns[j]:
                        continue
                    survivors += 1
                    verdict = separable_in_plane(
                        X, positive, negative, columns[i], signs[i], columns[j], signs[j], exact
                    )
                    if verdict == _YES:
                        if separating < room:
                            out[t, separating, 0], out[t, separating, 1] = i, j
                        separating += 1
                        pairs += copies[i] * copies[j]
                    elif verdict == _UNCERTAIN:
                        if open_ < doubtful.shape[1]:
                            doubtful[t, open_, 0], doubtful[t, open_, 1] = i, j
                        open_ += 1
        counts[t, 0], counts[t, 1], counts[t, 2], counts[t, 3] = survivors, separating, open_, pairs


@njit(cache=True)
def separable_in_plane(
    X: Any, positive: Any, negative: Any, i: int, sign_i: int, j: int, sign_j: int, exact: bool
) -> int:
    """Whether s_i x_i + t s_j x_j separates the classes strictly for some t > 0.

    Every pair of samples bounds t by a quotient of two differences, from below or from above.
    Quotients are compared by their cross products; `exact` says that these are not rounded.
    """
    low_rise, low_run, high_rise, high_run = 0.0, 1.0, 1.0, 0.0
    sound = True
    for p in positive:
        for q in negative:
            across = sign_i * (X[p, i] - X[q, i])
            along = sign_j * (X[p, j] - X[q, j])
            if 0.0 < abs(across) < _TINY or 0.0 < abs(along) < _TINY:
                sound = False
            if across <= 0.0:
                if along <= 0.0:
                    return _NO
                if -across * low_run > low_rise * along:
                    low_rise, low_run = -across, along
            elif along < 0.0 and across * high_run < high_rise * -along:
                high_rise, high_run = across, -along
    low, high = low_rise * high_run, high_rise * low_run
    if exact:
        return _YES if low < high else _NO
    if sound and low < high * (1.0 - _ROUNDING):
        return _YES
    if sound and low > high * (1.0 + _ROUNDING):
        return _NO
    return _UNCERTAIN
