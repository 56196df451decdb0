"""`fewest path`: number of features and errors against C, as a table and as a figure."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewest._wording import counted, visible
from fewest.cli._output import Output, write
from fewest.cli._reading import keep_the_data, read
from fewest.cli._settings import Settings
from fewest.cli._text import aligned, data_text, method_text, percent, report_text
from fewest.cli.images import check_plot, image
from fewest.cli.job import summarize
from fewest.cli.page import write_page_of_path
from fewest.cli.path_job import run_path_job
from fewest.cli.report import PathReport, PathValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run_path(arguments: argparse.Namespace) -> None:
    """Read, fit along the path, cross-validate, report, draw."""
    keep_the_data(arguments.data, json=arguments.json, plot=arguments.plot, report=arguments.report)
    settings = Settings.for_path(arguments)
    check_plot(arguments.plot)
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    table = read(arguments)
    seconds = time.perf_counter() - started
    output.say(data_text(summarize(table)))
    output.say(method_text(settings))
    report = run_path_job(
        table,
        settings,
        n_values=arguments.values,
        grid=arguments.grid,
        seconds_reading=seconds,
        show_progress=output.show_progress,
    )
    if arguments.plot:
        write(arguments.plot, image(figure(report), arguments.plot))
    output.deliver(report, path_text(report), _table_text(report))
    if arguments.plot:
        output.say(f"Drawn: {visible(arguments.plot)}")
    if arguments.report:
        write_page_of_path(output, arguments, table, settings, report)


def path_text(report: PathReport) -> str:
    """Table, what it shows, and time."""
    blocks = [
        _table_text(report),
        _legend(report),
    ]
    return report_text(blocks, report)


def figure(report: PathReport) -> Figure:
    """The table as a figure."""
    from matplotlib.figure import Figure

    from fewest.plotting import plot_path

    values = report.values
    errors = {"training": [value.training_balanced_error for value in values]}
    if report.n_folds:
        errors["cross-validated"] = [value.balanced_error.mean for value in values]
    ax = Figure(figsize=(6.4, 4.4), layout="constrained").subplots()
    plot_path(
        [value.C for value in values],
        errors,
        n_features=[value.n_features for value in values],
        chosen=report.best,
        ax=ax,
    )
    return ax.figure


def _table_text(report: PathReport) -> str:
    header = ["C", "features", "training"]
    if report.n_folds:
        header += ["cross-validated", "sd", "features in folds", ""]
    rows = [_row(value, place == report.best) for place, value in enumerate(report.values)]
    return aligned([header, *rows])


def _row(value: PathValue, is_best: bool) -> Sequence[str]:
    row = [f"{value.C:.4g}", str(value.n_features), percent(value.training_balanced_error)]
    if value.balanced_error is not None and value.folds_n_features is not None:
        row += [
            percent(value.balanced_error.mean),
            percent(value.balanced_error.sd),
            f"{value.folds_n_features.mean:.1f}",
            "*" if is_best else "",
        ]
    return row


def _legend(report: PathReport) -> str:
    lines = ["Balanced errors of the machines on all samples (training)"]
    if not report.n_folds:
        return f"{lines[0]}."
    lines[0] += f" and in {counted(report.n_folds, 'fold')}, where features"
    lines.append("were selected anew without the samples of the fold.")
    if report.best is not None:
        lines.append(
            "* smallest cross-validated error, and the fewest features if several have it. As the "
            "smallest\n  of many it is optimistic: the error of a C chosen like this is larger."
        )
    return "\n".join(lines)
