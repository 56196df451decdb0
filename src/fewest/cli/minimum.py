"""`fewest minimum`: the smallest number of features that separate two classes, with its proof."""

from __future__ import annotations

import argparse

from fewest.cli._options import (
    Commands,
    Parser,
    add_jobs,
    add_output_arguments,
    at_least_one,
    at_least_one_or_all,
    cost,
    new_data_command,
)

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Find the smallest number of features that separate two classes without error,
prove that no smaller set does, and check the proof in exact arithmetic."""


def add_options(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    minimum = new_data_command(
        commands,
        "minimum",
        help="the smallest number of features that separate two classes, with a proof",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --solutions all --json minimum.json",
            "expression.npz --max-seconds 3600 --jobs -1",
        ),
    )
    group = minimum.add_argument_group("search")
    group.add_argument(
        "--max-size",
        type=at_least_one,
        metavar="K",
        help="search sets of up to K features completely (default: as many as it takes)",
    )
    group.add_argument(
        "--max-seconds",
        type=cost,
        default=300.0,
        metavar="SECONDS",
        help="end the search then, with the best set and the bound proven so far; inf for no "
        "limit (default: 300)",
    )
    group.add_argument(
        "--solutions",
        type=at_least_one_or_all,
        default=1,
        metavar="N",
        help="how many of the smallest sets to return, or all (default: 1)",
    )
    add_jobs(group, "threads; -1 for one per core", default=-1)
    add_output_arguments(
        minimum, quiet="print the features of the best set only, one per line; no progress"
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._minimum import run_minimum

    run_minimum(arguments)
