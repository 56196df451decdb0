"""Reads users' files: text, Parquet, Excel, .npz and .h5ad in, checked arrays out."""

from fewest.tables._content import Samples, Table
from fewest.tables._errors import InputError
from fewest.tables._matrix import read_extra
from fewest.tables._read import read_samples, read_table

__all__ = ["InputError", "Samples", "Table", "read_extra", "read_samples", "read_table"]
