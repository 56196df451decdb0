"""All pairs of features: a bit test on every signed pair, a direct test in the plane on the rest.

The bit test is that of the pair of classes which is hardest to separate. Pairs of features that
pass it are tested in the plane for all pairs of classes.

Nothing grows with the square of the number of features: signed features are sorted by the size of
their bad sets, blocks of their first words fit into the cache, and only pairs that separate (or
that rounding leaves open) are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fewest._types import FloatArray
from fewest.minimum._bits import SignedBits
from fewest.minimum._leaves import lift_columns
from fewest.minimum._threads import share_out

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
    X: FloatArray, bits: SignedBits, copies: NDArray[np.int64], room: int
) -> Iterator[PairBatch]:
    """Test all signed pairs, batch by batch; a batch keeps at most `room` separating pairs.

    `copies` says how many equal columns every signed feature stands for.
    """
    X, _ = lift_columns(X)
    samples = np.concatenate([one for p in bits.pairs for one in (p.negative, p.positive)])
    sizes = [len(one) for p in bits.pairs for one in (p.negative, p.positive)]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    exact = is_whole_and_small(X)
    # Two bad sets that do not meet have together no more members than there are rows.
    ends = np.searchsorted(bits.bad_counts, bits.n_lead - bits.bad_counts, side="right")
    work = np.cumsum(np.maximum(0, ends - np.arange(len(ends)) - 1))
    total = int(work[-1]) if len(work) else 0
    lead = bits.rows_of(0)[: -(-bits.n_lead // 64)]
    words = bits.bad[:, 0] & lead[0] if bits.n_signed else np.empty(0, np.uint64)
    start, room_for_doubt = 0, _DOUBTFUL_PAIRS
    last = int(np.searchsorted(work, total)) + 1 if total else 0
    while start < last:
        done = int(work[start - 1]) if start else 0
        stop = min(last, max(start + 1, int(np.searchsorted(work, done + _CALL_PAIRS))))
        out = np.empty((_TASKS, room, 2), dtype=np.int64)
        doubtful = np.empty((_TASKS, room_for_doubt, 2), dtype=np.int64)
        counts = np.zeros((_TASKS, 4), dtype=np.int64)
        share_out(
            _scan, _TASKS,
            X, samples, starts, bits.columns, bits.signs, bits.opposite, copies, bits.bad, lead,
            words, ends, start, stop, exact, out, doubtful, counts,
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


@njit(cache=True, nogil=True)
def _scan(
    first_task: int, end_task: int, alarm: Any,
    X: Any, samples: Any, starts: Any, columns: Any, signs: Any, opposite: Any, copies: Any,
    bad: Any, lead: Any, words: Any, ends: Any, start: int, stop: int, exact: bool,
    out: Any, doubtful: Any, counts: Any,
) -> None:  # fmt: skip
    """Task t takes every `_TASKS`-th signed feature as the first of the pair."""
    n_words = len(lead)
    room = out.shape[1]
    for t in range(first_task, end_task):
        survivors, separating, pairs, open_ = 0, 0, 0, 0
        for block in range(start // _BLOCK, (len(words) + _BLOCK - 1) // _BLOCK):
            for i in range(start + t, stop, _TASKS):
                if alarm[0]:
                    return
                own = words[i]
                for j in range(max(i + 1, block * _BLOCK), min(ends[i], (block + 1) * _BLOCK)):
                    if own & words[j]:
                        continue
                    meets = False
                    for w in range(1, n_words):
                        if bad[i, w] & bad[j, w] & lead[w]:
                            meets = True
                            break
                    if meets or columns[i] == columns[j]:
                        continue
                    if alarm[0]:
                        return
                    survivors += 1
                    verdict = _judge(
                        X, samples, starts, columns[i], signs[i], opposite[i] >= 0,
                        columns[j], signs[j], opposite[j] >= 0, exact,
                    )  # fmt: skip
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
def _judge(
    X: Any, samples: Any, starts: Any, i: int, sign_i: int, both_i: bool,
    j: int, sign_j: int, both_j: bool, exact: bool,
) -> int:  # fmt: skip
    """Whether two columns separate all pairs of classes, the first of them with the given signs.

    A single column may separate two of many classes, and then several signs do. The columns are
    judged with the first of these only, or they would count more than once; `both_i` and `both_j`
    say whether the other signs are tried too.
    """
    first, second = samples[: starts[1]], samples[starts[1] : starts[2]]
    verdict = separable_in_plane(X, second, first, i, sign_i, j, sign_j, exact)
    if verdict == _NO or len(starts) == 3:
        return verdict
    for turn in range(1, 4):
        turn_i, turn_j = turn > 1, turn % 2 == 1
        if (turn_i and not both_i) or (turn_j and not both_j):
            continue
        other_i, other_j = -sign_i if turn_i else sign_i, -sign_j if turn_j else sign_j
        other = separable_in_plane(X, second, first, i, other_i, j, other_j, exact)
        # Plus comes before minus, and the column with the lower number decides before the other.
        decides_i = turn_i and (i < j or not turn_j)
        if other != _NO and (sign_i < 0 if decides_i else sign_j < 0):
            return _NO
        if other == _YES:
            verdict = _YES
    for pair in range(1, len(starts) // 2):
        low, middle, high = starts[2 * pair], starts[2 * pair + 1], starts[2 * pair + 2]
        first, second, best = samples[low:middle], samples[middle:high], _NO
        for turn in range(4):
            other_i, other_j = -sign_i if turn > 1 else sign_i, -sign_j if turn % 2 else sign_j
            found = separable_in_plane(X, second, first, i, other_i, j, other_j, exact)
            if found != _NO:
                best = found
            if best == _YES:
                break
        if best == _NO:
            return _NO
        if best == _UNCERTAIN:
            verdict = _UNCERTAIN
    return verdict


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
