"""What is wrong with a user's file, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewest._memory import TooLargeError
from fewest._wording import cut, visible

_LONGEST_REASON = 300  # other packages may cite what they found, whatever its length


class InputError(ValueError):
    """The file cannot be used.

    Parameters
    ----------
    message : str
        What is wrong and how to correct it.
    argument : str, optional
        The argument of `read_table` that would help; each caller has its own name for it.
    choices : sequence of str
        Several arguments one of which would help, each with the value `column`.
    column : str
        What they would name.

    Examples
    --------
    >>> from fewest.tables import InputError, read_table
    >>> try:
    ...     read_table("nowhere.csv", "diagnosis")
    ... except InputError as error:
    ...     print(error)
    the file nowhere.csv does not exist: check its name and folder.
    """

    def __init__(
        self,
        message: str,
        argument: str | None = None,
        *,
        choices: Sequence[str] = (),
        column: str = "",
    ) -> None:
        super().__init__(message)
        self.argument, self.choices, self.column = argument, tuple(choices), column


class MissingFileError(InputError, FileNotFoundError):
    """There is no such file."""


class MissingPackageError(InputError, ImportError):
    """A package that reads this kind of file is not installed."""

    def __init__(self, file: Path, package: str, extra: str = "cli") -> None:
        super().__init__(f'reading {visible(file)} needs {package}: pip install "fewest[{extra}]"')


class DamagedFileError(InputError):
    """The file is not what its suffix says, or is incomplete."""

    def __init__(self, file: Path, kind: str, reason: object, advice: str) -> None:
        super().__init__(
            f"{visible(file)} is damaged, or not {kind} ({cut(reason, _LONGEST_REASON)}).\n{advice}"
        )


class LargeFileError(InputError):
    """The file, or a part of it, would take more memory than a file may."""

    def __init__(self, error: TooLargeError) -> None:
        super().__init__(
            f"{error}.\nTake fewer rows or columns, or allow more if there is more memory."
        )
