"""`fewest select`: the fewest features of a table."""

from __future__ import annotations

import argparse
import copy
from functools import partial
from typing import TYPE_CHECKING, Any

from fewest._wording import visible
from fewest.cli import _options as options
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._output import writing
from fewest.cli._rules import add_rule_options, read_rule_options

if TYPE_CHECKING:
    from fewest._estimators.held_out import HeldOut
    from fewest._estimators.splits import Split
    from fewest.cli._job import Job
    from fewest.report.content import Content

__all__ = ["add_options", "run"]


_IN_BLOCKS = """\
Files that may be larger than memory, read in blocks (see --blocks):
  .npy             one matrix; --target names a table and its column: classes.tsv:case
  .bed             PLINK genotypes with .bim and .fam; --target phenotype, population,
                   sex or a table and its column, matched by the ids of the .fam
  .zarr .h5        AnnData or one matrix
"""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    select = options.new_command(
        commands,
        "select",
        help="select features in your own data",
        description="Select the fewest features that tell the classes apart.",
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --report result.html",
            "expression.tsv.gz --target diagnosis --drop patient --drop age",
            "expression.parquet --target diagnosis --C inf --json result.json",
            "expression.npz --cv 10 --repeats 5 --jobs 4",
            "expression.csv --target celltype --max-features 20",
            "expression.csv --target diagnosis --include age,sex --exclude batch",
            "expression.csv --target diagnosis --feature-cost prices.csv --max-features 5",
            "expression.csv --target diagnosis --max-features 1-20",
            "expression.csv --target diagnosis --method sfm-cv",
            "expression.csv --target diagnosis --method liknon --C 0.05",
            "expression.csv --target diagnosis --method psvm --epsilon 3",
            "similarity.csv --target family --method psvm --matrix --C 0.6 --epsilon 0.1",
            "expression.csv --target diagnosis --quiet > selected.txt",
            "expression.csv --target diagnosis --model machine.fewest",
            "genotypes.bed --target phenotype.tsv:case --cv 0",
            "cells.h5ad --target celltype --blocks",
        ),
        reads_table=True,
        also_reads=_IN_BLOCKS,
    )
    select.add_group("large files").option(
        "--blocks",
        "read the file in blocks, never as a whole: .npy .bed .h5 .hdf5 .zarr always are, .h5ad "
        "and .parquet if they take more than a quarter of the computer's memory. "
        "FEWEST_BLOCK_MB sets the size of a block (default: 64)",
    )
    method = options.add_method(select, ("sfm", "sfm-cv", "weston", "liknon", "psvm"))
    options.add_panel(method)
    add_rule_options(select)
    validation = options.add_validation(select)
    validation.option("--repeats R", "repeat it with other folds", options.at_least_one, 1)
    output = options.add_output(select)
    saved = "also save the fitted machine to this file, for fewest predict and fewest.load"
    output.option("--model FILE", saved)


def run(arguments: argparse.Namespace) -> None:
    """Read, fit, cross-validate, report."""
    from fewest.cli._blocks import is_for_blocks, read_blocks
    from fewest.cli._job import start_job

    notes = settle_method(arguments)
    table = read_blocks(arguments) if is_for_blocks(arguments) else None
    job = start_job(arguments, "model", table=table)
    job.note(notes)
    job.rules = read_rule_options(arguments, job.data.feature_names)
    select_features(job)


def select_features(job: Job, **page: Any) -> Content:
    """Fit on all samples, estimate the error by cross-validation, report both.

    `page` are settings of the page.
    """
    import numpy as np

    from fewest._estimators.splits import fit_with_groups
    from fewest.cli._text import names_text
    from fewest.model_files import save

    arguments, data = job.arguments, job.data
    machine = make_estimator(arguments, job.rules, n_jobs=arguments.jobs, verbose=job.verbose)
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
    from fewest._estimators.held_out import run_held_out

    arguments, data = job.arguments, job.data
    settings = {"groups": data.groups, "n_jobs": arguments.jobs, "verbose": job.verbose}
    return [
        run_held_out(make_estimator(arguments, job.rules), data.X, data.y, cv=splits, **settings)
    ]
