"""The one reader of users' files: text, Parquet, Excel, .npz and .h5ad in, checked arrays out."""

from fewest._tables.errors import InputError
from fewest._tables.npz import read_extra
from fewest._tables.read import read_table
from fewest._tables.samples import Samples, read_samples
from fewest._tables.table import Table

__all__ = ["InputError", "Samples", "Table", "read_extra", "read_samples", "read_table"]
