"""The data that a command works on."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations

import numpy as np

from fewest._wording import quoted, visible
from fewest.cli._errors import CommandError
from fewest.tables import InputError, Samples, Table, read_samples, read_table

_MOST_NOTED = 5
_FEW_ROWS = 10  # among so few, whole numbers may count by chance
_OPTIONS = {
    "target": "--target COLUMN",
    "drop": "--drop COLUMN",
    "groups": "--groups COLUMN",
    "transpose": "--transpose",
    "missing": "--missing drop-samples, drop-features or median",
    "sheet": "--sheet NAME",
}


def keep_the_data(data: str, *, what: str = "the data", **results: str | None) -> None:
    """A slip of the hand must not replace the data by a result, nor one result by another."""
    for option, result in results.items():
        if result and _same_file(data, result):
            raise CommandError(
                f"--{option} {visible(result)} would replace {what}.\nName another file."
            )
    named = [(option, os.path.realpath(result)) for option, result in results.items() if result]
    for (one, first), (two, second) in combinations(named, 2):
        if first == second:
            raise CommandError(f"--{one} and --{two} name the same file.\nName two files.")


def _same_file(one: str, two: str) -> bool:
    return os.path.exists(one) and os.path.exists(two) and os.path.samefile(one, two)


def read(arguments: argparse.Namespace) -> Table:
    """The table; where an option would help, the message names it."""
    with _naming_options():
        table = read_table(
            arguments.data,
            arguments.target,
            arguments.drop,
            getattr(arguments, "groups", None),
            transpose=arguments.transpose,
            missing=arguments.missing,
            sheet=arguments.sheet,
        )
    return replace(table, notes=[*table.notes, *_note_row_numbers(table)])


def read_new(arguments: argparse.Namespace, features: Sequence[str] | None) -> Samples:
    """Samples to predict, with these features (None: all that are there)."""
    with _naming_options():
        return read_samples(
            arguments.data,
            features,
            arguments.target,
            arguments.drop,
            transpose=arguments.transpose,
            sheet=arguments.sheet,
        )


@contextmanager
def _naming_options() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        option = f" See {_OPTIONS[error.argument]}." if error.argument else ""
        raise CommandError(f"{error}{option}") from error


def require_square(rows: int, columns: int) -> None:
    """The columns can be the samples only if there are as many."""
    if rows != columns:
        raise CommandError(
            f"--matrix needs as many columns as rows, but the table has {rows} rows and {columns} "
            "columns.\nLeave it out if the columns are objects of another kind."
        )


def _note_row_numbers(table: Table) -> list[str]:
    """A running number separates the classes of a sorted file, and says nothing about them."""
    X = table.X
    if len(X) < _FEW_ROWS:
        return []
    candidates = np.flatnonzero(X[1] - X[0] == 1)
    running = candidates[np.all(np.diff(X[:, candidates], axis=0) == 1, axis=0)]
    return [
        f"The column {quoted(table.feature_names[column])} just counts the rows: "
        "leave it out with --drop if it is no feature."
        for column in running[:_MOST_NOTED]
    ]
