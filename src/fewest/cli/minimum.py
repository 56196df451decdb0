"""`fewest minimum`: the smallest number of features that separate two classes, with its proof."""

from __future__ import annotations

import argparse

from fewest._wording import listed
from fewest.cli import _options as options
from fewest.cli._errors import CommandError, InseparableError

__all__ = ["add_options", "run"]

_NO_SET = {
    True: "no set of features separates the classes without error: both can be averaged to one "
    "point (checked in exact arithmetic).\nTry fewest select with a finite --C.",
    False: "no set of features was found that separates the classes without error, nor an exact "
    "proof that there is none.\nTry fewest select with a finite --C.",
}

_DESCRIPTION = """\
Find the smallest number of features that separate two classes without error,
prove that no smaller set does, and check the proof in exact arithmetic."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    minimum = options.new_command(
        commands,
        "minimum",
        help="the smallest number of features that separate two classes, with a proof",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --solutions all --json minimum.json",
            "expression.npz --max-seconds 3600 --jobs -1",
        ),
        reads_table=True,
    )
    group = minimum.add_group("search")
    group.option(
        "--max-size K",
        "search sets of up to K features completely (default: as many as it takes)",
        options.at_least_one,
    )
    group.option(
        "--max-seconds SECONDS",
        "end the search then, with the best set and the bound proven so far; inf for no limit",
        options.cost,
        300,
    )
    solutions = "how many of the smallest sets to return, or all"
    group.option("--solutions N", solutions, options.at_least_one_or_all, 1)
    options.add_jobs(group, "threads; -1 for one per core", default=-1)
    options.add_output(
        minimum, quiet="print the features of the best set only, one per line; no progress"
    )


def run(arguments: argparse.Namespace) -> None:
    """Read, search, check, report."""
    from fewest.cli._job import start_job
    from fewest.cli._text import names_text
    from fewest.minimum import minimum_features

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
