"""Prices of many problems for a matrix, where it has them."""

from __future__ import annotations

from fewest._solvers.columns import Columns, Matrix
from fewest._solvers.columns.dense import DenseMatrix
from fewest._solvers.many.crew import Crew
from fewest._solvers.many.prices import Prices


def has_products(matrix: Matrix) -> bool:
    """Whether products with many vectors are fast: X is dense, in memory or on a device."""
    return isinstance(matrix, DenseMatrix)


def supply_prices(columns: Columns, crew: Crew) -> Prices:
    """The prices of these columns."""
    from fewest._solvers.many.host import HostPrices

    return HostPrices(columns, crew)
