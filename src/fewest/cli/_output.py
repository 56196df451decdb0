"""Where the result goes: terminal, file, or both."""

from __future__ import annotations

import argparse
import csv
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from fewest._cells import protect_cell
from fewest._run.files import atomic_write, check_writable
from fewest._run.json_text import to_json
from fewest._wording import visible
from fewest.cli._emphasis import plain, shown_on
from fewest.cli._errors import CommandError, refuse_place, refuse_writing

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_STANDARD_OUTPUT = "-"
# Options that name a file to read, and what it holds.
_INPUTS = {
    "data": "data",
    "model": "model",
    "against": "second data",
    "classes": "classes",
    "against_classes": "second classes",
    "features_from": "names of the features",
    "images": "images",
    "labels": "labels",
    "events": "events",
    "confounds": "confounds",
}
# What a command may be stopped before.
_PARTS = {
    "search": "the search",
    "validation": "the cross-validation",
    "points": "the points",
    "against": "the second data",
    "choice": "the choice in every fold",
    "panels": "the other panels",
    "confounding": "the test of the covariates",
    "comparison": "the comparison with other methods",
    "learning_curve": "the learning curve",
    "per_class": "the classes one by one",
    "permutation": "the permutation test",
    "verification": "the second search",
    "maps": "the maps",
    "model": "the model file",
    "figures": "the figures",
    "plot": "the figure",
    "csv": "the table",
    "page": "the page",
}
_ENDINGS = {"report": (".html", ".json"), "plot": (".png", ".svg", ".pdf")}


@dataclass
class Output:
    """What --json and --quiet ask for."""

    json_file: str | None
    quiet: bool
    verbose: bool = False
    later: list[str] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)
    _has_told_brief: bool = False
    _last: tuple[DataclassInstance, str] | None = None
    _is_in_file: bool = False  # what was found until now

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace, *files: str) -> Output:
        """Also makes sure, before the long work, that the files can be written.

        `files` are options that name a file to write, besides those that many commands have.
        """
        paths = {name: getattr(arguments, name, None) for name in ("json", "report", *files)}
        _check_files(arguments, {name: path for name, path in paths.items() if path})
        verbose = bool(getattr(arguments, "verbose", False))
        if verbose and arguments.quiet:
            raise CommandError("--quiet and --verbose exclude each other.\nGive one of them.")
        return cls(arguments.json, arguments.quiet, verbose)

    @property
    def show_progress(self) -> bool:
        """A bar is for people only; with `2>&-` there is no standard error at all."""
        return not self.quiet and sys.stderr is not None and sys.stderr.isatty()

    @property
    def file(self) -> str | None:
        """The file that --json names, in words."""
        return visible(self.json_file) if self.json_file not in (None, _STANDARD_OUTPUT) else None

    def say(self, text: str) -> None:
        """Text that --quiet and JSON on standard output leave out."""
        if not self.quiet and self.json_file != _STANDARD_OUTPUT:
            print_text(shown_on(sys.stdout, text))

    def say_later(self, text: str) -> None:
        """Text that comes after the result."""
        self.later.append(text)

    def deliver(self, report: DataclassInstance, text: str, brief: str, verdict: str = "") -> None:
        """The whole result, of which nothing was told before."""
        try:
            self.tell(report, text, brief, verdict)
        finally:
            self.end()

    def tell(self, report: DataclassInstance, text: str, brief: str, verdict: str = "") -> None:
        """Write what is known by now, and print `text`; `end` comes after the last one.

        `text` is what is new, for the terminal, and `brief` what --quiet leaves of all. A verdict
        that is new comes first, later ones last. The file does not depend on who reads the
        terminal, nor the other way round.
        """
        first, self._last = self._last is None, (report, verdict)
        try:
            self.write_json(report)
        finally:
            if self.quiet and brief and not self._has_told_brief:
                self._has_told_brief = True
                if self.json_file != _STANDARD_OUTPUT:
                    print_text(plain(brief))
            verdict = verdict if self.is_new(verdict) else ""
            blocks = [verdict, text] if first else [text, verdict]
            if any(blocks):
                self.say("\n" + "\n\n".join(filter(None, blocks)))
            for line in filter(self.is_new, self.later):
                self.say(line)

    def write_json(self, report: DataclassInstance) -> None:
        """Write the file that --json names: the whole of it, each time more is known."""
        if self.file is not None and self.json_file is not None:
            self._is_in_file = False
            write(self.json_file, to_json(report) + "\n")
            self._is_in_file = True
            written = f"Written: {self.file}"
            if written not in self.later:
                self.later.insert(0, written)

    def end(self) -> None:
        """Print what comes once: JSON on standard output, and with --quiet the verdict.

        That is on standard error, where what reads standard output need not know of it.
        """
        if self._last is None:
            return
        (report, verdict), self._last = self._last, None
        if self.json_file == _STANDARD_OUTPUT:
            print_text(to_json(report))
        elif self._has_told_brief and verdict and sys.stderr is not None:
            print(plain(verdict), file=sys.stderr)

    @contextmanager
    def ending(self, waiting: Sequence[str], places: Sequence[str] = ()) -> Iterator[None]:
        """Whatever ends it: the last words, and which parts are still waited for then.

        `places`, besides the file of --json, are where the rest is by then.
        """
        try:
            yield
        except BaseException:
            if waiting and sys.stderr is not None:
                names = name_parts(waiting)
                files = [self.file] if self.file is not None and self._is_in_file else []
                where = " and in ".join(["above", *files, *places])
                print(
                    f"fewest: not finished: {names}. What was found before is {where}.",
                    file=sys.stderr,
                )
            raise
        finally:
            self.end()

    def is_new(self, text: str) -> bool:
        """Whether a text was not printed yet; it counts as printed from now on."""
        is_new = text not in self._told
        self._told.add(text)
        return is_new


