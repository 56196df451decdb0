"""`fewest select`: the main job on a file."""

from __future__ import annotations

import argparse
import os
import time

from fewest.cli.errors import InputError
from fewest.cli.job import run_job, summarize
from fewest.cli.output import Output
from fewest.cli.reading import read_dataset
from fewest.cli.settings import Settings
from fewest.cli.text import data_text
from fewest.cli.wording import visible


def run_select(arguments: argparse.Namespace) -> None:
    """Read, fit, cross-validate, report."""
    _keep_the_data(arguments)
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    dataset = read_dataset(arguments.data, arguments.target, arguments.drop)
    seconds = time.perf_counter() - started
    output.say(data_text(summarize(dataset)))
    report = run_job(
        dataset,
        Settings.from_arguments(arguments),
        seconds_reading=seconds,
        show_progress=output.show_progress,
    )
    output.deliver(report)


def _keep_the_data(arguments: argparse.Namespace) -> None:
    """A slip of the hand must not replace the data by the result."""
    data, result = arguments.data, arguments.json
    if (
        result
        and os.path.exists(data)
        and os.path.exists(result)
        and os.path.samefile(data, result)
    ):
        raise InputError(f"--json {visible(result)} would replace the data.\nName another file.")
