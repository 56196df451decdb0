"""`fewest select`: the main job on a file."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace

import numpy as np

from fewest._tables import InputError, Table, read_table
from fewest._tables.wording import quoted, visible
from fewest.cli.errors import CommandError
from fewest.cli.job import run_job, summarize
from fewest.cli.output import Output
from fewest.cli.settings import Settings
from fewest.cli.text import data_text

_MOST_NOTED = 5
_FEW_ROWS = 10  # among so few, whole numbers may count by chance


def run_select(arguments: argparse.Namespace) -> None:
    """Read, fit, cross-validate, report."""
    _keep_the_data(arguments)
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    table = _read(arguments)
    seconds = time.perf_counter() - started
    output.say(data_text(summarize(table)))
    report = run_job(
        table,
        Settings.from_arguments(arguments),
        seconds_reading=seconds,
        show_progress=output.show_progress,
    )
    output.deliver(report)


def _keep_the_data(arguments: argparse.Namespace) -> None:
    """A slip of the hand must not replace the data by the result."""
    data, result = arguments.data, arguments.json
    if (
        result
        and os.path.exists(data)
        and os.path.exists(result)
        and os.path.samefile(data, result)
    ):
        raise CommandError(f"--json {visible(result)} would replace the data.\nName another file.")


def _read(arguments: argparse.Namespace) -> Table:
    """The table; where an option would help, the message names it."""
    try:
        table = read_table(arguments.data, arguments.target, arguments.drop)
    except InputError as error:
        option = f" See --{error.argument} COLUMN." if error.argument else ""
        raise CommandError(f"{error}{option}") from error
    return replace(table, notes=[*table.notes, *_note_row_numbers(table)])


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
