"""What is wrong with a user's file, and what to do about it."""

from __future__ import annotations


class InputError(ValueError):
    """The file cannot be used.

    Parameters
    ----------
    message : str
        What is wrong and how to put it right.
    argument : {"target", "drop", "groups", "transpose", "missing", "sheet"}, optional
        The argument of `read_table` that would help; each caller has its own name for it.
    """

    def __init__(self, message: str, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument


class MissingFileError(InputError, FileNotFoundError):
    """There is no such file."""


class MissingPackageError(InputError, ImportError):
    """A package that reads this kind of file is not installed."""
