"""Kinds of files that are never read as a whole."""

from __future__ import annotations

ALWAYS_IN_BLOCKS = (".npy", ".bed", ".h5", ".hdf5", ".zarr")
