"""`fewest demo`: the main job on data for which the answer is known."""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import replace
from pathlib import Path
from shutil import which

import numpy as np

from fewest._wording import counted
from fewest.cli._output import Output
from fewest.cli._settings import Settings
from fewest.cli._text import data_text, names_text, result_text
from fewest.cli.job import run_job, summarize
from fewest.cli.page import write_page
from fewest.cli.report import Report, Truth
from fewest.tables import Table

_SAMPLES, _FEATURES, _INFORMATIVE = 72, 7000, 3
# Strong enough for all three to be needed and found, too weak for a perfect classifier.
_HALF_DISTANCE = 1.25
# Enough for all that a page shows, so that it is the same on any machine.
_SECONDS_OF_PAGE = 90.0

_NEXT = "Now your own data: {} select mydata.csv --target CLASS_COLUMN --report mydata.html"


def run_demo(arguments: argparse.Namespace) -> None:
    """Generate, fit, cross-validate, report, and compare with the truth."""
    output = Output.from_arguments(arguments)
    started = time.perf_counter()
    table, informative = generate(arguments.seed)
    seconds = time.perf_counter() - started
    output.say(data_text(summarize(table)))
    output.say(f"Truth     only these differ between the classes: {', '.join(informative)}")
    report, machine = run_job(
        table,
        Settings(C=math.inf, seed=arguments.seed),
        seconds_reading=seconds,
        show_progress=output.show_progress,
    )
    report = _compared(report, informative)
    output.deliver(report, result_text(report), names_text(report))
    truth = f"These data are generated: only {', '.join(informative)} differ between the classes."
    write_page(output, arguments, table, machine, notes=[truth], seconds=_SECONDS_OF_PAGE)
    output.say("\n" + _verdict(report.truth) + "\n" + _NEXT.format(_program()))


def generate(seed: int) -> tuple[Table, list[str]]:
    """Expression-like data, and the names of the few features that carry the class."""
    from fewest.datasets import make_gaussian

    rng = np.random.default_rng(seed)
    X, y = make_gaussian(_SAMPLES, _FEATURES, _INFORMATIVE, _HALF_DISTANCE, random_state=rng)
    names = [f"gene_{number:04d}" for number in range(1, _FEATURES + 1)]
    # The informative columns come first: hide them among the others.
    place = rng.permutation(_FEATURES)
    hidden = np.empty_like(X)
    hidden[:, place] = X
    table = Table(
        X=hidden,
        y=np.where(y > 0, "patient", "control"),
        feature_names=names,
        origin="generated",
        file=None,
        target="class",
    )
    return table, sorted(names[column] for column in place[:_INFORMATIVE])


def _compared(report: Report, informative: list[str]) -> Report:
    found = len(set(report.selected) & set(informative))
    return replace(report, truth=Truth(informative, found, len(report.selected) - found))


def _verdict(truth: Truth) -> str:
    n_informative = len(truth.informative)
    text = (
        f"Found {truth.n_found} of the {n_informative} truly informative features, and "
        f"{counted(truth.n_others, 'other')} that came out by chance."
    )
    if truth.n_found < n_informative:
        text += "\nThese samples can be told apart without the rest."
    return text


def _program() -> str:
    """How to call this program again: by its name, or by its path where it is not on the PATH."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "fewest" and which("fewest") is None else "fewest"
