"""What else varied while the volumes were taken, motion for instance: one row per volume."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest._types import FloatArray
from fewest._wording import counted, cut, listed, near, visible


def read_confounds(
    confounds: Any, n_volumes: int, columns: Sequence[str] = ()
) -> FloatArray | None:
    """All confounds as numbers; of a list of tables, one per run, those below each other.

    A ValueError says what is wrong with them. `columns` are those wanted, by name; all by default.
    """
    if confounds is None:
        return None
    parts = confounds if isinstance(confounds, (list, tuple)) else [confounds]
    tables = [_read(part, columns) for part in parts]
    if len({table.shape[1] for table in tables}) > 1:
        raise ValueError(
            "the tables of confounds have different numbers of columns: give the same ones for "
            "every run, in the same order"
        )
    values = np.concatenate(tables)
    if len(values) != n_volumes:
        raise ValueError(
            f"the confounds have {counted(len(values), 'row')}, but the images have "
            f"{counted(n_volumes, 'volume')}: give one row per volume, in their order"
        )
    return values


def _read(table: Any, columns: Sequence[str]) -> FloatArray:
    import pandas as pd

    name = "the confounds"
    if isinstance(table, (str, os.PathLike)):
        name = f"the confounds, {visible(os.fspath(table))},"
        table = read_table_file(table, name)
    if isinstance(table, pd.Series):
        table = table.to_frame()
    if not isinstance(table, pd.DataFrame):
        values = np.asarray(table)
        table = pd.DataFrame(values[:, None] if values.ndim == 1 else values)
    unknown = [column for column in columns if column not in table]
    if unknown:
        raise ValueError(
            f"{name} have no column {cut(unknown[0])}. {near(unknown[0], list(map(str, table)))}"
        )
    if columns:
        table = table[list(columns)]
    numbers = table.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=np.float64)
    bad = table.columns[~np.isfinite(numbers).all(axis=0)].astype(str).tolist()
    if bad:
        raise ValueError(
            f"{name} have cells that are no numbers in {listed(bad)}. Name the columns to use, or "
            "fill these cells (fMRIPrep leaves the first row of derivatives empty)"
        )
    return numbers


def read_table_file(path: str | os.PathLike[str], name: str) -> Any:
    """A table with a header as a DataFrame; tabs part its cells, or commas if it ends in .csv."""
    import pandas as pd

    try:
        return pd.read_csv(path, sep="," if os.fspath(path).endswith(".csv") else "\t")
    except FileNotFoundError:
        raise FileNotFoundError(f"{name} do not exist: check name and folder") from None
    except (ValueError, OSError) as error:  # those of pandas' parser are among them
        raise ValueError(f"{name} cannot be read as a table: {visible(error)}") from error
