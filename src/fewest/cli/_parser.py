"""The parser of `fewest`, with one sub-parser per command."""

from __future__ import annotations

import argparse

from fewest import __version__
from fewest.cli import (
    brain,
    completion,
    demo,
    diagnose,
    informative,
    minimum,
    panel,
    path,
    predict,
    rank,
    select,
)
from fewest.cli._options import EXIT_CODES, Parser

COMMANDS = (
    select,
    predict,
    path,
    rank,
    informative,
    brain,
    minimum,
    panel,
    diagnose,
    demo,
    completion,
)

_EPILOG = f"""\
examples:
  fewest demo
  fewest select expression.csv --target diagnosis
  fewest select expression.csv --target diagnosis --report result.html
  fewest select expression.csv --target diagnosis --model machine.fewest
  fewest predict machine.fewest new.csv --out predicted.csv
  fewest path expression.csv --target diagnosis --plot path.png
  fewest rank expression.csv --target diagnosis --csv ranking.csv
  fewest informative maps.npz --groups participant --plot curves.png
  fewest brain bold.nii.gz --labels labels.txt --groups runs.txt --out found
  fewest minimum expression.csv --target diagnosis
  fewest panel expression.csv --target diagnosis --features CD33,ZYX --against second.csv
  fewest diagnose expression.csv --target diagnosis
  fewest select --help

{EXIT_CODES}"""


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = Parser(
        prog="fewest",
        description="Find the fewest features that tell classes apart.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"fewest {__version__}")
    commands = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add_options(commands)
    return parser


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name."""
    return dict(_commands(parser).choices)


def summaries(parser: argparse.ArgumentParser) -> dict[str, str]:
    """One line about each command, by name."""
    return {entry.dest: entry.help or "" for entry in _commands(parser)._choices_actions}


def _commands(parser: argparse.ArgumentParser) -> argparse._SubParsersAction[Parser]:
    return next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
