"""Search for sets of signed features that are not all bad on any row: set cover on bit sets.

Each set is visited once: a node picks one of the rows that are still uncovered, branches over the
features that are good on it, and excludes from a branch those of the earlier branches. The last two
levels are compiled; there a whole level takes a few intersections of feature sets, because the last
feature must be good on every row that is left.

With many classes, the rows are those of one pair of classes, and complete sets must pass the rows
of the other pairs too (`passes`), each with signs of their own.

`rule` has the price of every signed feature, its group (-1: none; no set has two of a group) and
the largest price of a set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_ONE = np.uint64(1)


@njit(cache=True)
def popcount(word: Any) -> Any:
    """Number of bits that are set, in a form that the compiler can vectorise."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True)
def members(words: Any, out: Any) -> int:
    """The numbers in a set, in increasing order; returns how many."""
    count = 0
    for w in range(len(words)):
        word = words[w]
        while word:
            lowest = word & (~word + _ONE)
            out[count] = 64 * w + popcount(lowest - _ONE)
            count += 1
            word ^= lowest
    return count


@njit(cache=True)
def uncovered_rows(good: Any, excluded: Any, uncovered: Any, rows: Any) -> Any:
    """List the uncovered rows; (how many, how many features the first of them leaves to choose).

    The row with the fewest choices comes first, then the others, the latest before the earlier.
    """
    count = members(uncovered, rows)
    rows[:count] = rows[:count][::-1].copy()
    fewest, best = np.int64(64 * len(excluded)), 0
    for k in range(count):
        total = np.uint64(0)
        row = good[rows[k]]
        for w in range(len(excluded)):
            total += popcount(row[w] & ~excluded[w])
        if np.int64(total) < fewest:
            fewest, best = np.int64(total), k
    if count:
        rows[0], rows[best] = rows[best], rows[0]
    return count, fewest


@njit(cache=True)
def exclude_before(good_row: Any, feature: int, opposite: int, excluded: Any) -> None:
    """Add the earlier branches, the feature itself and its opposite to the excluded ones."""
    word = feature >> 6
    for w in range(word):
        excluded[w] |= good_row[w]
    below = (_ONE << np.uint64(feature & 63)) - _ONE
    excluded[word] |= (good_row[word] & below) | (below + _ONE)
    if opposite >= 0:
        excluded[opposite >> 6] |= _ONE << np.uint64(opposite & 63)


@njit(cache=True)
def list_words(rows: Any) -> Any:
    """Sets of rows as lists of their words that are not zero: the place and the word of each.

    The rows of one of many pairs of classes fill few words. Lists end with words of zero.
    """
    most = 0
    for u in range(len(rows)):
        count = 0
        for w in range(rows.shape[1]):
            count += rows[u, w] != 0
        most = max(most, count)
    listed = np.zeros((len(rows), most + 1, 2), np.uint64)
    for u in range(len(rows)):
        count = 0
        for w in range(rows.shape[1]):
            if rows[u, w]:
                listed[u, count, 0], listed[u, count, 1] = w, rows[u, w]
                count += 1
    return listed


@njit(cache=True)
def passes(bad: Any, opposite: Any, signed: Any, others: Any) -> bool:
    """Whether for each of the other pairs of classes there are signs that pass all of its rows.

    `signed` are the members of a set with any signs, `others` the rows of these pairs of classes,
    as `list_words` has them.
    """
    size = len(signed)
    for pair in range(len(others)):
        is_possible = False
        for turned in range(1 << size):
            meets, is_known = False, True
            for m in range(size):
                if (turned >> m) & 1 and opposite[signed[m]] < 0:
                    is_known = False
            if not is_known:
                continue
            for k in range(others.shape[1]):
                w, word = np.int64(others[pair, k, 0]), others[pair, k, 1]
                if word == 0:
                    break
                for m in range(size):
                    f = opposite[signed[m]] if (turned >> m) & 1 else signed[m]
                    word &= bad[f, w]
                if word:
                    meets = True
                    break
            if not meets:
                is_possible = True
                break
        if not is_possible:
            return False
    return True


@njit(cache=True)
def fits(signed: Any, rule: Any) -> bool:
    """Whether a set of signed features costs no more than it may, and has no two of a group."""
    prices, groups, limit = rule
    total = 0.0
    for m in range(len(signed)):
        total += prices[signed[m]]
        group = groups[signed[m]]
        if group >= 0:
            for k in range(m):
                if groups[signed[k]] == group:
                    return False
    return total <= limit


@njit(cache=True)
def last_one(
    bad: Any, good: Any, opposite: Any, others: Any, rule: Any, chosen: Any, uncovered: Any,
    excluded: Any, out: Any, room: int,
) -> tuple[int, int]:  # fmt: skip
    """Features that cover what is uncovered, in the manner of `last_two`; -1: none is needed."""
    left = ~excluded
    rows = np.empty(64 * len(uncovered), np.int64)
    n_rows = members(uncovered, rows)
    if n_rows == 0:
        if room > 0:
            out[0, 0] = -1
        return 1, 0
    for k in range(n_rows):
        left &= good[rows[k]]
    lasts = np.empty(64 * len(left), np.int64)
    n_lasts, found = members(left, lasts), 0
    signed = np.append(chosen, 0)
    for k in range(n_lasts):
        signed[-1] = lasts[k]
        if not fits(signed, rule):
            continue
        if len(others) and not passes(bad, opposite, signed, others):
            continue
        if found < room:
            out[found, 0] = lasts[k]
        found += 1
        if found > room:
            break
    return found, 1


