"""Whether a few samples meet all conflicts: pairs of samples, and Farkas vectors of more samples.

A conflict is a set of samples of which one is wrong. If no `most` samples meet all conflicts of a
set of features, more than `most` samples are wrong, whatever the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fewest.minimum._clock import LARGE_PIECE, Clock, stop_when_over
from fewest.minimum._cover import members, popcount

_ONE = np.uint64(1)
MET, UNMET, UNKNOWN = 1, 0, 2
MOST_NODES = 2_000  # of a test among many
_CALL_WORDS = 5 * 10**7  # between two looks at the clock: tenths of a second at most


def find_hitting_set(supports: NDArray[np.uint64], most: int) -> list[int] | None:
    """Up to `most` samples that meet all supports, if there are any."""
    verdict, samples = meet_in_time(supports, most, Clock())
    return samples if verdict == MET else None


def meet_in_time(supports: NDArray[np.uint64], most: int, clock: Clock) -> tuple[int, list[int]]:
    """Whether up to `most` samples meet all supports, and which; unknown where time is up."""
    removed = np.zeros(supports.shape[1], dtype=np.uint64)
    no_graph = np.zeros((0, 1), dtype=np.uint64)
    nobody = np.zeros(0, dtype=np.int64)
    listed = np.arange(len(supports))
    branches, n_nodes = new_branches(most, len(removed)), count_nodes(supports.size)
    while True:
        verdict = go_on(
            supports, listed, len(listed), no_graph, nobody, nobody, most, removed, n_nodes,
            *branches,
        )  # fmt: skip
        if verdict != UNKNOWN:
            break
        stop_when_over()
        clock.spend(LARGE_PIECE)
        if clock.is_over:
            break
    places = np.empty(64 * len(removed), dtype=np.int64)
    return verdict, places[: members(removed, places)].tolist() if verdict == MET else []


def count_nodes(n_words: int) -> int:
    """Nodes of tenths of a second at most, with conflicts of so many words in all."""
    return max(1, _CALL_WORDS // (n_words + 64))


def pack_samples(samples: Any, n_samples: int) -> NDArray[np.uint64]:
    """A set of samples as 64-bit words."""
    words = np.zeros(-(-n_samples // 64), dtype=np.uint64)
    for sample in samples:
        words[sample >> 6] |= _ONE << np.uint64(sample & 63)
    return words


@njit(cache=True)
def _holds(words: Any, place: int) -> bool:
    return (words[place >> 6] >> np.uint64(place & 63)) & _ONE != 0


@njit(cache=True)
def _pack_unmet(
    supports: Any, listed: Any, n_listed: int, graph: Any, few: Any, many: Any, removed: Any,
    used: Any, budget: int, item: Any,
) -> tuple[int, int]:  # fmt: skip
    """Disjoint conflicts without removed samples: how many, and the samples of one in `item`.

    Pairs are preferred for `item`, as they leave the fewest choices. Ends above the budget.
    """
    n_words = len(removed)
    for w in range(n_words):
        used[w] = removed[w]
    count, length = 0, 0
    for k in range(n_listed):
        support = supports[listed[k]]
        meets = False
        for w in range(n_words):
            if support[w] & used[w]:
                meets = True
                break
        if meets:
            continue
        if count == 0:
            length = members(support, item)
        count += 1
        if count > budget:
            return count, length
        for w in range(n_words):
            used[w] |= support[w]
    for r in range(len(few)):
        if _holds(removed, few[r]):
            continue
        is_used = _holds(used, few[r])
        for w in range(graph.shape[1]):
            word = graph[r, w]
            while word:
                lowest = word & (~word + _ONE)
                word ^= lowest
                place = 64 * w + np.int64(popcount(lowest - _ONE))
                other = many[place]
                if _holds(removed, other):
                    continue
                if length != 2:
                    item[0], item[1], length = few[r], other, 2
                if is_used or _holds(used, other):
                    continue
                used[other >> 6] |= _ONE << np.uint64(other & 63)
                is_used = True
                count += 1
                break
            if is_used and length == 2:
                break
        if count > budget:
            return count, length
    return max(count, 1 if length else 0), length


@njit(cache=True)
def new_branches(most: int, n_words: int) -> tuple[Any, Any]:
    """Where a search begins: samples to choose from, and for each depth how many and which."""
    items = np.empty((most + 1, 64 * n_words), np.int64)
    levels = np.zeros((4, most + 1), np.int64)  # how many, the next one, the chosen one, the depth
    return items, levels


@njit(cache=True)
def meet_all(
    supports: Any, listed: Any, n_listed: int, graph: Any, few: Any, many: Any, most: int,
    removed: Any, most_nodes: int,
) -> int:  # fmt: skip
    """Whether at most `most` samples meet all conflicts; `removed` gets them if so.

    Conflicts are the listed supports, and the pairs (few[r], many[c]) whose bit c is in graph[r].
    """
    removed[:] = 0
    items, levels = new_branches(most, len(removed))
    return go_on(
        supports, listed, n_listed, graph, few, many, most, removed, most_nodes, items, levels
    )


@njit(cache=True)
def go_on(
    supports: Any, listed: Any, n_listed: int, graph: Any, few: Any, many: Any, most: int,
    removed: Any, most_nodes: int, items: Any, levels: Any,
) -> int:  # fmt: skip
    """`meet_all` from where the last call ended; unknown after so many nodes more."""
    lengths, nexts, chosen = levels[0], levels[1], levels[2]
    used = np.empty(len(removed), np.uint64)
    depth, nodes = levels[3, 0], 0
    arriving = True
    while depth >= 0:
        if arriving:
            nodes += 1
            if nodes > most_nodes:
                levels[3, 0] = depth
                return UNKNOWN
            count, length = _pack_unmet(
                supports, listed, n_listed, graph, few, many, removed, used, most - depth,
                items[depth],
            )  # fmt: skip
            if count == 0:
                return MET
            lengths[depth] = 0 if count > most - depth else length
            nexts[depth] = 0
            arriving = False
        if nexts[depth] < lengths[depth]:
            sample = items[depth, nexts[depth]]
            nexts[depth] += 1
            chosen[depth] = sample
            removed[sample >> 6] |= _ONE << np.uint64(sample & 63)
            depth += 1
            arriving = True
        else:
            depth -= 1
            if depth >= 0:
                sample = chosen[depth]
                removed[sample >> 6] &= ~(_ONE << np.uint64(sample & 63))
    return UNMET
