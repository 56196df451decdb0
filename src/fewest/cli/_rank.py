"""`fewest rank`: disjoint subsets of features, the smallest first, as a table."""

from __future__ import annotations

import argparse
import csv
import io
import time

from fewest._wording import counted, cut, visible
from fewest.cli._output import Output, require_writable, write
from fewest.cli._reading import keep_the_data, read
from fewest.cli._settings import Settings
from fewest.cli._text import aligned, data_text, method_text, percent, report_text
from fewest.cli.job import summarize
from fewest.cli.page import write_page
from fewest.cli.rank_job import run_rank_job
from fewest.cli.report import RankReport, Subset

_MOST_SUBSETS, _MOST_NAMES = 20, 4

_ENDINGS = {
    "repetitions": "as many subsets as --subsets asks for",
    "inseparable": "the features that are left do not separate the classes",
    "training error": "the next one has a larger training error than --max-training-error",
    "features used up": "fewer features are left than --min-features asks for",
    "nothing selected": "an error is cheaper than any feature that is left",
    "interrupted": "interrupted",
}


def run_rank(arguments: argparse.Namespace) -> None:
    """Read, select again and again, report."""
    keep_the_data(arguments.data, json=arguments.json, csv=arguments.csv, report=arguments.report)
    settings = Settings.for_rank(arguments)
    if arguments.csv:
        require_writable("--csv", arguments.csv)
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    table = read(arguments)
    seconds = time.perf_counter() - started
    output.say(data_text(summarize(table)))
    output.say(method_text(settings))
    report, selector = run_rank_job(
        table,
        settings,
        n_repetitions=arguments.subsets,
        max_training_error=arguments.max_training_error,
        min_features=arguments.min_features,
        checkpoint=arguments.checkpoint,
        seconds_reading=seconds,
        show_progress=output.show_progress,
    )
    if arguments.csv:
        write(arguments.csv, csv_text(report))
    output.deliver(report, rank_text(report), _names_text(report))
    if arguments.csv:
        output.say(f"Written: {visible(arguments.csv)}")
    write_page(output, arguments, table, selector, notes=report.notes)
    if report.stop_reason == "interrupted":
        raise KeyboardInterrupt  # the exit code says so, after all is written


def rank_text(report: RankReport) -> str:
    """Table, how the search ended, and time."""
    blocks = [
        _table_text(report),
        _ending_text(report),
    ]
    return report_text(blocks, report)


def csv_text(report: RankReport) -> str:
    """One row a feature: the subset it is in, and its weights (one a class if several)."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    classes = [entry.label for entry in report.data.classes]
    weights = ["weight"] if len(classes) == 2 else [f"weight {label}" for label in classes]
    writer.writerow(["rank", "repetition", "size", "training_error", "feature", "column", *weights])
    for rank, subset in enumerate(report.subsets, start=1):
        for place, (name, column) in enumerate(zip(subset.features, subset.columns, strict=True)):
            writer.writerow(
                [
                    rank,
                    subset.repetition,
                    subset.size,
                    subset.training_error,
                    name,
                    column,
                    *(machine[place] for machine in subset.coefficients),
                ]
            )
    return content.getvalue()


def _table_text(report: RankReport) -> str:
    header = ["features", "rank", "repetition", "size", "cumulated", "training"]
    rows, together = [], 0
    for rank, subset in enumerate(report.subsets[:_MOST_SUBSETS], start=1):
        together += subset.size
        rows.append(
            [
                _names(subset),
                str(rank),
                str(subset.repetition),
                str(subset.size),
                str(together),
                percent(subset.training_error),
            ]
        )
    text = aligned([header, *rows])
    more = len(report.subsets) - _MOST_SUBSETS
    if more > 0:
        text += f"\n  and {counted(more, 'subset')} more: see --csv and --json"
    return text


def _names(subset: Subset) -> str:
    shown = ", ".join(cut(name, 16) for name in subset.features[:_MOST_NAMES])
    more = subset.size - _MOST_NAMES
    return f"{shown}, +{more}" if more > 0 else shown


def _ending_text(report: RankReport) -> str:
    together = sum(subset.size for subset in report.subsets)
    return (
        f"{counted(len(report.subsets), 'disjoint subset')} of {together} of the "
        f"{counted(report.data.n_features, 'feature')}, the smallest first.\n"
        f"The search ended: {_ENDINGS[report.stop_reason]}."
    )


def _names_text(report: RankReport) -> str:
    return "\n".join(visible(name) for subset in report.subsets for name in subset.features)
