"""Prices of many problems for a matrix, where it has them."""

from __future__ import annotations

from fewest._solvers.columns import Columns, Matrix
from fewest._solvers.columns.dense import DenseMatrix
from fewest._solvers.many.crew import Crew
from fewest._solvers.many.device import DeviceMatrix
from fewest._solvers.many.device_prices import DevicePrices
from fewest._solvers.many.prices import Prices


def has_products(matrix: Matrix) -> bool:
    """Whether products with many vectors are fast: X is dense, in memory or on a device."""
    return isinstance(matrix, (DenseMatrix, DeviceMatrix))


def supply_prices(columns: Columns, crew: Crew) -> Prices:
    """The prices of these columns."""
    if isinstance(columns.matrix, DeviceMatrix):
        return DevicePrices(columns, columns.matrix, crew)
    from fewest._solvers.many.host import HostPrices  # compiles

    return HostPrices(columns, crew)
