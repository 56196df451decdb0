"""`fewest demo`: the main job on data for which the answer is known."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from fewest._wording import counted
from fewest.cli import _options as options
from fewest.cli._methods import settle_method

if TYPE_CHECKING:
    from fewest.report.content import Truth
    from fewest.tables import Table

__all__ = ["add_options", "run"]

_SAMPLES, _FEATURES, _INFORMATIVE = 72, 7000, 3
# Strong enough for all three to be needed and found, too weak for a perfect classifier.
_HALF_DISTANCE = 1.25

_NEXT = "Now your own data: {} select mydata.csv --target CLASS_COLUMN --report mydata.html"


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    demo = options.new_command(
        commands,
        "demo",
        help="try it on generated data: 72 samples, 7,000 features, 3 of them informative",
        description="Run the main job on generated data in which the answer is known.",
        examples=("", "--report demo.html", "--seed 1 --json demo.json"),
    )
    options.add_seed(demo.add_group("data"), "another seed gives other data and other folds")
    options.add_output(demo, verbose="the proof of the optimum")


def run(arguments: argparse.Namespace) -> None:
    """Generate, fit, cross-validate, report, and compare with the truth."""
    from fewest.cli._job import start_job
    from fewest.cli.select import select_features

    usual = {
        "certify": False,
        "covariates": None,
        "method": "sfm",
        "C": math.inf,
        "constraint": None,
        "class_weight": None,
    }
    usual |= {"standardize": True, "refit": None, "cv": 5, "repeats": 1, "jobs": 1, "model": None}
    arguments = argparse.Namespace(**vars(arguments), **usual)
    settle_method(arguments)
    table, truth = generate(arguments.seed)
    job = start_job(arguments, table=table)
    job.output.say(f"Truth     only these differ between the classes: {', '.join(truth)}")
    note = f"These data are generated: only {', '.join(truth)} differ between the classes."
    job.truth = truth
    content = select_features(job, notes=[note])
    if content.truth is not None:
        job.output.say(f"\n{_verdict(content.truth)}")
    job.output.say(_NEXT.format(_program()))


def generate(seed: int) -> tuple[Table, list[str]]:
    """Expression-like data, and the names of the few features that carry the class."""
    import numpy as np

    from fewest.datasets import make_gaussian
    from fewest.tables import Table

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
