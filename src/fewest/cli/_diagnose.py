"""`fewest diagnose`: whether anything can be concluded from the data."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from fewest._run.versions import versions
from fewest.cli._errors import CommandError
from fewest.cli._output import Output
from fewest.cli._reading import keep_the_data, read
from fewest.cli._text import data_text, report_text
from fewest.cli.cross_validation import possible_folds
from fewest.cli.job import summarize
from fewest.cli.page import write_page
from fewest.cli.report import SCHEMA_VERSION, DataSummary, Seconds


@dataclass(frozen=True)
class DiagnoseReport:
    """Outcome of `fewest diagnose` as plain values; see `fewest.diagnostics.Diagnosis`."""

    data: DataSummary
    conclusive: bool
    p_value: float
    alpha: float
    n_permutations: int
    separable: bool
    n_selected: int
    features: dict[str, Any]
    error: dict[str, Any] | None
    bounds: dict[str, Any] | None
    vc_dimension: int | None
    sphericity: dict[str, float]
    norm_variation: dict[str, float]
    distances: dict[str, float]
    hubness: dict[str, Any]
    leave_one_out: dict[str, Any] | None
    summary: str
    seconds: Seconds
    versions: dict[str, str | None]
    notes: list[str]
    schema: str = field(default="fewest.diagnose")
    schema_version: int = field(default=SCHEMA_VERSION)


def run_diagnose(arguments: argparse.Namespace) -> None:
    """Read, test, report."""
    from fewest._estimators.relabel import choose_exchange
    from fewest.diagnostics import diagnose

    keep_the_data(arguments.data, json=arguments.json, report=arguments.report)
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    table = read(arguments)
    read_at = time.perf_counter()
    output.say(data_text(summarize(table)))
    folds, notes = possible_folds(table, arguments.cv)
    try:
        found = diagnose(
            table.X,
            table.y,
            n_permutations=arguments.permutations,
            cv=folds or None,
            groups=table.groups,
            exchange=choose_exchange(table.y, table.groups),
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=int(output.show_progress),
        )
    except ValueError as error:
        raise CommandError(f"{table.origin}: {error}") from error
    seconds = Seconds(read_at - started, time.perf_counter() - read_at, None)
    report = _report(found, summarize(table), seconds, notes)
    output.deliver(report, report_text([found.summary], report), found.summary.splitlines()[0])
    write_page(output, arguments, table, found, notes=notes)


def _report(found: Any, data: DataSummary, seconds: Seconds, notes: list[str]) -> DiagnoseReport:
    test = found.test
    return DiagnoseReport(
        data=data,
        conclusive=found.conclusive,
        p_value=test.p_value,
        alpha=found.alpha,
        n_permutations=test.n_permutations,
        separable=found.separable,
        n_selected=found.n_selected,
        features=_comparison(test.features),
        error=_comparison(test.error),
        bounds=None if found.bounds is None else asdict(found.bounds),
        vc_dimension=found.vc_dimension,
        sphericity=asdict(found.sphericity),
        norm_variation={f"{p:g}": value for p, value in found.norms.items()},
        distances=asdict(found.distances),
        hubness={
            "k": found.hubs.k,
            "skewness": found.hubs.skewness,
            "hubs": found.hubs.hubs.tolist(),
            "bad_hubs": found.hubs.bad_hubs.tolist(),
            "bad_share": found.hubs.bad_share,
        },
        leave_one_out=None if found.leave_one_out is None else asdict(found.leave_one_out),
        summary=found.summary,
        seconds=seconds,
        versions=versions(),
        notes=notes,
    )


def _comparison(found: Any) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "observed": found.observed,
        "p_value": found.p_value,
        "chance": found.chance.tolist(),
    }
