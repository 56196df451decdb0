"""`fewest rank`: disjoint subsets of features, the smallest first."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from fewest.cli._job import start_job
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._output import csv_text
from fewest.cli._text import names_text
from fewest.repetition.selector import RepetitiveSelector
from fewest.report._answer import describe_subsets
from fewest.report.content import Subset

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> None:
    """Read, select again and again, report."""
    settle_method(arguments, hard=True)
    job = start_job(arguments, "csv")
    estimator = make_estimator(arguments)
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
    content = job.content(selector, estimator=estimator)
    found = describe_subsets(selector, job.data)
    ranked = [found.subsets[number - 1] for number in found.ranking]
    if arguments.csv:
        rows = _list_rows(ranked, [entry.label for entry in content.data.classes])
        job.write("csv", csv_text(rows))
    job.deliver(content, names_text(name for subset in ranked for name in subset.features))
    job.write_page(selector)
    if found.stop_reason == "interrupted":
        raise KeyboardInterrupt  # the exit code says so, after all is written


def _list_rows(subsets: list[Subset], classes: list[Any]) -> Iterator[list[Any]]:
    """One row per feature: the subset it is in, and its weights (one per class if several)."""
    weights = ["weight"] if len(classes) == 2 else [f"weight {label}" for label in classes]
    yield ["rank", "repetition", "size", "training_error", "feature", "column", *weights]
    for rank, one in enumerate(subsets, start=1):
        of_subset = [rank, one.number, len(one.columns), one.training_error]
        for row in zip(one.features, one.columns, *one.coefficients, strict=True):
            yield [*of_subset, *row]
