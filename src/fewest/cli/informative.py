"""`fewest informative`: the share of features that carry information."""

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
    add_seed,
    at_least_one,
    folds,
    new_data_command,
    none_or_more,
)

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Estimate how many features carry information about the class: select features
again and again, and test how well a support vector machine still tells two
classes apart with the features that remain."""


def add_options(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    informative = new_data_command(
        commands,
        "informative",
        help="the share of features that carry information",
        description=_DESCRIPTION,
        examples=(
            "maps.npz --groups participant --jobs 2",
            "expression.csv --target diagnosis --cv 10 --plot curves.png",
            "maps.npz --groups participant --checkpoint kept --json result.json",
        ),
    )
    add_cost_of_errors(add_method_arguments(informative, ("sfm", "weston", "liknon")))
    group = informative.add_argument_group("probes")
    group.add_argument(
        "--every",
        type=at_least_one,
        default=10,
        metavar="N",
        help="repetitions from one probe of the remaining features to the next (default: 10)",
    )
    group.add_argument(
        "--permutations",
        type=none_or_more,
        default=100,
        metavar="N",
        help="permutations of the labels that show what chance does; 0 for none (default: 100)",
    )
    group = informative.add_argument_group("cross-validation")
    group.add_argument(
        "--groups",
        metavar="COLUMN",
        help="column (for .npz the array) with the participant, or whatever samples belong "
        "together in: one is left out at a time",
    )
    group.add_argument(
        "--cv", type=folds, metavar="K", help="this many folds instead (default without groups: 5)"
    )
    add_seed(group, "decides permutations")
    add_jobs(group)
    add_checkpoint(group)
    add_output_arguments(
        informative, quiet="print the estimate only; no progress bar", plot="the curves"
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._informative import run_informative

    run_informative(arguments)
