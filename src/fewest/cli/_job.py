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
from typing import Any, TypeAlias

import numpy as np

from fewest._estimators.held_out import HeldOut
from fewest._estimators.rules import read_rules
from fewest._estimators.splits import Split, split_folds
from fewest._run.checkpoint import CheckpointError
from fewest._wording import counted, visible
from fewest.cli._errors import CommandError, InseparableError, name_options, refuse_place
from fewest.cli._methods import METHODS
from fewest.cli._output import Output, write
from fewest.cli._reading import list_reading, read, refuse_owners
from fewest.cli._rules import list_excluded, read_rule_options
from fewest.cli._text import data_text, list_notes, notes_text, result_blocks, time_text
from fewest.exceptions import NotSeparableError
from fewest.report._commands import write_command
from fewest.report._data import Data
from fewest.report._given import Given, sort_results
from fewest.report._known import known_content, name_method
from fewest.report._make import PARTS, Wanted, fill_report
from fewest.report._report import Report
from fewest.report._verdict_summary import add_verdict
from fewest.report.content import NOT_ASKED_FOR, NOT_FINISHED, Content, LeftOut
from fewest.tables import Table

_USUAL_FOLDS = 5
_NO_OPTIONS = {"command", "line", "json", "report", "quiet", "plot", "csv", "model", "checkpoint"}
_NO_OPTIONS |= {"links"}  # a field of its own
# Parts that a command may not have finished, as files name them.
_AWAITED = (
    *("validation", "confounding", "comparison", "learning_curve"),
    *("per_class", "permutation", "verification"),
)

Brief: TypeAlias = Callable[[Content], str]
Stage: TypeAlias = tuple[str, Callable[[], Any]]
Page: TypeAlias = tuple[Sequence[Any], Sequence[str]]


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
    percents: list[str] = field(default_factory=list)  # features in percent, 12 for 12 %

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
            raise refuse_place(f"--checkpoint: {error}.", error) from error
        except ValueError as error:
            said = name_options(error, self.arguments)
            raise CommandError(f"{self.about['origin']}: {said}") from error

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
        self.left_out.append(LeftOut(part, name_options(reason, self.arguments)))

    def read_rules(self) -> dict[str, Any]:
        """The rules about features that the options state, for estimators, which know no names."""
        names = self.data.feature_names
        rules = read_rule_options(self.arguments, names)
        try:
            read_rules(len(names), names, **rules)
        except ValueError as error:
            raise CommandError(f"{self.about['origin']}: {error}.") from error
        return rules

    def suggest(self, command: str, *options: str) -> str:
        """Another command on the same samples and features, as one types it."""
        return write_command(command, self.about["file"], [*self.about["reading"], *options])

    def say_method(self, estimator: Any, *, with_C: bool = True) -> None:
        """The line about the method, before the work."""
        self.output.say(f"Method    {name_method(estimator, with_C=with_C)}")

    def content(self, *results: Any, estimator: Any = None) -> Content:
        """What is known of these results."""
        return known_content(self._sort(results), self.data, estimator=estimator, **self._header())

    @contextmanager
    def validating(self, brief: Brief, *results: Any) -> Iterator[None]:
        """The cross-validation of `results`, which are in the file already, and not lost."""
        waiting = ["validation"] if self.arguments.cv else []
        content = self._mark(self.content(*results), waiting) if waiting else None
        with self.output.ending(waiting):
            try:
                if content is not None:
                    self.output.write_json(content)
                yield
            except BaseException:
                self._tell(content or self._mark(self.content(*results), waiting), brief)
                raise
            waiting.clear()

    def deliver(
        self,
        brief: Brief,
        *results: Any,
        estimator: Any = None,
        later: Sequence[Stage] = (),
        page: Callable[[Sequence[Any]], Page] = lambda results: (results, ()),
    ) -> Content:
        """Print and write what is known, and again after each stage that adds to it.

        `brief` makes what --quiet leaves of a result. Stages are the name of a part, and what
        computes it: a further result, or None. The page comes last, of the results and with the
        notes that `page` makes of all results; its test decides the verdict, here and there.
        Whatever ends one of them, nothing that came before it is lost.
        """
        known, waiting = list(results), [part for part, _ in later]
        if self.arguments.report is not None:
            is_left_out = "permutation" in {one.part for one in self.left_out}
            waiting += ["page"] if is_left_out else ["permutation", "page"]
        content = self.content(*known, estimator=estimator)
        with self.output.ending(waiting):
            content = self._tell(self._mark(content, waiting), brief)
            try:
                for part, compute in later:
                    found = compute()
                    waiting.remove(part)
                    if found is not None:
                        known.append(found)
                        content = self.content(*known, estimator=estimator)
                    content = self._tell(self._mark(content, waiting), brief)
                if self.arguments.report is not None:
                    made = self._make_page(*page(known))
                    content = add_test(self._mark(content, ()), made.content)
                    waiting[:] = ["page"]
                    try:
                        self._write_page(made)
                        waiting.clear()
                    finally:  # the test took longest, and stands without its page
                        self._tell(content, brief)
            except Exception:  # what a stage has said of the result before it failed
                self.output.write_json(self._mark(content, waiting))
                raise
        return content

    def _mark(self, content: Content, waiting: Sequence[str]) -> Content:
        """The content with what was noted until now, and what is still to come."""
        known = {"permutation": content.trust.permutation}
        awaited = [
            LeftOut(part, NOT_FINISHED)
            for part in waiting
            if part in _AWAITED and known.get(part) is None
        ]
        return add_verdict(
            replace(
                content,
                notes=list(self.notes),
                seconds=dict(self.seconds),
                left_out=[*self.left_out, *awaited],
            )
        )

    def _tell(self, content: Content, brief: Brief) -> Content:
        """Print what is new, and write the file."""
        is_new = self.output.is_new
        blocks = result_blocks(content, verbose=self.output.verbose)
        seconds = {
            what: taken for what, taken in content.seconds.items() if is_new(f"{what} {taken}")
        }
        notes = notes_text(filter(is_new, list_notes(content)))
        blocks = [*filter(is_new, blocks), *filter(None, [time_text(seconds), notes])]
        verdict = "" if content.verdict is None else content.verdict.text
        if content.answer is None and content.trust.diagnostics is not None:
            verdict = ""  # the result itself begins with it
        self.output.tell(content, "\n\n".join(blocks), brief(content), verdict)
        return content

    def _write_page(self, report: Report) -> None:
        """Write the page, or its numbers, and say so later."""
        as_json = self.arguments.report.lower().endswith(".json")
        write(self.arguments.report, report.to_json() + "\n" if as_json else report.html)
        self.output.say_later(f"Report: {visible(self.arguments.report)}")

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
            with self.noting("Warning: "):
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


