"""Signed sets whose conflicts a few samples cover: the candidates of a search that allows errors.

Members are places in the list of signed features, in decreasing order: the last and best one is
looked for among those before it, with bit sets of features over the edges of a matching. It may be
bad on no more of these edges than errors are allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fewest._types import FloatArray
from fewest.minimum._cover import members
from fewest.minimum._dominance import DominanceBits
from fewest.minimum._hitting import MOST_NODES, UNMET, meet_all
from fewest.minimum._matching import match_best, match_greedily
from fewest.minimum._threads import share_out
from fewest.minimum._vectors import VectorPool

_TASKS = 64
_ONE = np.uint64(1)
_ROOM = 1 << 10


def scan_pairs_below(
    bits: DominanceBits, start: int, stop: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs whose first place is from `start` to `stop`, and their bounds, none above `most`."""
    room = _ROOM
    while True:
        out = np.empty((_TASKS, room, 3), dtype=np.int64)
        counts = np.zeros(_TASKS, dtype=np.int64)
        share_out(_scan_pairs, _TASKS, bits.bad, bits.rivals, start, stop, most, out, counts)
        if counts.max() <= room:
            found = np.concatenate([part[:count] for part, count in zip(out, counts, strict=True)])
            return found[:, :2], found[:, 2]
        room = int(counts.max())


@njit(cache=True, nogil=True)
def _scan_pairs(
    first_task: int, end_task: int, alarm: Any,
    bad: Any, rivals: Any, start: int, stop: int, most: int, out: Any, counts: Any,
) -> None:  # fmt: skip
    n_rows, n_words = bad.shape[1:]
    for t in range(first_task, end_task):
        used, partners = np.empty(n_words, np.uint64), np.empty(n_rows, np.int64)
        owners = np.empty(64 * n_words, np.int64)
        found = 0
        for a in range(start + t, stop, len(out)):
            for b in range(a):
                if alarm[0]:
                    return
                if match_greedily(bad[a], bad[b], most, used, partners) > most:
                    continue
                bound = match_best(bad[a] & bad[b], most, owners, partners)
                if bound > most or rivals[a] == rivals[b]:
                    continue
                if found < out.shape[1]:
                    out[t, found, 0], out[t, found, 1], out[t, found, 2] = a, b, bound
                found += 1
        counts[t] = found


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Beginnings of sets, each to be completed by two members.

    `members` are rows of places. The next member is one from `starts` to `stops`, the last one
    comes before it, and the two may cost no more than `left`.
    """

    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    left: FloatArray

    def __len__(self) -> int:
        return len(self.members)

    def keep(self, which: NDArray[np.bool_]) -> Prefixes:
        """Some of them."""
        return Prefixes(
            self.members[which], self.starts[which], self.stops[which], self.left[which]
        )


def scan_sets(
    bits: DominanceBits, pool: VectorPool, prefixes: Prefixes, most: int, room: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Sets that begin with the prefixes and have two members more, none of them ruled out by bits.

    Returns no more than `room` sets of each prefix, and whether a prefix has more.
    """
    out = np.empty((len(prefixes), room, 2), dtype=np.int64)
    counts = np.zeros(len(prefixes), dtype=np.int64)
    n_tasks = min(_TASKS, len(prefixes))
    share_out(
        _scan_sets, n_tasks, n_tasks,
        bits.bad, bits.good, bits.rivals, bits.price, bits.few, bits.many, pool.bad, pool.supports,
        len(pool.vectors), prefixes.members, prefixes.starts, prefixes.stops, prefixes.left, most,
        out, counts,
    )  # fmt: skip
    stored = np.flatnonzero(counts)
    lengths = np.minimum(counts[stored], room)
    rows = [out[place, :length] for place, length in zip(stored, lengths, strict=True)]
    found = np.concatenate([np.empty((0, 2), dtype=np.int64), *rows])
    firsts = np.repeat(prefixes.members[stored], lengths, axis=0)
    return np.column_stack([firsts, found]), counts > room


@njit(cache=True)
def _keep_few_misses(misses: Any, edge: Any, n_blocks: int) -> None:
    """One more edge: `misses[m]` keeps the features that are bad on at most m edges so far."""
    for m in range(len(misses) - 1, 0, -1):
        upper, lower = misses[m], misses[m - 1]
        for w in range(n_blocks):
            upper[w] &= edge[w] | lower[w]
    lowest = misses[0]
    for w in range(n_blocks):
        lowest[w] &= edge[w]


@njit(cache=True)
def _is_empty(words: Any, n_blocks: int) -> bool:
    left = np.uint64(0)
    for w in range(n_blocks):
        left |= words[w]
    return left == 0


@njit(cache=True)
def join_members(bad: Any, pool_bad: Any, members: Any) -> tuple[Any, Any]:
    """On which pairs of samples, and on which vectors, all members are bad."""
    graph, vectors = np.empty_like(bad[0]), np.empty_like(pool_bad[0])
    graph[:], vectors[:] = ~np.uint64(0), ~np.uint64(0)
    for member in members:
        graph &= bad[member]
        vectors &= pool_bad[member]
    return graph, vectors


