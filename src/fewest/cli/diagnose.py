"""`fewest diagnose`: whether anything can be concluded from the data."""

from __future__ import annotations

import argparse

from fewest.cli import _options as options

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Say in plain words whether anything can be concluded from the data: would
classes assigned at random look the same? And what to beware of: chance,
distances that hardly differ, samples that are neighbours of most others,
misleading leave-one-out errors."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    diagnose = options.new_command(
        commands,
        "diagnose",
        help="whether anything can be concluded from your data, in plain words",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis",
            "expression.npz --permutations 999 --jobs 4 --json diagnosis.json",
        ),
        reads_table=True,
    )
    diagnose.add_group("test").option(
        "--permutations N",
        "random labellings to compare with; the smallest p-value is 1/(N+1)",
        options.at_least_one,
        99,
    )
    options.add_validation(diagnose, of_what="permutations")
    options.add_output(
        diagnose,
        quiet="print the first sentence only; no progress bar",
        verbose="what to know about distances, neighbours and leave-one-out errors",
        has_test=True,
    )


def run(arguments: argparse.Namespace) -> None:
    """Read, test, report."""
    from fewest._estimators.splits import choose_exchange
    from fewest.cli._job import start_job
    from fewest.diagnostics import diagnose

    job = start_job(arguments)
    data = job.data
    with job.working("testing"):
        found = diagnose(
            data.raw,
            data.y,
            n_permutations=arguments.permutations,
            cv=arguments.cv or None,
            groups=data.groups,
            exchange=choose_exchange(data.y, data.groups),
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=job.verbose,
        )
    job.deliver(lambda _: found.summary.splitlines()[0], found)
