"""Options of `fewest rank`."""

from __future__ import annotations

from fewest.cli.options.common import (
    Commands,
    Parser,
    add_cost_of_errors,
    add_method_arguments,
    add_output_arguments,
    new_data_command,
)
from fewest.cli.options.types import at_least_one, jobs, share

_DESCRIPTION = """\
Find all features that tell the classes apart: select the fewest, set them
aside, select again among the rest, and so on. The subsets are listed by size."""


def add_rank(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    rank = new_data_command(
        commands,
        "rank",
        help="disjoint subsets of features, found one after the other",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis --repetitions 10",
            "expression.csv --target diagnosis --C 1 --max-training-error 0.1",
            "maps.npz --checkpoint kept --csv ranking.csv --json ranking.json",
        ),
    )
    group = add_method_arguments(rank, ("sfm", "weston", "liknon"))
    add_cost_of_errors(group)
    group = rank.add_argument_group("repetition")
    group.add_argument(
        "--repetitions",
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
    group.add_argument(
        "--checkpoint",
        metavar="FOLDER",
        help="keep every finished repetition there; the same command goes on where it was stopped",
    )
    group.add_argument(
        "--jobs",
        type=jobs,
        default=1,
        metavar="N",
        help="more than two classes: machines computed at the same time (default: 1)",
    )
    output = add_output_arguments(
        rank, quiet="print the names of the features only, the smallest subset first; no bar"
    )
    output.add_argument("--csv", metavar="FILE", help="also write a table with one row a feature")
