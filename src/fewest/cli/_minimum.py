"""`fewest minimum`: the smallest number of features that separate two classes, with its proof."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fewest._run.versions import versions
from fewest._wording import counted, cut, listed, visible
from fewest.cli._emphasis import dim
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli._output import Output
from fewest.cli._reading import keep_the_data, read
from fewest.cli._text import aligned, data_text
from fewest.cli.job import summarize
from fewest.cli.page import write_page
from fewest.cli.report import SCHEMA_VERSION, DataSummary, Label
from fewest.minimum.leaves import RuledOut
from fewest.minimum.result import Step
from fewest.tables import Table

if TYPE_CHECKING:
    from fewest.minimum import MinimumResult

_MOST_SHOWN = 20


@dataclass(frozen=True)
class Subset:
    """One of the smallest sets: names, columns (counting from 0), and its margin."""

    features: list[str]
    columns: list[int]
    margin: float


@dataclass(frozen=True)
class MinimumReport:
    """Outcome of `fewest minimum`; `verified`: the proofs were checked without the solver.

    `ruled_out` holds the Farkas vectors: columns, samples, and the samples' whole-number shares.
    """

    data: DataSummary
    size: int
    lower_bound: int
    certified: bool
    verified: bool
    subsets: list[Subset]
    n_found: int
    complete: bool
    searched: list[Step]
    ruled_out: list[RuledOut]
    seconds_reading: float
    seconds_searching: float
    versions: dict[str, str | None]
    schema: str = field(default="fewest.minimum")
    schema_version: int = field(default=SCHEMA_VERSION)


def run_minimum(arguments: argparse.Namespace) -> None:
    """Read, search, check, report."""
    keep_the_data(arguments.data, json=arguments.json, report=arguments.report)
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    table = read(arguments)
    seconds = time.perf_counter() - started
    labels: list[Label] = np.unique(table.y).tolist()
    if len(labels) != 2:
        raise CommandError(
            f"fewest minimum compares two classes, but {table.target} has {len(labels)}: "
            f"{listed(labels)}.\nLeave samples out, or merge classes."
        )
    output.say(data_text(summarize(table)))
    from fewest.minimum import minimum_features

    result = minimum_features(
        table.X,
        table.y,
        max_size=arguments.max_size,
        time_limit=arguments.max_seconds,
        n_solutions=arguments.solutions,
        n_jobs=arguments.jobs,
        verbose=int(output.show_progress),
    )
    if result.size is None:
        raise InseparableError(_no_set_text(result))
    report = _report(table, result, seconds)
    output.deliver(report, _text(report), _brief(report))
    # --jobs are threads here; those of the page would be processes.
    write_page(output, arguments, table, result, jobs=1)


def _no_set_text(result: MinimumResult) -> str:
    if result.certified:
        return (
            "no set of features separates the classes without error: both can be averaged to one "
            "point (checked in exact arithmetic).\nTry fewest select with a finite --C."
        )
    return (
        "no set of features was found that separates the classes without error, nor an exact "
        "proof that there is none.\nTry fewest select with a finite --C."
    )


def _report(table: Table, result: MinimumResult, seconds_reading: float) -> MinimumReport:
    names = table.feature_names
    return MinimumReport(
        data=summarize(table),
        size=result.size,
        lower_bound=result.lower_bound,
        certified=result.certified,
        verified=result.verify(table.X, table.y),
        subsets=[
            Subset([names[column] for column in subset], subset.tolist(), float(margin))
            for subset, margin in zip(result.subsets, result.margins, strict=True)
        ],
        n_found=result.n_found,
        complete=result.complete,
        searched=list(result.searched),
        ruled_out=list(result.ruled_out),
        seconds_reading=seconds_reading,
        seconds_searching=result.seconds,
        versions=versions(),
    )


def _text(report: MinimumReport) -> str:
    blocks = [_answer(report), _subsets(report), _search(report), _proof(report)]
    return "\n\n".join(blocks)


def _brief(report: MinimumReport) -> str:
    """The features of the best set, one a line."""
    return "\n".join(visible(name) for name in report.subsets[0].features)


def _answer(report: MinimumReport) -> str:
    size = counted(report.size, "feature")
    if report.certified:
        return f"Smallest set: {size}, certified"
    return (
        f"Smallest set known: {size}; proven: at least {report.lower_bound}. "
        "The search ended before the rest was decided."
    )


def _subsets(report: MinimumReport) -> str:
    shown = report.subsets[:_MOST_SHOWN]
    rows = [["features", "margin"]]
    rows += [[", ".join(map(cut, one.features)), f"{one.margin:.3g}"] for one in shown]
    known = f"{counted(report.n_found, 'set')} of this size"
    how_many = (
        f"There is exactly {known}." if report.n_found == 1 else f"There are exactly {known}."
    )
    if not report.complete:
        how_many = f"Found: {known}; there may be more (see --solutions)."
    if len(shown) < report.n_found:
        how_many += f" Shown: {len(shown)}."
    return f"{aligned(rows)}\n{how_many} Margins are for standardised features."


def _search(report: MinimumReport) -> str:
    header = ["size", "sets", "bit tests", "passed", "linear programs", "separate", ""]
    rows = [
        [
            str(step.size),
            f"{step.n_sets:,}",
            f"{step.n_tested:,}",
            f"{step.n_survivors:,}",
            f"{step.n_settled:,}",
            f"{step.n_found:,}",
            "" if step.complete else "ended early",
        ]
        for step in report.searched
    ]
    return aligned([header, *rows])


def _proof(report: MinimumReport) -> str:
    checked = "hold" if report.verified else "DO NOT HOLD"
    vectors = counted(len(report.ruled_out), "Farkas vector")
    return f"Proofs: the sets above, and {vectors}, {checked} in exact arithmetic\n" + dim(
        f"Time: reading {report.seconds_reading:.2f} s, searching {report.seconds_searching:.2f} s"
    )
