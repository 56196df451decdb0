"""`fewest select`: the fewest features of a table."""

from __future__ import annotations

import argparse
import copy
from functools import partial
from typing import Any

import numpy as np

from fewest._estimators.held_out import HeldOut, run_held_out
from fewest._estimators.splits import Split, fit_with_groups
from fewest._wording import visible
from fewest.cli._job import Job, start_job
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._output import writing
from fewest.cli._text import names_text
from fewest.model_files import save
from fewest.report.content import Content

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> None:
    """Read, fit, cross-validate, report."""
    notes = settle_method(arguments)
    job = start_job(arguments, "model")
    job.note(notes)
    select_features(job)


def select_features(job: Job, **page: Any) -> Content:
    """Fit on all samples, estimate the error by cross-validation, report both.

    `page` are settings of the page.
    """
    arguments, data = job.arguments, job.data
    machine = make_estimator(arguments, n_jobs=arguments.jobs, verbose=job.verbose)
    job.say_method(machine)
    with job.working():
        fit_with_groups(machine, data.X, data.y, data.groups)
    held_out = next(iter(job.judge(partial(_judge, job), arguments.repeats)), None)
    if arguments.model:
        named = copy.copy(machine)
        named.feature_names_in_ = np.array(data.feature_names, dtype=object)
        with writing(f"--model {arguments.model}"):
            save(named, arguments.model)
        job.output.say_later(f"Written: {visible(arguments.model)}")
    content = job.content(machine, held_out)
    job.deliver(content, names_text(content.said.selected))
    job.write_page(machine, held_out, **page)
    return content


def _judge(job: Job, splits: list[Split]) -> list[HeldOut]:
    """The cross-validation of the whole job, selection included."""
    arguments, data = job.arguments, job.data
    settings = {"groups": data.groups, "n_jobs": arguments.jobs, "verbose": job.verbose}
    return [run_held_out(make_estimator(arguments), data.X, data.y, cv=splits, **settings)]
