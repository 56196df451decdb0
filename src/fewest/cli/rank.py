"""`fewest rank`: disjoint subsets of features, the smallest first."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fewest.cli import _options as options
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._output import csv_text
from fewest.cli._rules import add_rule_options

if TYPE_CHECKING:
    from fewest.cli._job import Stage
    from fewest.report._data import Data
    from fewest.report.content import Subset

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Find all features that tell the classes apart: select the fewest, set them
aside, select again among the rest, and so on. The subsets are listed by size."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    rank = options.new_command(
        commands,
        "rank",
        help="disjoint subsets of features, found one after the other",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis --subsets 10",
            "expression.csv --target diagnosis --C 1 --max-training-error 0.1",
            "maps.npz --checkpoint kept --csv ranking.csv --json ranking.json",
        ),
        reads_table=True,
    )
    options.add_method(rank, ("sfm", "weston", "liknon"), hard=True)
    add_rule_options(rank)
    group = rank.add_group("repetition")
    group.option(
        "--subsets N",
        "most subsets to find (default: until the classes cannot be told apart any more)",
        options.at_least_one,
    )
    group.option(
        "--max-training-error SHARE",
        "end before the share of training samples on the wrong side exceeds this",
        options.share,
    )
    group.option("--min-features N", "end when fewer features are left", options.at_least_one, 1)
    options.add_checkpoint(group)
    options.add_groups(group, "so it is in the folds and permutations of --report")
    options.add_jobs(group, "more than two classes: machines computed at the same time")
    output = options.add_output(
        rank, quiet="print the names of the features only, the smallest subset first; no bar"
    )
    output.option("--csv FILE", "also write a table, one row per feature")
    options.add_raw(output)


def run(arguments: argparse.Namespace) -> None:
    """Read, select again and again, report."""
    from fewest.cli._job import start_job
    from fewest.cli._text import names_text
    from fewest.repetition.selector import RepetitiveSelector
    from fewest.report._answer import describe_subsets

    settle_method(arguments, hard=True)
    job = start_job(arguments, "csv")
    job.rules = job.read_rules()
    estimator = make_estimator(arguments, job.rules)
    job.say_method(estimator)
    selector = RepetitiveSelector(
        estimator,
        n_subsets=arguments.subsets,
        max_training_error=arguments.max_training_error,
        min_features=arguments.min_features,
        checkpoint=arguments.checkpoint,
        n_jobs=arguments.jobs,
        verbose=job.verbose,
    )
    with job.working():
        selector.fit(job.data.X, job.data.y)
    found = describe_subsets(selector, job.data)
    ranked = [found.subsets[number - 1] for number in found.ranking]
    later: list[Stage] = []
    if arguments.csv:
        rows = _list_rows(ranked, job.data.labels, job.data)
        later.append(("csv", lambda: job.write("csv", csv_text(rows, raw=arguments.raw))))
    names = names_text(name for subset in ranked for name in subset.features)
    job.deliver(lambda _: names, selector, estimator=estimator, later=later)
    if found.stop_reason == "interrupted":
        raise KeyboardInterrupt  # the exit code says so, after all is written


def _list_rows(subsets: list[Subset], classes: list[Any], data: Data) -> Iterator[list[Any]]:
    """One row per feature: the subset it is in, and its weights (one per class if several).

    As everywhere, weights are for features divided by their standard deviations.
    """
    weights = ["weight"] if len(classes) == 2 else [f"weight {label}" for label in classes]
    yield ["rank", "repetition", "size", "training_error", "feature", "column", *weights]
    for rank, one in enumerate(subsets, start=1):
        of_subset = [rank, one.number, len(one.columns), one.training_error]
        found = (one.coefficients * data.values(one.columns).std(axis=0)).tolist()
        for row in zip(one.features, one.columns, *found, strict=True):
            yield [*of_subset, *row]
