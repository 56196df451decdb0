"""From a path to a checked data set: the suffix decides who reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewest.cli.checks import check_numbers
from fewest.cli.dataset import Dataset
from fewest.cli.errors import InputError
from fewest.cli.wording import visible

_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_PARQUET = (".parquet",)
_NUMPY = (".npz",)


def read_dataset(path: str, target: str | None, drop: Sequence[str]) -> Dataset:
    """Read and check a file.

    Parameters
    ----------
    path : str
        The file.
    target : str or None
        The class column; may be None for .npz only.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    Dataset
        With finite numbers and at least two classes.
    """
    file, name = Path(path), Path(path).name.lower()
    _check_file(file)
    try:
        if name.endswith(_TEXT):
            from fewest.cli.read_text import read_text

            dataset = read_text(file, target, drop)
        elif name.endswith(_PARQUET):
            from fewest.cli.read_parquet import read_parquet

            dataset = read_parquet(file, target, drop)
        elif name.endswith(_NUMPY):
            from fewest.cli.read_npz import read_npz

            dataset = read_npz(file, target, drop)
        else:
            raise _unknown_suffix(file)
    except OSError as error:
        raise InputError(f"{visible(path)} cannot be read: {error.strerror or error}") from error
    check_numbers(dataset)
    return dataset


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise InputError(f"{visible(file)} is a folder: name a file in it.")
    if not file.exists():
        raise InputError(f"the file {visible(file)} does not exist: check its name and folder.")
    if file.is_file() and file.stat().st_size == 0:
        raise InputError(f"{visible(file)} is empty (0 bytes).")


def _unknown_suffix(file: Path) -> InputError:
    supported = " ".join((*_TEXT, *_PARQUET, *_NUMPY))
    hint = "Export the sheet as CSV." if file.suffix.lower() in (".xlsx", ".xls", ".ods") else ""
    return InputError(
        f"{visible(file)} has a suffix that is not known here. {hint}\nSupported: {supported}"
    )
