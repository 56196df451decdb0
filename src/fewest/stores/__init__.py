"""Data files that are larger than memory: opened as an array, read block by block."""

from fewest._solvers.columns import BlockError
from fewest.stores._open import open_store
from fewest.stores._store import Store

__all__ = ["BlockError", "Store", "open_store"]
