"""Other methods on the folds of a job, and the learning curve of its machine."""

from __future__ import annotations

import argparse
import copy
from typing import TYPE_CHECKING, Any

from fewest._wording import near_names
from fewest.cli._errors import CommandError
from fewest.cli._methods import METHODS, make_estimator, settle_method

if TYPE_CHECKING:
    from fewest._estimators.held_out import HeldOut
    from fewest.cli._job import Job
    from fewest.cli._options import Group
    from fewest.significance import LearningCurve, MethodComparison

# Spelled out, because the parser loads no library; a test compares them with the others' names.
_OTHERS = ("l1", "t-test", "minimum")
COMPARED = ("sfm", "sfm-cv", *_OTHERS, "weston", "liknon", "psvm")
# Options that belong to the method of the job, not to those that it is compared with.
_OF_THE_METHOD = ("C", "constraint", "epsilon", "refit", "max_features", "certify", "multi_class")
_WITHOUT_RULES = "it takes no rules about features"


def add_comparison_options(group: Group) -> None:
    """`--compare` and `--learning-curve`."""
    group.option(
        "--compare A,B",
        "judge other methods on the same folds, some of sfm, sfm-cv, l1 (one-norm support vector "
        "machine of scikit-learn), t-test (as many features as the method has), minimum (smallest "
        "set without training error), weston, liknon and psvm, each with its usual parameters",
        _read_names,
    )
    group.option(
        "--learning-curve",
        "also fit to fewer samples, and say whether more samples would help; 120 further fits "
        "with 5 folds",
    )


def _read_names(text: str) -> list[str]:
    """Names of methods, with commas between them."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in COMPARED:
            meant = near_names(name, COMPARED)
            hint = f" (did you mean {meant[0]}?)" if meant else ""
            raise argparse.ArgumentTypeError(f"knows {', '.join(COMPARED)}, not {name!r}{hint}")
    if not names:
        raise argparse.ArgumentTypeError(f"needs some of {', '.join(COMPARED)}")
    return list(dict.fromkeys(names))


def check_comparison(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be compared before anything is read."""
    for option, is_given in (
        ("--compare", arguments.compare),
        ("--learning-curve", arguments.learning_curve),
    ):
        if is_given and not arguments.cv:
            raise CommandError(
                f"{option} needs a cross-validation.\nLeave out --cv 0, or {option}."
            )
        if is_given and arguments.matrix:
            raise CommandError(
                f"{option} does not go with --matrix, where columns are samples.\n"
                "Leave one of them out."
            )


def compare_with_others(job: Job, held_out: HeldOut | None) -> MethodComparison | None:
    """The methods of `--compare` on the folds; None if there are no others, or without folds."""
    arguments, data = job.arguments, job.data
    if held_out is None:
        job.note(["Methods were not compared, because there is no cross-validation."])
        return None
    others = {
        name: _make_method(job, name) for name in arguments.compare if name != arguments.method
    }
    if not others:
        job.note([f"Nothing to compare: {arguments.method} is the method itself."])
        return None
    from fewest.significance import compare_methods

    with job.working("comparison"):
        return compare_methods(
            held_out.estimator,
            data.raw,
            data.y,
            others,
            name=arguments.method,
            groups=data.groups,
            held_out=held_out,
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=job.verbose,
        )


def _make_method(job: Job, name: str) -> Any:
    """The estimator of a name, what makes one from a number of features, or why there is none."""
    if name in _OTHERS:
        from fewest.significance._rivals import make_rival

        return _WITHOUT_RULES if job.rules else make_rival(name, job.arguments.seed)
    arguments = copy.copy(job.arguments)
    for option in _OF_THE_METHOD:
        setattr(arguments, option, None)
    arguments.method = name
    if name == "sfm-cv":  # as by default
        arguments.multi_class = "separate"
    if METHODS[name].estimator == "PotentialSVC":
        arguments.class_weight, arguments.standardize = None, True
    try:
        settle_method(arguments)
        return make_estimator(arguments, job.rules)
    except (CommandError, ValueError) as error:
        return str(error).splitlines()[0]


def find_learning_curve(job: Job, held_out: HeldOut | None) -> LearningCurve | None:
    """The learning curve; None and a note if there is none."""
    arguments, data = job.arguments, job.data
    if held_out is None:
        job.note(["There is no learning curve, because there is no cross-validation."])
        return None
    from fewest.significance import learning_curve

    try:
        with job.timed("learning curve"):
            return learning_curve(
                held_out.estimator,
                data.raw,
                data.y,
                cv=arguments.cv,
                groups=data.groups,
                held_out=held_out,
                random_state=arguments.seed,
                n_jobs=arguments.jobs,
                verbose=job.verbose,
            )
    except ValueError as error:
        job.leave_out("learning_curve", error)
        job.note([f"No learning curve: {error}."])
        return None
