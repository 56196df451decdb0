"""Where the result goes: terminal, file, or both."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fewest._run.files import atomic_write, check_writable
from fewest._run.json_text import to_json
from fewest._wording import visible
from fewest.cli._emphasis import plain, shown_on
from fewest.cli._errors import CommandError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_STANDARD_OUTPUT = "-"
_PAGE_FORMATS = (".html", ".json")


@dataclass
class Output:
    """What --json and --quiet ask for."""

    json_file: str | None
    quiet: bool
    later: list[str] = field(default_factory=list)

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> Output:
        """Also makes sure, before the long work, that the files can be written."""
        output = cls(arguments.json, arguments.quiet)
        if output._has_file:
            require_writable("--json", arguments.json)
        check_page(getattr(arguments, "report", None))
        return output

    @property
    def show_progress(self) -> bool:
        """A bar is for people only; with `2>&-` there is no standard error at all."""
        return not self.quiet and sys.stderr is not None and sys.stderr.isatty()

    def say(self, text: str) -> None:
        """Text that --quiet and JSON on standard output leave out."""
        if not self.quiet and self.json_file != _STANDARD_OUTPUT:
            print_text(shown_on(sys.stdout, text))

    def say_later(self, text: str) -> None:
        """Text that comes after the result."""
        self.later.append(text)

    def deliver(self, report: DataclassInstance, text: str, brief: str) -> None:
        """Write the file first: it must not depend on who reads the terminal.

        `text` is for the terminal, `brief` what --quiet leaves of it.
        """
        if self.json_file is not None and self._has_file:
            write(self.json_file, to_json(report) + "\n")
            self.later.insert(0, f"Written: {visible(self.json_file)}")
        if self.json_file == _STANDARD_OUTPUT:
            print_text(to_json(report))
        elif self.quiet and brief:
            print_text(plain(brief))
        for line in ("\n" + text, *self.later):
            self.say(line)

    @property
    def _has_file(self) -> bool:
        return self.json_file not in (None, _STANDARD_OUTPUT)


def check_page(path: str | None) -> None:
    """What would make a page fail is said before the long work."""
    if path is None:
        return
    if not path.lower().endswith(_PAGE_FORMATS):
        raise CommandError(
            f"--report {visible(path)}: the name must end in .html, or in .json for the same as "
            "numbers."
        )
    require_writable("--report", path)
    require_page_packages("Or leave --report out.")


def require_page_packages(otherwise: str) -> None:
    """An error now if the packages that make a page are not there."""
    from fewest.plotting._figures import require_matplotlib
    from fewest.report._report import require_jinja

    try:
        require_matplotlib()
        require_jinja()
    except ImportError as error:
        raise CommandError(f"the report: {error}.\n{otherwise}") from error


def require_writable(option: str, path: str) -> None:
    """An error now if the file that an option names could not be written later."""
    try:
        check_writable(path)
    except OSError as error:
        raise CommandError(
            f"{option} {visible(path)}: {error}.\n"
            "Name a file in a folder that exists and that you may write to."
        ) from error


def write(path: str, content: str | bytes) -> None:
    """The whole file or none of it."""
    try:
        atomic_write(path, content)
    except OSError as error:
        raise CommandError(
            f"{visible(path)} could not be written: {error.strerror or error}"
        ) from error


def print_text(text: str) -> None:
    """Print; a reader that has gone away (`| head`) is no error, and the work goes on."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Else Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise CommandError(
                f"standard output could not be written: {error.strerror or error}.\n"
                "Make room on the disk, or name another place."
            ) from error
