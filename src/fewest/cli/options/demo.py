"""Options of `fewest demo`."""

from __future__ import annotations

from fewest.cli.options.common import Commands, Parser, add_output_arguments, new_command
from fewest.cli.options.types import seed

_DESCRIPTION = """\
Run the main job on generated data in which the answer is known."""


def add_demo(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    demo = new_command(
        commands,
        "demo",
        help="try it on generated data: 72 samples, 7,000 features, 3 of them informative",
        description=_DESCRIPTION,
        examples=(
            "",
            "--report demo.html",
            "--seed 1 --json demo.json",
        ),
    )
    demo.add_argument(
        "--seed",
        type=seed,
        default=0,
        metavar="INT",
        help="another seed gives other data and other folds (default: 0)",
    )
    add_output_arguments(demo)
