"""From a path to a checked table: the suffix decides who reads it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fewest._tables.checks import check_numbers
from fewest._tables.errors import InputError, MissingFileError
from fewest._tables.npz import read_npz
from fewest._tables.parquet import read_parquet
from fewest._tables.table import Table
from fewest._tables.text import read_text
from fewest._tables.wording import visible

_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_PARQUET = (".parquet",)
_NUMPY = (".npz",)


def read_table(
    path: str | os.PathLike[str],
    target: str | None,
    drop: Sequence[str] = (),
    groups: str | None = None,
) -> Table:
    """Read and check a file.

    Parameters
    ----------
    path : str or path-like
        The file: text with a header line, also as .gz; .parquet; or .npz with arrays X and y.
    target : str or None
        The class column; for .npz the array with the classes, where None means y.
    drop : sequence of str
        Names of features to leave out.
    groups : str, optional
        The column (for .npz the array) that says which samples belong together; no feature.

    Returns
    -------
    Table
        With finite numbers and at least two classes.

    Raises
    ------
    InputError
        A ValueError; FileNotFoundError or ImportError too where that is the reason.
    """
    file, name = Path(path), Path(path).name.lower()
    _check_file(file)
    try:
        if name.endswith(_TEXT):
            table = read_text(file, target, drop, groups)
        elif name.endswith(_PARQUET):
            table = read_parquet(file, target, drop, groups)
        elif name.endswith(_NUMPY):
            table = read_npz(file, target, drop, groups)
        else:
            raise _unknown_suffix(file)
    except OSError as error:
        raise InputError(f"{visible(path)} cannot be read: {error.strerror or error}") from error
    check_numbers(table)
    return table


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise InputError(f"{visible(file)} is a folder: name a file in it.")
    if not file.exists():
        raise MissingFileError(
            f"the file {visible(file)} does not exist: check its name and folder."
        )
    if file.is_file() and file.stat().st_size == 0:
        raise InputError(f"{visible(file)} is empty (0 bytes).")


def _unknown_suffix(file: Path) -> InputError:
    supported = " ".join((*_TEXT, *_PARQUET, *_NUMPY))
    hint = "Export the sheet as CSV." if file.suffix.lower() in (".xlsx", ".xls", ".ods") else ""
    return InputError(
        f"{visible(file)} has a suffix that is not known here. {hint}\nSupported: {supported}"
    )