def _require_groups(arguments: argparse.Namespace, table: Table) -> None:
    """Refuse folds and permutations that would tear apart what seems to belong together."""
    has_folds = getattr(arguments, "cv", 0) != 0 or bool(getattr(arguments, "report", None))
    if has_folds or arguments.command == "diagnose":
        refuse_owners(table, "See --groups {}.")


def _refuse_idle(arguments: argparse.Namespace) -> None:
    """Refuse limits of a page that nobody asked for."""
    limits = {"--permutations": "page_permutations", "--report-seconds": "report_seconds"}
    for option, name in limits.items():
        if getattr(arguments, name, None) is not None and not arguments.report:
            raise CommandError(
                f"{option} is for the page.\nAdd --report page.html, or leave {option} out."
            )


def start_job(arguments: argparse.Namespace, *files: str, table: Table | None = None) -> Job:
    """Check what can be checked before the long work, read the table, say what it holds.

    `files` are further options that name a file to write.
    """
    _refuse_idle(arguments)
    output = Output.from_arguments(arguments, *files)
    started = time.perf_counter()
    table = read(arguments) if table is None else table
    _require_groups(arguments, table)
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
            raw=table.raw,
        )
    except ValueError as error:
        raise CommandError(f"{table.origin}: {error}") from error
    of_file = ("origin", "file", "target", "dropped", "notes", "missing")
    about = {name: getattr(table, name) for name in of_file}
    about["reading"] = list_reading(arguments) if hasattr(arguments, "data") else []
    about["reading"] += list_excluded(arguments, data.feature_names)
    if table.owners:  # other commands have folds
        about["reading"] += ["--groups", table.owners[0]]
    output.say(data_text(data.summary(**about)))
    job = Job(arguments, output, data, about, seconds, covariates=table.covariates)
    job.percents = table.percents
    return job
