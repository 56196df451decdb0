"""From a path to a checked table: the suffix decides who reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from fewest._wording import visible
from fewest.tables.checks import check_finite
from fewest.tables.errors import InputError, MissingFileError
from fewest.tables.excel import read_excel
from fewest.tables.h5ad import read_h5ad
from fewest.tables.missing import treat_missing
from fewest.tables.npz import read_npz
from fewest.tables.parquet import read_parquet
from fewest.tables.table import Table
from fewest.tables.text import read_text
from fewest.tables.wanted import Wanted

Content = TypeVar("Content")

TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET, NPZ, H5AD, EXCEL = (".parquet",), (".npz",), (".h5ad",), (".xlsx", ".xlsm")
_READERS = {
    TEXT: read_text,
    PARQUET: read_parquet,
    NPZ: read_npz,
    H5AD: read_h5ad,
    EXCEL: read_excel,
}


def read_table(
    path: str | os.PathLike[str],
    target: str | None,
    drop: Sequence[str] = (),
    groups: str | None = None,
    *,
    transpose: bool = False,
    missing: str = "error",
    sheet: str | None = None,
) -> Table:
    """Read and check a file.

    Parameters
    ----------
    path : str or path-like
        The file: text with a header line, also as .gz; .parquet; .xlsx; .npz with arrays X and y;
        or .h5ad, with classes and groups in obs.
    target : str or None
        The class column; for .npz the array with the classes, where None means y.
    drop : sequence of str
        Names of features to leave out.
    groups : str, optional
        The column (for .npz the array) that says which samples belong together; no feature.
    transpose : bool
        The samples are columns of the file; its first column has the names of the features, of
        the target and of the groups.
    missing : {"error", "drop-samples", "drop-features", "median"}
        What to do about cells without a value. With "drop-samples", samples without a class or
        group are left out too.
    sheet : str, optional
        The sheet of a workbook (default: the first).

    Returns
    -------
    Table
        With finite numbers and at least two classes.

    Raises
    ------
    InputError
        A ValueError; FileNotFoundError or ImportError too where that is the reason.
    """
    wanted = Wanted(target, tuple(drop), groups, transpose, missing, sheet)
    table = treat_missing(read_by_suffix(Path(path), wanted, _READERS), missing)
    check_finite(table)
    return table


def read_by_suffix(
    file: Path, wanted: Wanted, readers: Mapping[tuple[str, ...], Callable[[Path, Wanted], Content]]
) -> Content:
    """Let the reader of the file's suffix read it; what the system refuses is an InputError."""
    try:
        _check_file(file)
        return _reader(file, wanted, readers)(file, wanted)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{visible(file)} cannot be read: {error.strerror or error}") from error


def _reader(
    file: Path, wanted: Wanted, readers: Mapping[tuple[str, ...], Callable[[Path, Wanted], Content]]
) -> Callable[[Path, Wanted], Content]:
    name = file.name.lower()
    for suffixes, reader in readers.items():
        if name.endswith(suffixes):
            if wanted.sheet is not None and suffixes is not EXCEL:
                raise InputError(
                    f"{visible(file)} has no sheets, only workbooks have: name none.",
                    argument="sheet",
                )
            return reader
    supported = " ".join(suffix for suffixes in readers for suffix in suffixes)
    hint = "Save it as .xlsx or CSV." if file.suffix.lower() in (".xls", ".xlsb", ".ods") else ""
    raise InputError(
        f"{visible(file)} has a suffix that is not known here. {hint}\nSupported: {supported}"
    )


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise InputError(f"{visible(file)} is a folder: name a file in it.")
    if not file.exists():
        raise MissingFileError(
            f"the file {visible(file)} does not exist: check its name and folder."
        )
    if file.is_file():
        if file.stat().st_size == 0:
            raise InputError(f"{visible(file)} is empty (0 bytes).")
        # Some readers would take a missing permission for damage.
        file.open("rb").close()
