"""The command line: `fewest select`, `fewest path` and `fewest demo`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run `fewest` with these arguments (default: those of the process).

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name.

    Returns
    -------
    int
        The exit code: 0, 1 (failed unforeseen), 2 (usage or input), 3 (not separable) or 130
        (interrupted).
    """
    # Ctrl-C while the program itself is being loaded ends it as it would later.
    try:
        from fewest.cli._app import main as run_command

        return run_command(argv)
    except KeyboardInterrupt:
        with suppress(OSError, AttributeError):  # standard error may be full, or closed
            print("fewest: interrupted", file=sys.stderr, flush=True)
        return 130
