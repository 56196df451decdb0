"""`fewest select`: the main job on a file."""

from __future__ import annotations

import argparse
import time

from fewest._wording import visible
from fewest.cli._output import Output, require_writable
from fewest.cli._reading import keep_the_data, read, require_square
from fewest.cli._settings import Settings
from fewest.cli._text import data_text, method_text, names_text, result_text
from fewest.cli.job import run_job, summarize
from fewest.cli.page import write_page


def run_select(arguments: argparse.Namespace) -> None:
    """Read, fit, cross-validate, report."""
    keep_the_data(
        arguments.data, json=arguments.json, model=arguments.model, report=arguments.report
    )
    settings = Settings.from_arguments(arguments)
    output = Output.from_arguments(arguments)
    if arguments.model:
        require_writable("--model", arguments.model)
    started = time.perf_counter()
    table = read(arguments)
    seconds = time.perf_counter() - started
    if settings.matrix:
        require_square(table)
    output.say(data_text(summarize(table)))
    output.say(method_text(settings))
    notes = []
    if settings.C is None and arguments.C is not None:
        notes.append(f"--C is ignored: --method {settings.method} chooses C.")
    report, machine = run_job(
        table,
        settings,
        seconds_reading=seconds,
        show_progress=output.show_progress,
        notes=notes,
        model=arguments.model,
    )
    output.deliver(report, result_text(report), names_text(report))
    if arguments.model:
        output.say(f"Written: {visible(arguments.model)}")
    write_page(output, arguments, table, machine, notes=report.notes)