def name_parts(parts: Iterable[str]) -> str:
    """What these parts are called, each once."""
    return ", ".join(dict.fromkeys(_PARTS[part] for part in parts))


def _check_files(arguments: argparse.Namespace, files: dict[str, str]) -> None:
    """Say now what would make a file fail later; none may replace what is read, or another."""
    from fewest.tables._classes import split_classes

    inputs = [name for name in _INPUTS if name not in files]
    for name, (option, path) in product(inputs, files.items()):
        given: Any = getattr(arguments, name, None) or []
        if given and name in ("classes", "against_classes"):
            given = str(split_classes(given)[0])
        for read in [given] if isinstance(given, str) else given:
            if os.path.exists(read) and os.path.exists(path) and os.path.samefile(read, path):
                raise CommandError(
                    f"--{option} {visible(path)} would replace the {_INPUTS[name]}.\n"
                    "Name another file."
                )
    for one, two in combinations(files, 2):
        if os.path.realpath(files[one]) == os.path.realpath(files[two]):
            raise CommandError(f"--{one} and --{two} name the same file.\nName two files.")
    for option, path in files.items():
        *others, last = _ENDINGS.get(option, ("",))
        if not path.lower().endswith((*others, last)):
            raise CommandError(
                f"--{option} {visible(path)}: the name must end in {', '.join(others)} or {last}."
            )
        if path != _STANDARD_OUTPUT or option != "json":
            _require_writable(option, path)
        if option in _ENDINGS:
            require_packages(f"--{option}", f"Or leave --{option} out.", page=option == "report")


def _require_writable(option: str, path: str) -> None:
    try:
        check_writable(path)
    except OSError as error:
        raise refuse_place(
            f"--{option} {visible(path)}: {error}.\n"
            "Name a file in a folder that exists and that you may write to.",
            error,
        ) from error


def require_packages(what: str, otherwise: str, *, page: bool = True) -> None:
    """An error now if the packages that draw figures, or make a page, are not there."""
    from fewest.plotting._figures import require_matplotlib
    from fewest.report._report import require_jinja

    try:
        require_matplotlib()
        if page:
            require_jinja()
    except ImportError as error:
        raise CommandError(f"{what}: {error}.\n{otherwise}") from error


@contextmanager
def writing(what: str) -> Iterator[None]:
    """An error on the way says what could not be written, and why."""
    try:
        yield
    except OSError as error:
        raise refuse_writing(visible(what), error) from error


def write(path: str, content: str | bytes) -> None:
    """The whole file or none of it."""
    with writing(path):
        atomic_write(path, content)


def csv_text(rows: Iterable[Iterable[Any]], *, raw: bool = False) -> str:
    """A table as text, the header first; names that look like formulas are protected."""
    content = io.StringIO()
    if not raw:
        rows = ([protect_cell(cell) for cell in row] for row in rows)
    csv.writer(content, lineterminator="\n").writerows(rows)
    return content.getvalue()


def print_text(text: str) -> None:
    """Print; a reader that has gone away (`| head`) is no error, and the work goes on."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Else Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise refuse_writing("standard output", error) from error
