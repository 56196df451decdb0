"""The binomial kernel (1, 4, 6, 4, 1) / 16 along one axis: filter and sample, and its adjoint."""

from __future__ import annotations

import numpy as np

from fewest._types import FloatArray


def sample(values: FloatArray, axis: int, count: int) -> FloatArray:
    """Filter, keeping every second value: out[k] = sum_j h[j] values[2 k + j] for k < count."""
    first, second, middle, fourth, last = (_every_second(axis, j, count) for j in range(5))
    out = values[second] + values[fourth]
    out *= 4
    out += values[first]
    out += values[last]
    out += 6 * values[middle]
    out /= 16
    return out


def spread(values: FloatArray, axis: int, length: int) -> FloatArray:
    """The adjoint of `sample`: each value is spread over the places it was computed from."""
    count = values.shape[axis]
    out = np.zeros((*values.shape[:axis], length, *values.shape[axis + 1 :]))
    for j, weight in enumerate((1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16)):
        out[_every_second(axis, j, count)] += weight * values
    return out


def _every_second(axis: int, start: int, count: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, start + 2 * count - 1, 2))
