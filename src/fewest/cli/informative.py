"""`fewest informative`: the share of features that carry information."""

from __future__ import annotations

import argparse

from fewest.cli._errors import CommandError
from fewest.cli._job import start_job
from fewest.cli._methods import make_estimator, settle_method
from fewest.informative import informative_features
from fewest.plotting import plot_informative
from fewest.report._informative import find_t_map

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> None:
    """Read, select and probe in every fold, report, draw."""
    settle_method(arguments, hard=True)
    if arguments.cv == 0:
        raise CommandError(
            "--cv 0: without folds nothing can be tested.\nName 2 folds or more, or --groups."
        )
    job = start_job(arguments, "plot")
    data, estimator = job.data, make_estimator(arguments)
    job.say_method(estimator)
    with job.working(where="in a fold, "):
        found = informative_features(
            estimator,
            data.X,
            data.y,
            groups=data.groups,
            cv=arguments.cv,
            every=arguments.every,
            n_permutations=arguments.permutations,
            random_state=arguments.seed,
            checkpoint=arguments.checkpoint,
            n_jobs=arguments.jobs,
            verbose=job.verbose,
        )
    if arguments.plot:
        t_map = find_t_map(data)
        job.draw(lambda figure: plot_informative(found, t_map, figure=figure))
    content = job.content(found, estimator=estimator)
    job.deliver(content, f"{found.estimate:.4f}")
    job.write_page(found)
    if len(found.folds) < found.n_folds_planned:
        raise KeyboardInterrupt  # the exit code says so, after all is written
