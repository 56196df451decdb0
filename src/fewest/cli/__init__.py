"""The command line: `fewest select`, `fewest path` and `fewest demo`."""

from fewest.cli._app import main

__all__ = ["main"]
