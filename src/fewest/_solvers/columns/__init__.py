"""The data as the solvers see it: standardised columns of a matrix, wherever it lives."""

from fewest._solvers.columns.blocked import Blocked, BlockError, Source
from fewest._solvers.columns.matrix import ClassMeans, Matrix, Moments
from fewest._solvers.columns.standardized import (
    Columns,
    as_matrix,
    column_products,
    scale_columns,
    weighted_moments,
    wrap_columns,
)

__all__ = [
    "BlockError",
    "Blocked",
    "ClassMeans",
    "Columns",
    "Matrix",
    "Moments",
    "Source",
    "as_matrix",
    "column_products",
    "scale_columns",
    "weighted_moments",
    "wrap_columns",
]
