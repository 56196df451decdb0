"""`fewest diagnose`: whether anything can be concluded from the data."""

from __future__ import annotations

import argparse

from fewest._estimators.splits import choose_exchange
from fewest.cli._job import start_job
from fewest.diagnostics import diagnose

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> None:
    """Read, test, report."""
    job = start_job(arguments)
    data = job.data
    with job.working("testing"):
        found = diagnose(
            data.X,
            data.y,
            n_permutations=arguments.permutations,
            cv=arguments.cv or None,
            groups=data.groups,
            exchange=choose_exchange(data.y, data.groups),
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=job.verbose,
        )
    job.deliver(job.content(found), found.summary.splitlines()[0])
    job.write_page(found)
