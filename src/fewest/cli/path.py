"""`fewest path`: number of features and errors against C."""

from __future__ import annotations

import argparse

from fewest.cli._options import (
    Commands,
    Parser,
    add_method_arguments,
    add_output_arguments,
    add_validation_arguments,
    at_least_one,
    new_data_command,
)

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Show what C does: the number of features, the training error and the
cross-validated error (features selected again in every fold) against C."""


def add_options(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    path = new_data_command(
        commands,
        "path",
        help="number of features and errors against C, as a table and a figure",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --plot path.png --json path.json",
            "expression.csv --target diagnosis --method liknon --values 50 --cv 10",
        ),
    )
    group = add_method_arguments(path, ("sfm", "liknon"))
    group.add_argument(
        "--values",
        type=at_least_one,
        default=20,
        metavar="N",
        help="how many values of C (default: 20)",
    )
    group.add_argument(
        "--grid",
        choices=("breakpoints", "transvariation"),
        default="breakpoints",
        help="values of C: evenly (in the logarithm) from the first to the last one at which the "
        "linear program's solution changes (the default), or (liknon only) from the class "
        "differences of the features, as its authors do",
    )
    add_validation_arguments(path)
    add_output_arguments(path, quiet="print the table only; no progress bar", plot="the table")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._path import run_path

    run_path(arguments)
