"""What every command on a table does: read, compute with readable errors, print and write."""

from __future__ import annotations

import argparse
import io
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fewest._estimators.held_out import HeldOut
from fewest._estimators.splits import Split, split_folds
from fewest._run.checkpoint import CheckpointError
from fewest._wording import counted, visible
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli._methods import METHODS
from fewest.cli._output import Output, write
from fewest.cli._reading import read
from fewest.cli._text import data_text, result_text
from fewest.exceptions import NotSeparableError
from fewest.report._data import Data
from fewest.report._given import Given, sort_results
from fewest.report._known import known_content, name_method
from fewest.report._make import PARTS, Wanted, fill_report
from fewest.report._report import Report
from fewest.report._verdict import judge_content
from fewest.report.content import NOT_ASKED_FOR, Content, LeftOut
from fewest.tables import Table

_USUAL_FOLDS = 5
_NO_OPTIONS = {"command", "line", "json", "report", "quiet", "plot", "csv", "model", "checkpoint"}
_NO_OPTIONS |= {"links"}  # a field of its own


@dataclass(eq=False)
class Job:
    """One run of a command: its data, and what is to be told beside the result."""

    arguments: argparse.Namespace
    output: Output
    data: Data
    about: dict[str, Any]
    seconds: dict[str, float]
    notes: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    truth: list[str] = field(default_factory=list)
    rules: dict[str, Any] = field(default_factory=dict)  # about features, for the estimator
    covariates: dict[str, Any] = field(default_factory=dict)

    @property
    def verbose(self) -> int:
        return int(self.output.show_progress)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Keep the time that a part took."""
        started = time.perf_counter()
        yield
        self.seconds[what] = time.perf_counter() - started

    @contextmanager
    def working(self, what: str = "fitting", *, where: str = "") -> Iterator[None]:
        """The main work: timed, its warnings are notes, and its errors say what to do."""
        method = METHODS.get(getattr(self.arguments, "method", ""))
        try:
            with self.timed(what), self.noting("Warning: "):
                yield
        except NotSeparableError as error:
            if self.rules:
                raise InseparableError(f"{self.about['origin']}: {error}") from error
            example = 10 if method is not None and method.has_margin and not where else 1
            raise InseparableError(
                f"{where}no hyperplane on the {counted(self.data.X.shape[1], 'feature')} of "
                f"{self.about['origin']} separates the classes without error (proven).\n"
                f"Allow errors with a finite cost, for example --C {example}"
            ) from error
        except CheckpointError as error:
            raise CommandError(f"--checkpoint: {error}.") from error
        except ValueError as error:
            raise CommandError(f"{self.about['origin']}: {error}") from error

    @contextmanager
    def noting(self, prefix: str = "") -> Iterator[None]:
        """Warnings become notes, each once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        self.note(f"{prefix}{warning.message}." for warning in caught)

    def _find_splits(self, n_repeats: int) -> list[Split]:
        """The folds; none, and a reason, if they were not asked for or are not possible."""
        arguments, data = self.arguments, self.data
        if not arguments.cv:
            self.leave_out("validation", NOT_ASKED_FOR)
            return []
        rng = np.random.RandomState(arguments.seed)
        try:
            with self.noting():
                return [
                    split
                    for _ in range(n_repeats)
                    for split in split_folds(arguments.cv, data.y, data.groups, random_state=rng)
                ]
        except ValueError as error:
            self.leave_out("validation", error)
            return []

    def judge(
        self, follow: Callable[[list[Split]], list[HeldOut]], n_repeats: int = 1
    ) -> list[HeldOut]:
        """The cross-validations that `follow` makes with the folds; none, and why, if it cannot.

        A fold may lack what all samples have; their result still stands.
        """
        found: list[HeldOut] = []
        splits = self._find_splits(n_repeats)
        if splits:
            try:
                with self.timed("cross-validation"):
                    found = follow(splits)
            except ValueError as error:
                self.leave_out("validation", f"a fold could not be fitted: {error}")
        self.note(f"In a fold: Warning: {text}." for one in found for text in one.warnings)
        return found

    def note(self, notes: Iterable[str]) -> None:
        """Notes that are not there yet."""
        self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]

    def leave_out(self, part: str, reason: Any) -> None:
        """Say why a part is missing."""
        self.left_out.append(LeftOut(part, str(reason)))

    def say_method(self, estimator: Any, *, with_C: bool = True) -> None:
        """The line about the method, before the work."""
        self.output.say(f"Method    {name_method(estimator, with_C=with_C)}")

    def content(self, *results: Any, estimator: Any = None) -> Content:
        """What is known of these results."""
        return known_content(self._sort(results), self.data, estimator=estimator, **self._header())

    def deliver(
        self,
        content: Content,
        brief: str,
        *results: Any,
        notes: Sequence[str] = (),
    ) -> None:
        """Print the result, or `brief` if the user wants little, and write its files.

        The page of `results`, if there is to be one, is made first: its test decides the verdict,
        here and there. Whatever ends it, what is known already is not lost.
        """
        if self.arguments.report is None:
            self._deliver(content, brief)
            return
        try:
            report = self._make_page(results, notes)
        except BaseException:
            self._deliver(content, brief)
            raise
        as_json = self.arguments.report.lower().endswith(".json")
        page = report.to_json() + "\n" if as_json else report.html
        self._deliver(add_test(content, report.content), brief, report.content)
        write(self.arguments.report, page)
        self.output.say(f"Report: {visible(self.arguments.report)}")

    def _deliver(self, content: Content, brief: str, judged: Content | None = None) -> None:
        """Print and write; the verdict is that of `judged`, a content that knows more."""
        verdict = judge_content(judged or content).text
        if content.answer is None and content.trust.diagnostics is not None:
            verdict = ""  # the result itself begins with it
        text = result_text(content, verbose=self.output.verbose)
        self.output.deliver(content, text, brief, verdict)

    def write(self, option: str, content: str | bytes, word: str = "Written") -> None:
        """Write a file that an option names, and say so later."""
        path = getattr(self.arguments, option)
        write(path, content)
        self.output.say_later(f"{word}: {visible(path)}")

    def draw(self, draw: Callable[[Any], Any], **settings: Any) -> None:
        """Write the figure that `draw` fills, in the format that the name of its file asks for."""
        from matplotlib.figure import Figure

        figure, content = Figure(**settings), io.BytesIO()
        draw(figure)
        ending = os.path.splitext(self.arguments.plot)[1]
        figure.savefig(content, format=ending.lower()[1:], dpi=150)
        self.write("plot", content.getvalue(), "Drawn")

    def _make_page(self, results: Sequence[Any], notes: Sequence[str]) -> Report:
        """The page of these results, with all that is computed for it."""
        arguments = self.arguments
        parts = frozenset(PARTS) - {one.part for one in self.left_out}
        if getattr(arguments, "cv", None) == 0:
            parts -= {"validation"}
        wanted = Wanted(
            parts,
            arguments.report_seconds,
            getattr(arguments, "page_permutations", None),
            verbose=self.verbose,
            say=self.output.say,
        )
        header = {**self._header(), "notes": [*self.notes, *notes]}
        try:
            return fill_report(self._sort(results), self.data, wanted, header)
        except ValueError as error:
            raise CommandError(f"--report: {error}") from error

    def _sort(self, results: Iterable[Any]) -> Given:
        return sort_results([one for one in results if one is not None], self.data)

    def _header(self) -> dict[str, Any]:
        return {
            "command": self.arguments.command,
            "call": self.arguments.line,
            "about": self.about,
            "options": list_options(self.arguments),
            "notes": self.notes,
            "seconds": dict(self.seconds),
            "truth": self.truth,
            "left_out": self.left_out,
            "links": getattr(self.arguments, "links", None),
        }


