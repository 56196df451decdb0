"""`fewest rank`: disjoint subsets of features, the smallest first."""

from __future__ import annotations

import argparse

from fewest.cli._options import (
    Commands,
    Parser,
    add_checkpoint,
    add_cost_of_errors,
    add_jobs,
    add_method_arguments,
    add_output_arguments,
    at_least_one,
    new_data_command,
    share,
)

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Find all features that tell the classes apart: select the fewest, set them
aside, select again among the rest, and so on. The subsets are listed by size."""


def add_options(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    rank = new_data_command(
        commands,
        "rank",
        help="disjoint subsets of features, found one after the other",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis --subsets 10",
            "expression.csv --target diagnosis --C 1 --max-training-error 0.1",
            "maps.npz --checkpoint kept --csv ranking.csv --json ranking.json",
        ),
    )
    add_cost_of_errors(add_method_arguments(rank, ("sfm", "weston", "liknon")))
    group = rank.add_argument_group("repetition")
    group.add_argument(
        "--subsets",
        type=at_least_one,
        metavar="N",
        help="most subsets to find (default: until the classes cannot be told apart any more)",
    )
    group.add_argument(
        "--max-training-error",
        type=share,
        metavar="SHARE",
        help="end before the share of training samples on the wrong side exceeds this",
    )
    group.add_argument(
        "--min-features",
        type=at_least_one,
        default=1,
        metavar="N",
        help="end when fewer features are left (default: 1)",
    )
    add_checkpoint(group)
    add_jobs(group, "more than two classes: machines computed at the same time")
    output = add_output_arguments(
        rank, quiet="print the names of the features only, the smallest subset first; no bar"
    )
    output.add_argument("--csv", metavar="FILE", help="also write a table, one row per feature")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._rank import run_rank

    run_rank(arguments)
