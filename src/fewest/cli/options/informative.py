"""Options of `fewest informative`."""

from __future__ import annotations

from fewest.cli.options.common import (
    Commands,
    Parser,
    add_cost_of_errors,
    add_method_arguments,
    add_output_arguments,
    new_data_command,
)
from fewest.cli.options.types import at_least_one, folds, jobs, none_or_more, seed

_DESCRIPTION = """\
Estimate how many features carry information about the class: select features
again and again, and test how well a support vector machine still tells two
classes apart with the features that remain."""


def add_informative(commands: Commands[Parser]) -> None:
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
    group = add_method_arguments(informative, ("sfm", "weston", "liknon"))
    add_cost_of_errors(group)
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
    group.add_argument(
        "--seed", type=seed, default=0, metavar="INT", help="decides permutations (default: 0)"
    )
    group.add_argument(
        "--jobs",
        type=jobs,
        default=1,
        metavar="N",
        help="folds computed at the same time; -1 for one a core (default: 1)",
    )
    group.add_argument(
        "--checkpoint",
        metavar="FOLDER",
        help="keep every finished repetition there; the same command goes on where it was stopped",
    )
    output = add_output_arguments(informative, quiet="print the estimate only; no progress bar")
    output.add_argument(
        "--plot", metavar="FILE", help="draw the curves; the name ends in .png, .svg or .pdf"
    )
