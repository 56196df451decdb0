"""From a path to a frame: the suffix decides who reads it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fewest._wording import visible
from fewest.tables._errors import InputError, MissingFileError
from fewest.tables._excel import read_excel
from fewest.tables._frame import Frame, Request
from fewest.tables._h5ad import read_h5ad
from fewest.tables._npz import read_npz
from fewest.tables._parquet import read_parquet
from fewest.tables._text import read_text

_TRANSPOSED = "Transposed: the rows of the file are the features, its columns the samples."
_Reader = Callable[[Path, Request], Frame]
_READERS: dict[tuple[str, ...], _Reader] = {
    (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"): read_text,
    (".parquet",): read_parquet,
    (".npz",): read_npz,
    (".h5ad",): read_h5ad,
    (".xlsx", ".xlsm"): read_excel,
}


def read_frame(path: str | os.PathLike[str], request: Request) -> Frame:
    """Let the reader for the file's suffix read it; errors of the system become InputErrors."""
    file = Path(path)
    try:
        _check_file(file)
        frame = _find_reader(file, request)(file, request)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{visible(file)} cannot be read: {error.strerror or error}") from error
    return replace(frame, notes=[*frame.notes, _TRANSPOSED]) if request.transpose else frame


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
        # Some readers would report a missing permission as damage.
        file.open("rb").close()


def _find_reader(file: Path, request: Request) -> _Reader:
    name = file.name.lower()
    reader = next((_READERS[ends] for ends in _READERS if name.endswith(ends)), None)
    if reader is None:
        old = file.suffix.lower() in (".xls", ".xlsb", ".ods")
        raise InputError(
            f"{visible(file)} has a suffix that is not known here."
            f"{' Save it as .xlsx or CSV.' if old else ''}\n"
            f"Supported: {' '.join(suffix for suffixes in _READERS for suffix in suffixes)}"
        )
    if request.sheet is not None and reader is not read_excel:
        raise InputError(
            f"{visible(file)} has no sheets, only workbooks have: name none.", argument="sheet"
        )
    return reader
