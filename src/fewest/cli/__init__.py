"""The command line: `fewest select`, `fewest path` and `fewest demo`."""

from fewest.cli.app import main

__all__ = ["main"]
