"""`fewest demo`: the main job on data for which the answer is known."""

from __future__ import annotations

import argparse

from fewest.cli._options import Commands, Parser, add_output_arguments, add_seed, new_command

__all__ = ["add_options", "run"]


def add_options(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    demo = new_command(
        commands,
        "demo",
        help="try it on generated data: 72 samples, 7,000 features, 3 of them informative",
        description="Run the main job on generated data in which the answer is known.",
        examples=("", "--report demo.html", "--seed 1 --json demo.json"),
    )
    add_seed(demo, "another seed gives other data and other folds")
    add_output_arguments(demo)


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._demo import run_demo

    run_demo(arguments)
