"""Parquet, through pandas and pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fewest._tables.errors import InputError, MissingPackageError
from fewest._tables.frame import check_columns, import_pandas, table_from_frame
from fewest._tables.table import Table
from fewest._tables.wording import visible

if TYPE_CHECKING:
    import pandas


def read_parquet(
    file: Path, target: str | None, drop: Sequence[str], groups: str | None = None
) -> Table:
    """Read a table; an index that pandas stored in it is not a feature."""
    frame, names = parquet_frame(file)
    check_columns(names, target, drop, visible(file), groups)
    return table_from_frame(frame, names, target, drop, file, groups)


def parquet_frame(file: Path) -> tuple[pandas.DataFrame, list[str]]:
    """All columns as they are, and their names."""
    reader = import_pandas(file)
    try:
        frame = reader.read_parquet(file)
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