@njit(cache=True, nogil=True)
def _scan_sets(
    first_task: int, end_task: int, alarm: Any, n_tasks: int,
    bad: Any, good: Any, rivals: Any, price: Any, few: Any, many: Any, pool_bad: Any, supports: Any,
    n_vectors: int, prefixes: Any, starts: Any, stops: Any, left: Any, most: int, out: Any,
    counts: Any,
) -> None:  # fmt: skip
    n_rows, n_words = bad.shape[1:]
    width = good.shape[2]
    for t in range(first_task, end_task):
        used, partners = np.empty(n_words, np.uint64), np.empty(n_rows, np.int64)
        edges, owners = np.empty(n_rows, np.int64), np.empty(64 * n_words, np.int64)
        places, listed = np.empty(64 * width, np.int64), np.empty(n_vectors + 64, np.int64)
        misses = np.empty((most + 1, width), np.uint64)
        removed = np.empty(supports.shape[1], np.uint64)
        for k in range(t, len(prefixes), n_tasks):
            taken = rivals[prefixes[k]]
            graph, vectors = join_members(bad, pool_bad, prefixes[k])
            found = 0
            for first in range(starts[k], stops[k]):
                if alarm[0]:
                    return
                if found > out.shape[1]:
                    break
                if price[first] > left[k] or is_taken(rivals[first], taken):
                    continue
                match_greedily(graph, bad[first], n_rows, used, edges)
                n_blocks = (first + 63) >> 6
                for m in range(most + 1):
                    for w in range(n_blocks):
                        misses[m, w] = ~np.uint64(0)
                    if first & 63:
                        misses[m, n_blocks - 1] = (_ONE << np.uint64(first & 63)) - _ONE
                n_edges, is_empty = 0, n_blocks == 0
                for r in range(n_rows):
                    if edges[r] < 0 or is_empty:
                        continue
                    _keep_few_misses(misses, good[r, edges[r]], n_blocks)
                    n_edges += 1
                    if n_edges & 3 == 0:
                        is_empty = _is_empty(misses[most], n_blocks)
                if is_empty:
                    continue
                own, own_vectors = graph & bad[first], vectors & pool_bad[first]
                for place in range(members(misses[most, :n_blocks], places)):
                    last = places[place]
                    if alarm[0]:
                        return
                    if rivals[last] == rivals[first] or is_taken(rivals[last], taken):
                        continue
                    if price[first] + price[last] > left[k]:
                        continue
                    if match_greedily(own, bad[last], most, used, partners) > most:
                        continue
                    both = own & bad[last]
                    if match_best(both, most, owners, partners) > most:
                        continue
                    if n_vectors:
                        n_listed = members(own_vectors & pool_bad[last], listed)
                        verdict = meet_all(
                            supports, listed, n_listed, both, few, many, most, removed, MOST_NODES
                        )
                        if verdict == UNMET:
                            continue
                    if found < out.shape[1]:
                        out[k, found, 0], out[k, found, 1] = first, last
                    found += 1
                    if found > out.shape[1]:
                        break
            counts[k] = found


@njit(cache=True)
def is_taken(rival: int, taken: Any) -> bool:
    """Whether a rival is among those of the set already."""
    found = False
    for other in taken:
        found |= rival == other
    return found


def scan_completions(
    bits: DominanceBits, pool: VectorPool, chosen: tuple[int, ...], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Any signed features that complete a set as far as bits show, and the bounds of these sets."""
    bounds = np.empty(bits.n_signed, dtype=np.int64)
    share_out(
        _scan_completions, bits.n_signed,
        bits.bad, bits.rivals, bits.few, bits.many, pool.bad, pool.supports, len(pool.vectors),
        np.array(chosen, dtype=np.int64), most, bounds,
    )  # fmt: skip
    places = np.flatnonzero(bounds <= most)
    return places, bounds[places]


@njit(cache=True, nogil=True)
def _scan_completions(
    start: int, stop: int, alarm: Any,
    bad: Any, rivals: Any, few: Any, many: Any, pool_bad: Any, supports: Any, n_vectors: int,
    chosen: Any, most: int, bounds: Any,
) -> None:  # fmt: skip
    n_rows, n_words = bad.shape[1:]
    used, partners = np.empty(n_words, np.uint64), np.empty(n_rows, np.int64)
    owners, listed = np.empty(64 * n_words, np.int64), np.empty(n_vectors + 64, np.int64)
    removed = np.empty(supports.shape[1], np.uint64)
    taken = rivals[chosen]
    graph, vectors = join_members(bad, pool_bad, chosen)
    for last in range(start, stop):
        if alarm[0]:
            return
        bounds[last] = most + 1
        if is_taken(rivals[last], taken):
            continue
        if match_greedily(graph, bad[last], most, used, partners) > most:
            continue
        both = graph & bad[last]
        bound = match_best(both, most, owners, partners)
        if bound <= most and n_vectors:
            n_listed = members(vectors & pool_bad[last], listed)
            if (
                meet_all(supports, listed, n_listed, both, few, many, most, removed, MOST_NODES)
                == UNMET
            ):
                continue
        bounds[last] = bound
