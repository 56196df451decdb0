"""The fewest errors that any line leaves in the plane of two columns, without rounding.

A line that has no sample on it can be moved until it touches a sample of the side that is called
positive, which may be taken as one of the smaller class: a first sample that is wrong there could
be left on the other side. Around that sample the line turns once, and the other samples change
sides in the order of their directions. Directions are compared by the signs of cross products,
which are computed exactly where rounding leaves them open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fewest._types import FloatArray, IndexArray
from fewest.minimum._threads import share_out

_SPLITTER = 134217729.0  # 2 ** 27 + 1
_ROUNDING = 4e-16  # of a cross product, relative to its parts; Shewchuk (1997) has 3.4e-16
# Products of nonzero values above this (after scaling to one) have no digits below the smallest
# double.
_SMALLEST = 1e-100


def scale_for_signs(X: FloatArray) -> tuple[FloatArray, Any]:
    """Columns times powers of two with values up to one, and which can be compared exactly."""
    largest = np.abs(X).max(axis=0, initial=0.0)
    _, exponents = np.frexp(largest)
    scaled = np.asfortranarray(np.ldexp(X, -exponents))
    smallest = np.abs(scaled).min(axis=0, where=scaled != 0, initial=1.0)
    return scaled, (smallest >= _SMALLEST) & np.all((scaled != 0) == (X != 0), axis=0)


@njit(cache=True)
def _add_exactly(a: float, b: float) -> tuple[float, float]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@njit(cache=True)
def _multiply_exactly(a: float, b: float) -> tuple[float, float]:
    product = a * b
    big = _SPLITTER * a
    a_high = big - (big - a)
    a_low = a - a_high
    big = _SPLITTER * b
    b_high = big - (big - b)
    b_low = b - b_high
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest


@njit(cache=True)
def _sign_of_sum(terms: Any) -> int:
    """Sign of a sum of doubles, from their expansion into parts that do not overlap."""
    parts = np.zeros(len(terms))
    for k in range(len(terms)):
        carry = terms[k]
        for m in range(k):
            carry, parts[m] = _add_exactly(carry, parts[m])
        parts[k] = carry
    for k in range(len(terms) - 1, -1, -1):
        if parts[k] != 0.0:
            return 1 if parts[k] > 0.0 else -1
    return 0


@njit(cache=True)
def cross_sign(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> int:
    """On which side of the line from a to b is c? 1: left, -1: right, 0: on it."""
    first = (bx - ax) * (cy - ay)
    second = (by - ay) * (cx - ax)
    cross = first - second
    doubt = _ROUNDING * (abs(first) + abs(second))
    if cross > doubt:
        return 1
    if cross < -doubt:
        return -1
    if first == 0.0 and second == 0.0:
        return 0  # nothing underflows: a factor is zero in both products
    differences = np.empty((4, 2))
    differences[0, 0], differences[0, 1] = _add_exactly(bx, -ax)
    differences[1, 0], differences[1, 1] = _add_exactly(cy, -ay)
    differences[2, 0], differences[2, 1] = _add_exactly(by, -ay)
    differences[3, 0], differences[3, 1] = _add_exactly(cx, -ax)
    terms = np.empty(16)
    place = 0
    for product in range(2):
        sign = 1.0 if product == 0 else -1.0
        for m in range(2):
            for k in range(2):
                high, low = _multiply_exactly(
                    sign * differences[2 * product, m], differences[2 * product + 1, k]
                )
                terms[place], terms[place + 1] = high, low
                place += 2
    return _sign_of_sum(terms)


@njit(cache=True)
def count_errors_in_plane(x: Any, z: Any, is_few: Any, most: int, side: Any, alarm: Any) -> int:
    """The fewest errors of any line, or the first count that is not above `most`.

    `is_few` marks the samples of the smaller class. `side` gets the samples that the line calls
    that class. Samples on a line are wrong, so only lines without samples on them count. It ends
    early where `alarm[0]` is set.
    """
    n = len(x)
    n_few = 0
    for i in range(n):
        n_few += is_few[i]
    fewest = n_few
    side[:] = False  # nothing is called the smaller class
    keys, turned = np.empty(n), np.empty(n, np.bool_)
    others, order = np.empty(n, np.int64), np.empty(n, np.int64)
    for pivot in range(n):
        if alarm[0]:
            break
        if not is_few[pivot] or fewest <= most:
            continue
        # Samples at the pivot are on its side; a line without samples on it cannot divide them.
        count, here = 0, 0
        wrong = 0  # among the others, if those to the left of the line are called the smaller class
        repeated = False
        for i in range(n):
            across, up = x[i] - x[pivot], z[i] - z[pivot]
            if across == 0.0 and up == 0.0:
                here += not is_few[i]
                if is_few[i] and i < pivot:
                    repeated = True
                continue
            turned[i] = up < 0.0 or (up == 0.0 and across < 0.0)
            if turned[i]:
                across, up = -across, -up
            keys[count] = -across / (abs(across) + up)
            others[count] = i
            wrong += turned[i] == is_few[i]
            count += 1
        if repeated:
            continue
        rough = np.argsort(keys[:count])
        for k in range(count):
            i = others[rough[k]]
            m = k
            while m > 0:
                last = order[m - 1]
                sign = cross_sign(x[pivot], z[pivot], x[i], z[i], x[last], z[last])
                if turned[i] != turned[last]:
                    sign = -sign
                if sign <= 0:
                    break
                order[m] = last
                m -= 1
            order[m] = i
        k = 0
        while True:
            left = wrong + here
            right = count - wrong + here
            if min(left, right) < fewest:
                fewest = min(left, right)
                for m in range(count):
                    is_left = turned[order[m]] == (m < k)
                    side[order[m]] = is_left == (left <= right)
                for i in range(n):
                    if x[i] == x[pivot] and z[i] == z[pivot]:
                        side[i] = True
            if k == count:
                break
            lead = order[k]
            while k < count:
                i = order[k]
                if i != lead and cross_sign(x[pivot], z[pivot], x[lead], z[lead], x[i], z[i]) != 0:
                    break
                wrong += 1 if turned[i] != is_few[i] else -1
                k += 1
    return fewest


def count_errors_of_pairs(X: Any, pairs: Any, is_few: Any, most: int) -> Any:
    """`count_errors_in_plane` of many pairs of columns."""
    counts = np.empty(len(pairs), dtype=np.int64)
    share_out(_count_some, len(pairs), X, pairs, is_few, most, counts)
    return counts


@njit(cache=True, nogil=True)
def _count_some(
    start: int, stop: int, alarm: Any, X: Any, pairs: Any, is_few: Any, most: int, counts: Any
) -> None:
    for k in range(start, stop):
        side = np.empty(len(is_few), np.bool_)
        counts[k] = count_errors_in_plane(
            X[:, pairs[k, 0]].copy(), X[:, pairs[k, 1]].copy(), is_few, most, side, alarm
        )


def find_right_samples(
    X: FloatArray, y: IndexArray, pair: tuple[int, int], few: int
) -> tuple[int, IndexArray]:
    """The fewest errors of two columns, and the samples on the right side of the best line."""
    is_few = y == few
    side = np.empty(len(y), dtype=bool)
    x, z = (np.ascontiguousarray(X[:, column]) for column in pair)
    count = np.empty(1, dtype=np.int64)
    share_out(_find_line, 1, x, z, is_few, side, count)
    return int(count[0]), np.flatnonzero(side == is_few)


@njit(cache=True, nogil=True)
def _find_line(
    start: int, stop: int, alarm: Any, x: Any, z: Any, is_few: Any, side: Any, count: Any
) -> None:
    for k in range(start, stop):
        count[k] = count_errors_in_plane(x, z, is_few, -1, side, alarm)
