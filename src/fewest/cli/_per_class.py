"""`--per-class`: what a command does for all classes, done for each of them against the rest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from fewest._run.budget import Budget
from fewest._wording import cut, visible
from fewest.cli._errors import InseparableError
from fewest.cli.minimum import searching, stop_if, verify
from fewest.exceptions import NotSeparableError
from fewest.report._class_content import OneClass, PerClass
from fewest.report._data import Data
from fewest.report._per_class import (
    describe_class_failure,
    describe_class_informative,
    describe_class_minimum,
    gather_classes,
)
from fewest.report._verdict_content import BETTER, NOT_TESTED

if TYPE_CHECKING:
    from fewest.cli._job import Job
    from fewest.informative import InformativeFeatures
    from fewest.minimum import MinimumResult

TWO_CLASSES = "There are two classes: what holds for one against the rest holds for both."


def search_each_class(job: Job, rules: dict[str, Any]) -> None:
    """The smallest sets of all classes and of each; report, check, write."""
    arguments, data = job.arguments, job.data
    # All classes last: it takes longest, and has the time that the others leave over.
    parts = [*map(data.against_rest, data.labels), data]
    budget, found = Budget(arguments.max_seconds), []
    with searching(job) as asked:
        for place, part in enumerate(parts):
            seconds = max(budget.left / (len(parts) - place), 1e-3)
            found.append(_search(job, part, rules, seconds))
    if all(result.size is None for result in found):
        if asked and not all(result.certified for result in found):
            raise KeyboardInterrupt
        said = _refuse(arguments.max_errors, rules, found)
        raise InseparableError(f"{said} Allow errors:\n{job.suggest('select', '--C', '10')}")
    classes = [
        describe_class_minimum(label, result, part)
        for label, result, part in zip(data.labels, found, parts, strict=False)
    ]
    later = stop_if(asked) + verify(job, *zip(found, parts, strict=True))
    per_class = gather_classes(classes)
    data.n_jobs = 1  # --jobs are threads here; those of the page would be processes
    job.deliver(lambda _: _list_features(per_class), found[-1], per_class, later=later)


def _search(job: Job, data: Data, rules: dict[str, Any], seconds: float) -> MinimumResult:
    from fewest.minimum import minimum_features

    arguments = job.arguments
    return minimum_features(
        data.X,
        data.y,
        max_errors=arguments.max_errors,
        max_size=arguments.max_size,
        n_solutions=arguments.solutions,
        max_seconds=seconds,
        n_jobs=arguments.jobs,
        verbose=job.verbose,
        **rules,
    )


def _refuse(most: int, rules: dict[str, Any], found: list[MinimumResult]) -> str:
    """What to say if neither all classes nor any single one can be separated."""
    errors = f" with at most {most} wrong" if most else " without error"
    follow = " that follows the rules" if rules else ""
    proven = " (proven)" if all(result.certified for result in found) else ", as far as is known"
    return (
        f"no set of features{follow} separates all classes, or any one from the rest,{errors}"
        f"{proven}."
    )


def _list_features(per_class: PerClass) -> str:
    """One line per class and feature, with a tab between them."""
    pairs = [(one.label, name) for one in per_class.classes for name in one.features]
    return "\n".join(f"{visible(label)}\t{visible(name)}" for label, name in pairs)


def estimate(job: Job, estimator: Any, data: Data, checkpoint: str | None) -> InformativeFeatures:
    """The share of informative features of these classes, as the options ask for it."""
    from fewest.informative import informative_features

    arguments = job.arguments
    return informative_features(
        estimator,
        data.raw,
        data.y,
        groups=data.groups,
        cv=arguments.cv,
        every=arguments.every,
        n_permutations=arguments.permutations,
        random_state=arguments.seed,
        checkpoint=checkpoint,
        n_jobs=arguments.jobs,
        verbose=job.verbose,
    )


def estimate_each_class(job: Job, estimator: Any) -> PerClass:
    """The same for each class; one that cannot be judged says why, and the others follow."""
    classes: list[OneClass] = []
    with job.timed("each class"), job.noting("Warning: "):
        for number, label in enumerate(job.data.labels, start=1):
            part, folder = job.data.against_rest(label), job.arguments.checkpoint
            if folder is not None:
                folder = os.path.join(folder, f"class-{number:03d}")
            try:
                found = estimate(job, estimator, part, folder)
            except NotSeparableError:
                reason = "in a fold, no hyperplane separates it from the rest; allow errors: --C 1"
                classes.append(describe_class_failure(label, reason, part))
            except ValueError as error:
                classes.append(describe_class_failure(label, str(error), part))
            else:
                classes.append(describe_class_informative(label, found, part))
                if not is_whole(found):
                    job.note([f"Interrupted at the class {cut(label)}: later ones are missing."])
                    break
    return gather_classes(classes)


def is_whole(found: InformativeFeatures) -> bool:
    """Whether no fold is missing, which an interruption leaves out."""
    return len(found.folds) == found.n_folds_planned


def choose_share(one: OneClass) -> float:
    """The first estimate of a class; not a number where nothing is better than chance."""
    found = one.informative
    if found is None or not found.estimates:
        return float("nan")
    if one.verdict is not None and one.verdict.status not in (BETTER, NOT_TESTED):
        return float("nan")
    return found.estimates[0].share
