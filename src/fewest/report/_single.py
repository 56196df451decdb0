"""One feature alone: the best cut, and the means of the classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray


def best_cut(values: FloatArray, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Smallest balanced error of a threshold on these values, in either direction, and where it is.

    The threshold is halfway between two neighbouring values; where no cut is better than none, it
    is the median.
    """
    order = np.argsort(values, kind="stable")
    ordered, inside = values[order], positive[order]
    below = np.cumsum(inside) / inside.sum()  # share of the class at or below each value
    others = np.cumsum(~inside) / (~inside).sum()
    # Positive above the cut: its own share below is wrong, and so are the others above.
    errors = (below + 1.0 - others) / 2.0
    errors = np.minimum(errors, 1.0 - errors)
    errors[:-1][ordered[:-1] == ordered[1:]] = 0.5  # no cut between equal values
    errors[-1] = 0.5
    place = int(errors.argmin())
    if errors[place] >= 0.5:
        return 0.5, float(np.median(values))
    return float(errors[place]), float((ordered[place] + ordered[place + 1]) / 2.0)


def class_means(values: FloatArray, codes: NDArray[np.intp], n_classes: int) -> list[float]:
    """Mean of each class."""
    return [float(values[codes == code].mean()) for code in range(n_classes)]
