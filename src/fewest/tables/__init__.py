"""The one reader of users' files: text, Parquet, Excel, .npz and .h5ad in, checked arrays out."""

from fewest.tables.errors import InputError
from fewest.tables.npz import read_extra
from fewest.tables.read import read_table
from fewest.tables.samples import Samples, read_samples
from fewest.tables.table import Table

__all__ = ["InputError", "Samples", "Table", "read_extra", "read_samples", "read_table"]
