"""`fewest completion`: a script that completes commands, options and file names."""

from __future__ import annotations

import argparse

from fewest.cli import _options as options
from fewest.cli._errors import CommandError
from fewest.cli._output import print_text

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Print a script that lets a shell complete commands, options and file names
when Tab is pressed. It goes where the shell looks for such scripts."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    completion = options.new_command(
        commands,
        "completion",
        help="a script for your shell: Tab completes commands and options",
        description=_DESCRIPTION,
        examples=(
            "bash > ~/.local/share/bash-completion/completions/fewest",
            "zsh > ~/.zfunc/_fewest",
            "fish > ~/.config/fish/completions/fewest.fish",
        ),
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


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
