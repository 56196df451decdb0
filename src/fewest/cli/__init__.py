"""The command line: `fewest select` and `fewest demo`."""

from fewest.cli.app import main

__all__ = ["main"]
