"""Options of `fewest minimum`."""

from __future__ import annotations

from fewest.cli.options.common import Commands, Parser, add_output_arguments, new_data_command
from fewest.cli.options.types import at_least_one, at_least_one_or_all, cost, jobs

_DESCRIPTION = """\
Find the smallest number of features that separate two classes without error,
prove that no smaller set does, and check the proof in exact arithmetic."""


def add_minimum(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    minimum = new_data_command(
        commands,
        "minimum",
        help="the smallest number of features that separate two classes, with a proof",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --solutions all --json minimum.json",
            "expression.npz --time-limit 3600 --jobs -1",
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
        "--time-limit",
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
    group.add_argument(
        "--jobs",
        type=jobs,
        default=-1,
        metavar="N",
        help="threads; -1 for one a core (default: -1)",
    )
    add_output_arguments(
        minimum, quiet="print the features of the best set only, one a line; no progress"
    )
