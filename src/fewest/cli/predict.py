"""`fewest predict`: new samples for a saved machine."""

from __future__ import annotations

import argparse

from fewest.cli._options import (
    Commands,
    Parser,
    add_layout_arguments,
    add_output_arguments,
    new_command,
)

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Predict new samples with a machine that fewest select --model (or fewest.save
in Python) has saved.

MODEL is safe to open, wherever it comes from: nothing in it is executed.
DATA is a table as for fewest select; the class need not be known. Columns are
matched by name, and only those that the model uses have to be there. A model
without names takes as many columns as it was fitted to, in the same order."""


def add_options(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    predict = new_command(
        commands,
        "predict",
        help="predict new samples with a saved machine",
        description=_DESCRIPTION,
        examples=(
            "machine.fewest new.csv",
            "machine.fewest new.csv --out predicted.csv",
            "machine.fewest new.xlsx --sheet March --transpose",
            "machine.fewest test.csv --target diagnosis --json -",
            "machine.fewest new.csv --quiet > classes.txt",
        ),
    )
    group = predict.add_argument_group("data")
    group.add_argument("model", metavar="MODEL", help="the file with the machine")
    group.add_argument("data", metavar="DATA", help="the file with the samples")
    group.add_argument(
        "--target",
        metavar="COLUMN",
        help="column (for .npz the array) with the true classes: says how many errors there are",
    )
    group.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="COLUMN",
        help="for models without names of features: leave this column out; may be given several "
        "times",
    )
    add_layout_arguments(group)
    output = add_output_arguments(
        predict, quiet="print the predictions only, one per line", page=False
    )
    output.add_argument(
        "--out", metavar="FILE", help="also write a table (CSV), one row per sample"
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._predict import run_predict

    run_predict(arguments)
