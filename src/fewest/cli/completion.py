"""`fewest completion`: a script that completes commands, options and file names."""

from __future__ import annotations

import argparse

from fewest.cli.errors import CommandError
from fewest.cli.output import print_text
from fewest.cli.parser import build_parser, subcommands, summaries


def run_completion(arguments: argparse.Namespace) -> None:
    """Print the script."""
    print_text(script(arguments.shell))


def script(shell: str) -> str:
    """What the shell is to run; made from the parser, so that it knows all that the parser knows.

    Parameters
    ----------
    shell : {"bash", "zsh", "fish"}
        Whose language it is in.

    Returns
    -------
    str
        The script.
    """
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
                action.complete = kinds[action.metavar]
    return shtab.complete(parser, shell=shell)
