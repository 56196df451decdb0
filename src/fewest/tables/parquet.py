"""Parquet, through pandas and pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fewest._wording import visible
from fewest.tables.errors import InputError, MissingPackageError
from fewest.tables.frame import (
    Cells,
    check_columns,
    import_pandas,
    table_from_frame,
    table_from_turned,
    turned_cells,
)
from fewest.tables.table import Table
from fewest.tables.wanted import Wanted

if TYPE_CHECKING:
    import pandas


def read_parquet(file: Path, wanted: Wanted) -> Table:
    """Read a table; an index that pandas stored in it is not a feature."""
    frame, names = _frame(file)
    if wanted.transpose:
        return table_from_turned([frame], names, wanted, file)
    check_columns(names, wanted, visible(file), lambda: frame.iloc[:, 0].tolist())
    return table_from_frame(frame, names, wanted, file)


def parquet_cells(file: Path, wanted: Wanted) -> Cells:
    """The same, but whatever the columns mean."""
    frame, names = _frame(file)
    if wanted.transpose:
        return turned_cells([frame], names, wanted, file)
    return Cells(frame, names)


def _frame(file: Path) -> tuple[pandas.DataFrame, list[str]]:
    pandas = import_pandas(file)
    try:
        frame = pandas.read_parquet(file)
    except ImportError as error:
        raise MissingPackageError(
            f'reading {visible(file)} needs pyarrow: pip install "fewest[cli]"'
        ) from error
    except (OSError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"{visible(file)} is damaged, or not a Parquet file ({visible(error)}).\n"
            "Copy or write it again."
        ) from error
    return frame, [str(name) for name in frame.columns]
