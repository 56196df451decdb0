"""`fewest informative`: the share of features that carry information."""

from __future__ import annotations

import argparse
import time

from fewest._wording import counted, visible
from fewest.cli._output import Output, write
from fewest.cli._reading import keep_the_data, read
from fewest.cli._settings import Settings
from fewest.cli._text import aligned, data_text, method_text, percent, report_text
from fewest.cli.images import check_plot, image
from fewest.cli.informative_job import run_informative_job
from fewest.cli.job import summarize
from fewest.cli.page import write_page
from fewest.cli.report import InformativeReport

_SHOWN = 10  # points of the curves in the table


def run_informative(arguments: argparse.Namespace) -> None:
    """Read, select and probe in every fold, report, draw."""
    keep_the_data(arguments.data, json=arguments.json, plot=arguments.plot, report=arguments.report)
    settings = Settings.for_informative(arguments)
    check_plot(arguments.plot)
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    table = read(arguments)
    seconds = time.perf_counter() - started
    output.say(data_text(summarize(table)))
    output.say(method_text(settings))
    report, found, figure = run_informative_job(
        table,
        settings,
        groups=arguments.groups,
        every=arguments.every,
        n_permutations=arguments.permutations,
        checkpoint=arguments.checkpoint,
        seconds_reading=seconds,
        show_progress=output.show_progress,
        draw=arguments.plot is not None,
    )
    if figure is not None:
        write(arguments.plot, image(figure, arguments.plot))
    output.deliver(report, informative_text(report), f"{report.estimate:.4f}")
    if figure is not None:
        output.say(f"Drawn: {visible(arguments.plot)}")
    write_page(output, arguments, table, found, notes=report.notes)
    if report.n_folds_finished < report.n_folds:
        raise KeyboardInterrupt  # the exit code says so, after all is written


def informative_text(report: InformativeReport) -> str:
    """Estimates, curves, overlap, and time."""
    blocks = [
        _estimates_text(report),
        _curves_text(report),
        _overlap_text(report),
    ]
    return report_text(blocks, report)


def _estimates_text(report: InformativeReport) -> str:
    rows = [
        ["features that carry information", "share", "number"],
        ["line through the sigmoid's inflexion (the papers' rule)", report.sigmoid.estimate],
        ["the same, sigmoid from 0 to 0.5", report.restricted.estimate],
        ["without the features removed by chance", report.purified_estimate],
        ["until the error is one of permuted labels", report.chance_estimate],
        ["from the p-values of t-tests, one feature at a time", report.univariate_estimate],
    ]
    table = [rows[0]]
    for name, share in rows[1:]:
        if share is not None:
            table.append([name, percent(share), str(round(share * report.data.n_features))])
    what = "participants or groups" if report.groups is not None else "folds"
    return (
        f"{aligned(table)}\n\n"
        f"Of {counted(report.n_folds_finished, 'run')} with other {what} left out, "
        f"{sum(fold.n_subsets for fold in report.folds)} machines in all."
    )


def _curves_text(report: InformativeReport) -> str:
    curves = report.curves
    header = ["removed", "size of subsets", "their error", "error on the rest"]
    if curves.chance_lower is not None:
        header.append("chance from")
    step = max(1, (len(curves.fraction) - 1) // _SHOWN)
    rows = []
    for place in range(0, len(curves.fraction), step):
        row = [
            percent(curves.fraction[place]),
            f"{curves.sizes[place]:.1f}",
            percent(curves.selection_error[place]),
            percent(curves.probe_error[place]),
        ]
        if curves.chance_lower is not None:
            row.append(percent(curves.chance_lower[place]))
        rows.append(row)
    return aligned([header, *rows])


def _overlap_text(report: InformativeReport) -> str:
    if not report.overlap:
        return ""
    header = ["first features", "in the top of the t-map", "expected", "largest p-value"]
    rows = [
        [
            f"{100 * row.share:g} %",
            percent(row.observed),
            percent(row.expected),
            f"{row.p_value:.2g}",
        ]
        for row in report.overlap
    ]
    return aligned([header, *rows])
