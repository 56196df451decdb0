"""Options of `fewest completion`."""

from __future__ import annotations

from fewest.cli.options.common import Commands, Parser, new_command

_DESCRIPTION = """\
Print a script that lets a shell complete commands, options and file names
when Tab is pressed. It goes where the shell looks for such scripts."""

SHELLS = ("bash", "zsh", "fish")


def add_completion(commands: Commands[Parser]) -> None:
    """Describe the command and its options."""
    completion = new_command(
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
    completion.add_argument("shell", choices=SHELLS, help="the shell")
