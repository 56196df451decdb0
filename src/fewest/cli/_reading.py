"""The data that a command works on."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from fewest._wording import quoted
from fewest.cli._errors import CommandError
from fewest.tables import InputError, Samples, Table, read_samples, read_table
from fewest.tables._read import read_some

_MOST_NOTED = 5
_FEW_ROWS = 10  # among so few, whole numbers may count by chance
_OPTIONS = {
    "target": "--target COLUMN",
    "drop": "--drop COLUMN",
    "groups": "--groups COLUMN",
    "transpose": "--transpose",
    "missing": "--missing drop-samples, drop-features or median",
    "sheet": "--sheet NAME",
    "layer": "--layer NAME",
}


def read(arguments: argparse.Namespace) -> Table:
    """The table; where an option would help, the message names it."""
    _refuse_blocks(arguments)
    with naming_options():
        table = read_table(
            arguments.data,
            arguments.target,
            arguments.drop,
            getattr(arguments, "groups", None),
            transpose=arguments.transpose,
            missing=arguments.missing,
            sheet=arguments.sheet,
            layer=arguments.layer,
        )
    rows, columns = table.X.shape
    if getattr(arguments, "matrix", False) and rows != columns:
        raise CommandError(
            f"--matrix needs as many columns as rows, but the table has {rows} rows and {columns} "
            "columns.\nLeave it out if the columns are objects of another kind."
        )
    return replace(table, notes=[*table.notes, *_note_row_numbers(table)])


def _refuse_blocks(arguments: argparse.Namespace) -> None:
    """Say which command reads files that this one cannot."""
    suffix = Path(arguments.data).suffix.lower()
    if suffix in (".npy", ".bed", ".h5", ".hdf5", ".zarr"):
        raise CommandError(
            f"{suffix} files are read in blocks, which `fewest select` does; `fewest "
            f"{arguments.command}` needs all of the data in memory.\nSave the features that matter "
            "as a table, for example as .npz or .parquet."
        )


def read_second(arguments: argparse.Namespace, features: Sequence[str]) -> tuple[Table, list[str]]:
    """The table of --against, with those of the features that it has; and its other columns."""
    with naming_options():
        return read_some(
            arguments.against,
            features,
            arguments.target,
            transpose=arguments.transpose,
            missing=arguments.missing,
            sheet=arguments.sheet,
            layer=arguments.layer,
        )


def read_new(arguments: argparse.Namespace, features: Sequence[str] | None) -> Samples:
    """Samples to predict, with these features (None: all that are there)."""
    _refuse_blocks(arguments)
    with naming_options():
        return read_samples(
            arguments.data,
            features,
            arguments.target,
            arguments.drop,
            transpose=arguments.transpose,
            sheet=arguments.sheet,
            layer=arguments.layer,
        )


@contextmanager
def naming_options() -> Iterator[None]:
    """Where an option would help, the message names it."""
    try:
        yield
    except InputError as error:
        option = f" See {_OPTIONS[error.argument]}." if error.argument else ""
        raise CommandError(f"{error}{option}") from error


def _note_row_numbers(table: Table) -> list[str]:
    """A running number separates the classes of a sorted file, and says nothing about them."""
    X = table.X
    if X.shape[0] < _FEW_ROWS or sparse.issparse(X):  # a column that counts is not sparse
        return []
    candidates = np.flatnonzero(X[1] - X[0] == 1)
    running = candidates[np.all(np.diff(X[:, candidates], axis=0) == 1, axis=0)]
    return [
        f"The column {quoted(table.feature_names[column])} just counts the rows: "
        "leave it out with --drop unless it is a feature."
        for column in running[:_MOST_NOTED]
    ]