@njit(cache=True)
def last_two(
    bad: Any, good: Any, opposite: Any, others: Any, rule: Any, chosen: Any, uncovered: Any,
    excluded: Any, out: Any, room: int, start: int, found: int, most_steps: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Pairs of features that cover what is uncovered; (how many, first ones tried, what is next).

    Together with those chosen they pass the rows of the other pairs of classes. It ends when there
    are more than `room`. A second feature of -1: none is needed for the rows that are uncovered,
    whatever the others say. It also ends after so many steps (intersections of sets of features or
    rows), so that the clock can be looked at; it goes on from `start`, the number of first ones
    that were tried, with `found` pairs. The last value is that number, or -1 at the end.
    """
    n_words, width = len(uncovered), len(excluded)
    rows = np.empty(64 * n_words, np.int64)
    n_rows, n_choices = uncovered_rows(good, excluded, uncovered, rows)
    if n_rows == 0:
        if room > 0:
            out[0, 0] = out[0, 1] = -1
        return 1, 0, -1
    if n_choices == 0:
        return 0, 0, -1
    tried, steps = 0, 0
    branch = good[rows[0]]
    firsts, lasts = np.empty(64 * width, np.int64), np.empty(64 * width, np.int64)
    n_firsts = members(branch & ~excluded, firsts)
    excluded = excluded.copy()
    left = np.empty(width, np.uint64)
    signed = np.concatenate((chosen, np.zeros(2, np.int64)))
    for m in range(start, n_firsts):
        if steps > most_steps:
            return found, tried, m
        first = firsts[m]
        tried += 1
        steps += 1
        exclude_before(branch, first, -1, excluded)
        for w in range(width):
            left[w] = ~excluded[w]
        if opposite[first] >= 0:
            left[opposite[first] >> 6] &= ~(_ONE << np.uint64(opposite[first] & 63))
        covered = True
        alive = np.uint64(1)
        for k in range(1, n_rows):
            row = rows[k]
            if not (bad[first, row >> 6] >> np.uint64(row & 63)) & _ONE:
                continue
            covered = False
            alive = np.uint64(0)
            other = good[row]
            steps += 1
            for w in range(width):
                left[w] &= other[w]
                alive |= left[w]
            if alive == 0:
                # It is likely to do the same for the next one: move it forward.
                rows[k], rows[(k + 1) // 2] = rows[(k + 1) // 2], rows[k]
                break
        signed[-2] = first
        if covered and fits(signed[:-1], rule):
            if found < room:
                out[found, 0], out[found, 1] = first, -1
            found += 1
        elif alive and not covered:
            n_lasts = members(left, lasts)
            for k in range(n_lasts):
                signed[-1] = lasts[k]
                if not fits(signed, rule):
                    continue
                steps += len(others) << len(signed)
                if len(others) and not passes(bad, opposite, signed, others):
                    continue
                if found < room:
                    out[found, 0], out[found, 1] = first, lasts[k]
                found += 1
                if found > room:
                    return found, tried, -1
    return found, tried, -1


@njit(cache=True, nogil=True)
def scan_children(
    start: int,
    stop: int,
    alarm: Any,
    bad: Any,
    good: Any,
    opposite: Any,
    others: Any,
    rule: Any,
    chosen: Any,
    uncovered: Any,
    excluded: Any,
    row: int,
    children: Any,
    out: Any,
    counts: Any,
    tried: Any,
    starts: Any,
    most_steps: int,
) -> None:
    """For each child of a node (a branch over `row`), the pairs of features that complete it.

    `starts` has where each child goes on, and gets where it ended after `most_steps` (-1: it is
    done).
    """
    for m in range(start, stop):
        if alarm[0]:
            return
        if starts[m] < 0:
            continue
        child = children[m]
        below = excluded.copy()
        exclude_before(good[row], child, opposite[child], below)
        left = uncovered & bad[child]
        signed = np.append(chosen, child)
        counts[m], n_tried, starts[m] = last_two(
            bad, good, opposite, others, rule, signed, left, below, out[m], out.shape[1],
            starts[m], counts[m], most_steps,
        )  # fmt: skip
        tried[m] += n_tried


@njit(cache=True, nogil=True)
def find_passing(
    start: int, stop: int, alarm: Any,
    bad: Any, opposite: Any, base: Any, members: Any, starts: Any, rows: Any, most: int,
    passing: Any,
) -> None:  # fmt: skip
    """For several sets of features, whether each passes all rows together with those of `base`.

    Set u has the members from `starts[u]` to `starts[u + 1]`, with any signs. More than `most`
    features are taken to pass.
    """
    for u in range(start, stop):
        if alarm[0]:
            return
        signed = np.concatenate((base, members[starts[u] : starts[u + 1]]))
        passing[u] = len(signed) > most or passes(bad, opposite, signed, rows)
