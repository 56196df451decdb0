"""Parquet, through pandas and pyarrow."""

from __future__ import annotations

from pathlib import Path

from fewest.tables._columns import import_pandas, make_frame
from fewest.tables._errors import DamagedFileError, MissingPackageError
from fewest.tables._frame import Frame, Request


def read_parquet(file: Path, request: Request) -> Frame:
    """Read a table; an index that pandas stored in it is not a feature."""
    pandas = import_pandas(file)
    try:
        cells = pandas.read_parquet(file)
    except ImportError as error:
        raise MissingPackageError(file, "pyarrow") from error
    except (OSError, ValueError, NotImplementedError) as error:
        raise DamagedFileError(file, "a Parquet file", error, "Copy or write it again.") from error
    return make_frame([cells], [str(name) for name in cells.columns], request, file)
