"""`fewest completion`: a script that completes commands, options and file names."""

from __future__ import annotations

import argparse

from fewest.cli._errors import CommandError
from fewest.cli._output import print_text

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> None:
    """Print what the shell is to run; it is made from the parser, and knows what that knows."""
    from fewest.cli._parser import build_parser, subcommands, summaries

    try:
        import shtab
    except ImportError as error:
        raise CommandError('fewest completion needs shtab: pip install "fewest[cli]"') from error
    parser = build_parser()
    kinds = {"DATA": shtab.FILE, "FILE": shtab.FILE, "FOLDER": shtab.DIRECTORY}
    for name, command in subcommands(parser).items():
        command.description = summaries(parser)[name]  # shells show one line
        for action in command._actions:
            if action.metavar in kinds:
                action.complete = kinds[action.metavar]  # type: ignore[attr-defined]
    print_text(shtab.complete(parser, shell=arguments.shell))
