"""`fewest select`: the fewest features of a table."""

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


def add_options(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    select = new_data_command(
        commands,
        "select",
        help="select features in your own data",
        description="Select the fewest features that tell the classes apart.",
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --report result.html",
            "expression.tsv.gz --target diagnosis --drop patient --drop age",
            "expression.parquet --target diagnosis --C inf --json result.json",
            "expression.npz --cv 10 --repeats 5 --jobs 4",
            "expression.csv --target diagnosis --method sfm-cv",
            "expression.csv --target diagnosis --method liknon --C 0.05",
            "expression.csv --target diagnosis --method psvm --epsilon 3",
            "similarity.csv --target family --method psvm --matrix --C 0.6 --epsilon 0.1",
            "expression.csv --target diagnosis --quiet > selected.txt",
            "expression.csv --target diagnosis --model machine.fewest",
        ),
    )
    add_method_arguments(select, ("sfm", "sfm-cv", "weston", "liknon", "psvm"))
    validation = add_validation_arguments(select)
    validation.add_argument(
        "--repeats",
        type=at_least_one,
        default=1,
        metavar="R",
        help="repeat it with other folds (default: 1)",
    )
    output = add_output_arguments(select)
    output.add_argument(
        "--model",
        metavar="FILE",
        help="also save the fitted machine to this file, for fewest predict and fewest.load",
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._select import run_select

    run_select(arguments)