def add_test(content: Content, of_page: Content) -> Content:
    """The result with the test and the folds of its page: everywhere the same numbers."""
    trust, page = content.trust, of_page.trust
    validation = page.validation if trust.validation is None else trust.validation
    test = page.permutation if trust.permutation is None else trust.permutation
    trust = replace(trust, validation=validation, permutation=test)
    return replace(content, trust=trust, verdict=of_page.verdict)


def list_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What was asked for, without where to write it."""
    return {name: value for name, value in vars(arguments).items() if name not in _NO_OPTIONS}


def start_job(arguments: argparse.Namespace, *files: str, table: Table | None = None) -> Job:
    """Check what can be checked before the long work, read the table, say what it holds.

    `files` are further options that name a file to write.
    """
    output = Output.from_arguments(arguments, *files)
    started = time.perf_counter()
    table = read(arguments) if table is None else table
    seconds = {"reading": time.perf_counter() - started}
    try:
        data = Data(
            table.X,
            table.y,
            feature_names=table.feature_names,
            groups=table.groups,
            random_state=getattr(arguments, "seed", 0),
            cv=getattr(arguments, "cv", None) or _USUAL_FOLDS,
            n_jobs=getattr(arguments, "jobs", 1),
        )
    except ValueError as error:
        raise CommandError(f"{table.origin}: {error}") from error
    of_file = ("origin", "file", "target", "dropped", "notes", "missing")
    about = {name: getattr(table, name) for name in of_file}
    output.say(data_text(data.summary(**about)))
    return Job(arguments, output, data, about, seconds, covariates=table.covariates)
