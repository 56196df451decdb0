"""Separating sets in the order of their margins."""

from __future__ import annotations

import numpy as np

from fewest._solvers.columns import scale_columns
from fewest._solvers.margin import hard_margin
from fewest._types import FloatArray
from fewest.minimum._leaves import Separation


def rank_by_margin(
    X: FloatArray, y: FloatArray, separations: list[Separation]
) -> list[tuple[float, Separation]]:
    """Margins and sets, largest margin first; equal ones in the order of their columns."""
    scored = [(margin_of(X, y, one.columns), one) for one in separations]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].columns))


def margin_of(X: FloatArray, y: FloatArray, columns: tuple[int, ...]) -> float:
    """Half the distance of the classes' convex hulls in standardised columns.

    Zero where they are too close for the difference to be computed.
    """
    Z = scale_columns(X[:, columns]).take(np.arange(len(columns)))
    plane = hard_margin(Z, y)
    return 0.0 if plane is None else float(1.0 / np.linalg.norm(plane[0]))
