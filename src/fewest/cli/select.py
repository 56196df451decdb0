"""`fewest select`: the fewest features of a table."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from fewest._wording import counted, quoted, visible
from fewest.cli import _options as options
from fewest.cli._comparison import (
    add_comparison_options,
    check_comparison,
    compare_with_others,
    find_learning_curve,
)
from fewest.cli._errors import CommandError
from fewest.cli._methods import METHODS, make_estimator, settle_method
from fewest.cli._output import writing
from fewest.cli._rules import add_rule_options

if TYPE_CHECKING:
    from fewest._estimators.held_out import HeldOut
    from fewest._estimators.splits import Split
    from fewest.cli._job import Job, Stage
    from fewest.report.content import Content
    from fewest.significance import Confounding
    from fewest.significance._confounding import CheckedCovariates

__all__ = ["add_options", "run"]

# So many samples of each class are left for the folds within a fold.
_FEWEST_PER_CLASS = 6
# How long each fold may look for its own smallest set.
_SECONDS_PER_FOLD = 3.0
# In the test of the covariates.
_PERMUTATIONS = 99


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
            "expression.tsv.gz --target diagnosis --groups patient --drop age",
            "expression.parquet --target diagnosis --C inf --json result.json",
            "expression.npz --cv 10 --repeats 5 --jobs 4",
            "expression.csv --target celltype --max-features 20",
            "expression.csv --target diagnosis --include age,sex --exclude batch",
            "expression.csv --target diagnosis --feature-cost prices.csv --max-features 5",
            "expression.csv --target diagnosis --max-features 1-20",
            "expression.csv --target diagnosis --covariates age,sex,batch",
            "expression.csv --target diagnosis --compare sfm,l1,t-test,minimum",
            "expression.csv --target diagnosis --learning-curve",
            "expression.tsv --classes patients.csv:diagnosis --names symbol",
            "expression.csv --target diagnosis --certify",
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
    methods = ("sfm", "sfm-cv", "weston", "liknon", "psvm")
    method = options.add_method(select, methods, chooses=True)
    method.option(
        "--certify",
        "answer with a smallest set of features that separates the classes, proven to be one where "
        "time allows (--method sfm, --C inf)",
    )
    options.add_panel(method)
    add_rule_options(select)
    validation = options.add_validation(select)
    validation.option("--repeats R", "repeat it with other folds", options.at_least_one, 1)
    validation.option(
        "--covariates A,B",
        "columns with what else is known of the samples (age, sex, batch; also of --classes): they "
        "are not used as features, and the result says whether they could explain it",
    )
    add_comparison_options(validation)
    output = options.add_output(select, verbose="the proof of the optimum")
    saved = "also save the fitted machine to this file, for fewest predict and fewest.load"
    output.option("--model FILE", saved)


def run(arguments: argparse.Namespace) -> None:
    """Read, fit, cross-validate, report."""
    from fewest.cli._blocks import is_for_blocks, read_blocks
    from fewest.cli._job import start_job

    _check_together(arguments)
    check_comparison(arguments)
    in_blocks, notes = is_for_blocks(arguments), []
    if in_blocks and arguments.method is None:
        arguments.method = "sfm"
        if arguments.C is None and arguments.max_features is None:
            notes.append(
                "C was not chosen from the data, which takes many passes over the file: try other "
                "values of --C, or --method sfm-cv."
            )
    chooses, multi_class = arguments.method is None, arguments.multi_class
    notes += settle_method(arguments)
    table = read_blocks(arguments) if in_blocks else None
    job = start_job(arguments, "model", table=table)
    if chooses and arguments.method == "sfm-cv":
        notes += _avoid_small_folds(job, multi_class)
    job.note(notes)
    job.rules = job.read_rules()
    if job.covariates:
        _check_covariates(job)
    select_features(job)


def _check_together(arguments: argparse.Namespace) -> None:
    """Refuse options that need another one, or that say nothing."""
    from fewest.cli._reading import split_names

    if arguments.covariates is not None and not split_names(arguments.covariates):
        raise CommandError(
            "--covariates names no column.\nName some, as in --covariates age,sex, or leave it out."
        )
    if arguments.covariates and not arguments.cv:
        raise CommandError(
            "--covariates needs a cross-validation.\nLeave out --cv 0, or the covariates."
        )
    if arguments.repeats > 1 and not arguments.cv:
        raise CommandError(
            "--repeats is for the cross-validation.\nLeave out --cv 0, or --repeats."
        )


def _check_covariates(job: Job) -> CheckedCovariates:
    """The covariates as they will be tested; what cannot be is refused before the work."""
    from fewest._estimators.splits import choose_exchange
    from fewest.significance._confounding import check_covariates

    y, groups = job.data.y, job.data.groups
    try:
        return check_covariates(job.covariates, y, groups, choose_exchange(y, groups))
    except ValueError as error:
        raise CommandError(
            f"--covariates: {error}.\nA column that is taken out of --covariates becomes a "
            "feature, unless --drop names it."
        ) from error


def _avoid_small_folds(job: Job, multi_class: str | None) -> list[str]:
    """A fixed C where a class is too small to be split twice, in folds of folds.

    `multi_class` is what was asked for, before a default took its place.
    """
    sizes = {one.label: one.n_samples for one in job.data.summary(**job.about).classes}
    smallest = min(sizes, key=lambda label: sizes[label])
    if sizes[smallest] >= _FEWEST_PER_CLASS:
        return []
    arguments = job.arguments
    arguments.method, arguments.C, arguments.multi_class = "sfm", METHODS["sfm"].C, multi_class
    return [
        f"C was not chosen from the data: the class {quoted(smallest)} has only "
        f"{counted(sizes[smallest], 'sample')}. Try other values of --C."
    ]


def select_features(job: Job, notes: Sequence[str] = ()) -> Content:
    """Fit on all samples, estimate the error by cross-validation, report both.

    `notes` are for the page.
    """
    import numpy as np

    from fewest._estimators.splits import fit_with_groups
    from fewest._gaps import find_medians
    from fewest.cli._text import names_text
    from fewest.model_files import save

    arguments, data = job.arguments, job.data
    machine = make_estimator(arguments, job.rules, n_jobs=arguments.jobs, verbose=job.verbose)
    job.say_method(machine)
    with job.working():
        fit_with_groups(machine, data.X, data.y, data.groups)

    def brief(content: Content) -> str:
        return names_text(content.said.selected)

    with job.validating(brief, machine):
        if arguments.model:
            named = copy.copy(machine)
            named.feature_names_in_ = np.array(data.feature_names, dtype=object)
            if isinstance(data.X, np.ndarray):
                named.training_medians_ = find_medians(data.raw)
            named.training_percents_ = np.isin(data.feature_names, job.percents)
            named.training_folded_case_ = arguments.fold_case
            with writing(f"--model {arguments.model}"):
                save(named, arguments.model)
            job.output.say_later(f"Written: {visible(arguments.model)}")
        held_out = next(iter(job.judge(partial(_judge, job), arguments.repeats)), None)
    stages: list[Stage] = []
    if job.covariates:
        stages.append(("confounding", partial(_test_covariates, job, held_out)))
    if getattr(arguments, "compare", None):
        stages.append(("comparison", partial(compare_with_others, job, held_out)))
    if getattr(arguments, "learning_curve", False):
        stages.append(("learning_curve", partial(find_learning_curve, job, held_out)))
    return job.deliver(brief, machine, held_out, later=stages, page=lambda found: (found, notes))


def _test_covariates(job: Job, held_out: HeldOut | None) -> Confounding | None:
    """Whether covariates explain the result; None without folds."""
    from joblib import effective_n_jobs

    from fewest._estimators.splits import choose_exchange
    from fewest.report._plan import count_folds, say_seconds, seconds_per_fit
    from fewest.significance import confounding

    arguments, data = job.arguments, job.data
    if held_out is None:
        job.note(["Covariates were not tested, because there is no cross-validation."])
        return None
    number = _check_covariates(job).count_cross_validations(_PERMUTATIONS)
    seconds = number * count_folds(held_out) * seconds_per_fit(held_out)
    known = f"about {say_seconds(seconds / effective_n_jobs(arguments.jobs))}"
    job.output.say(f"Covariates  {counted(number, 'further cross-validation')} ({known})")
    with job.working("covariates"):
        return confounding(
            make_estimator(arguments, job.rules),
            data.raw,
            data.y,
            job.covariates,
            cv=arguments.cv,
            groups=data.groups,
            exchange=choose_exchange(data.y, data.groups),
            n_permutations=_PERMUTATIONS,
            held_out=held_out.first_repeat,
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=job.verbose,
        )


def _judge(job: Job, splits: list[Split]) -> list[HeldOut]:
    """The cross-validation of the whole job, selection included."""
    from fewest._estimators.held_out import run_held_out

    arguments, data = job.arguments, job.data
    settings = {"groups": data.groups, "n_jobs": arguments.jobs, "verbose": job.verbose}
    machine = make_estimator(arguments, job.rules, proof_seconds=_SECONDS_PER_FOLD)
    if arguments.certify:
        job.note(
            [
                "Every fold looked for a smallest set of its own for at most "
                f"{_SECONDS_PER_FOLD:g} seconds; a faster computer may find smaller ones."
            ]
        )
    return [run_held_out(machine, data.raw, data.y, cv=splits, **settings)]
