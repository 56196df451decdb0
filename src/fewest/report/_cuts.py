"""What one feature shows alone: the best threshold for each class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray


def best_cut(values: FloatArray, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Smallest balanced error of a threshold on these values, in either direction, and where it is.

    The threshold is halfway between two neighbouring values; where no cut is better than none, it
    is the median.
    """
    order = np.argsort(values, kind="stable")
    return _cut_ordered(values[order], positive[order])


def best_cuts(values: FloatArray, codes: IndexArray, n_classes: int) -> list[tuple[float, float]]:
    """The same for each class against the rest; values are sorted once."""
    order = np.argsort(values, kind="stable")
    ordered, codes = values[order], codes[order]
    return [_cut_ordered(ordered, codes == code) for code in range(n_classes)]


def _cut_ordered(ordered: FloatArray, inside: NDArray[np.bool_]) -> tuple[float, float]:
    below = np.cumsum(inside) / inside.sum()  # share of the class at or below each value
    others = np.cumsum(~inside) / (~inside).sum()
    # Positive above the cut: its own share below is wrong, and so are the others above.
    errors = (below + 1.0 - others) / 2.0
    errors = np.minimum(errors, 1.0 - errors)
    errors[:-1][ordered[:-1] == ordered[1:]] = 0.5  # no cut between equal values
    errors[-1] = 0.5
    place = int(errors.argmin())
    if errors[place] >= 0.5:
        return 0.5, float(np.median(ordered))
    return float(errors[place]), float((ordered[place] + ordered[place + 1]) / 2.0)
