"""`--report`: one page of a command's result, or the same as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from fewest._wording import visible
from fewest.cli._errors import CommandError
from fewest.cli._output import Output, write
from fewest.cli._settings import Settings
from fewest.cli.report import PathReport
from fewest.tables import Table

USUAL_SECONDS, _USUAL_FOLDS = 30.0, 5


def write_page(
    output: Output,
    arguments: argparse.Namespace,
    table: Table,
    result: Any,
    *,
    also: Sequence[Any] = (),
    notes: Sequence[str] = (),
    seconds: float | None = None,
    jobs: int | None = None,
) -> None:
    """Make the page of a result and write it; nothing if it was not asked for."""
    if arguments.report is None:
        return
    from fewest.report import make_report
    from fewest.report._make import PARTS

    folds = getattr(arguments, "cv", None)
    try:
        report = make_report(
            result,
            table.X,
            table.y,
            also=also,
            feature_names=table.feature_names,
            groups=table.groups,
            origin=table.origin,
            target=table.target,
            command=arguments.line,
            parts=[part for part in PARTS if part != "validation"] if folds == 0 else PARTS,
            seconds=USUAL_SECONDS if seconds is None else seconds,
            cv=folds or _USUAL_FOLDS,
            random_state=getattr(arguments, "seed", 0),
            notes=[*table.notes, *notes],
            n_jobs=getattr(arguments, "jobs", 1) if jobs is None else jobs,
            verbose=int(output.show_progress),
        )
    except ValueError as error:
        raise CommandError(f"--report: {error}") from error
    write_report(output, arguments.report, report)


def write_report(output: Output, path: str, report: Any) -> None:
    """The page, or its content, as the name of the file asks for."""
    as_json = path.lower().endswith(".json")
    write(path, report.to_json() + "\n" if as_json else report.html)
    output.say(f"Report: {visible(path)}")


def write_page_of_path(
    output: Output,
    arguments: argparse.Namespace,
    table: Table,
    settings: Settings,
    path: PathReport,
) -> None:
    """The page of the machine of the best C, with the path."""
    from fewest.report.content import CostCurve, CostPoint

    place = len(path.values) - 1 if path.best is None else path.best
    machine = settings.machine(C=path.values[place].C).fit(table.X, table.y)
    points = [
        CostPoint(
            C=value.C,
            n_features=value.n_features,
            training_error=value.training_balanced_error,
            error=None if value.balanced_error is None else value.balanced_error.mean,
        )
        for value in path.values
    ]
    chosen = (
        "The machine is that of the largest C."
        if path.best is None
        else "The machine is that of the C with the smallest cross-validated error. The same "
        "samples chose it, so that its error and its p-value are optimistic."
    )
    curve = CostCurve(
        points,
        path.best,
        "Balanced errors on the samples that were fitted (training) and, where there are folds, "
        "in cross-validation.",
    )
    write_page(output, arguments, table, machine, also=[curve], notes=[*path.notes, chosen])
