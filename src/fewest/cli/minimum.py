"""`fewest minimum`: the smallest number of features that separate two classes, with its proof."""

from __future__ import annotations

import argparse

from fewest._wording import listed
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli._job import start_job
from fewest.cli._text import names_text
from fewest.minimum import minimum_features

__all__ = ["run"]

_NO_SET = {
    True: "no set of features separates the classes without error: both can be averaged to one "
    "point (checked in exact arithmetic).\nTry fewest select with a finite --C.",
    False: "no set of features was found that separates the classes without error, nor an exact "
    "proof that there is none.\nTry fewest select with a finite --C.",
}


def run(arguments: argparse.Namespace) -> None:
    """Read, search, check, report."""
    job = start_job(arguments)
    data = job.data
    if not data.is_binary:
        raise CommandError(
            f"fewest minimum compares two classes, but {job.about['target']} has "
            f"{len(data.labels)}: {listed(data.labels)}.\nLeave samples out, or merge classes."
        )
    with job.working("searching"):
        result = minimum_features(
            data.X,
            data.y,
            max_size=arguments.max_size,
            max_seconds=arguments.max_seconds,
            n_solutions=arguments.solutions,
            n_jobs=arguments.jobs,
            verbose=job.verbose,
        )
    if result.size is None:
        raise InseparableError(_NO_SET[result.certified])
    content = job.content(result)
    job.deliver(content, names_text(content.trust.minima[0].sets[0].features))
    # --jobs are threads here; those of the page would be processes.
    data.n_jobs = 1
    job.write_page(result)
