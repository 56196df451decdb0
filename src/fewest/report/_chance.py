"""The one permutation test of a result: verdict, page, result file and text have its p-value."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest._estimators.abilities import abilities_of
from fewest._estimators.held_out import HeldOut, is_same_estimator
from fewest._estimators.splits import choose_exchange, make_splitter, permute_labels
from fewest._run.budget import Budget, OutOfTimeError
from fewest._wording import counted
from fewest.diagnostics import Diagnosis
from fewest.machines.sfm import SupportFeatureMachine
from fewest.report import _trust_content as content
from fewest.report._data import Data, copy_fields
from fewest.report._given import Subject
from fewest.report._plan import FEWEST_PERMUTATIONS, TestPlan, count_folds, seconds_per_fit
from fewest.significance import PermutationTest, permutation_test

_SHARE_OF_TIME = 0.6  # of what is left, where the clock decides
_LEAST_SECONDS = 0.1
_THIS_METHOD = "this method"
_WITHOUT_PROOF = (
    "the Support Feature Machine, but without the search for the smallest set: for each labelling "
    "it would take too long, and the errors of both may differ"
)
_STAND_IN = (
    "the Support Feature Machine with C = {:g}, which stands in for the method shown: permutations "
    "of that would take too long, or could not be done"
)


def find_permutation(
    subject: Subject,
    held_out: HeldOut | None,
    data: Data,
    plans: Sequence[TestPlan],
    budget: Budget,
    *,
    show: bool = False,
) -> content.Permutation:
    """The test of the first plan that can be done; a ValueError that says why there is none."""
    failure: ValueError | None = None
    for plan in plans:
        enough = min(plan.n_permutations, FEWEST_PERMUTATIONS)
        n_possible = _count_possible(data, enough)
        if n_possible < enough:
            units = "blocks" if data.blocks is not None else "groups"
            raise ValueError(
                f"{units} can be labelled in {counted(n_possible + 1, 'way')} only, too few for a "
                f"test by permutations: more {units} are needed"
            )
        if _estimate_least(plan, enough, held_out) > budget.left:
            continue
        try:
            test = _run(plan, held_out, data, budget, show)
        except OutOfTimeError:  # before the first permutation
            continue
        except ValueError as error:
            failure = failure or error
            continue
        if test.n_permutations >= enough:
            return describe_test(test, *_name(plan, subject))
    if failure is not None:
        raise failure
    if budget.is_limited:
        raise budget.refuse(f"{FEWEST_PERMUTATIONS} permutations of the classes")
    raise ValueError(
        "permutations of the classes would take too long for data of this size. --permutations N "
        "(in Python: n_permutations) asks for so many of them, however long they take"
    )


def _count_possible(data: Data, enough: int) -> int:
    """How many labellings there are besides the true one; `enough` where there are more.

    Only of groups and blocks can there be so few where samples can be left out.
    """
    if data.groups is None and data.blocks is None:
        return enough
    rng = np.random.RandomState(0)
    way: dict[str, Any] = {"exchange": choose_exchange(data.y, data.groups), "blocks": data.blocks}
    return len(permute_labels(data.codes, data.groups, enough, rng, **way))


def _estimate_least(plan: TestPlan, enough: int, held_out: HeldOut | None) -> float:
    """What the fewest permutations take, as a fit of a fold did."""
    if not plan.is_shown:
        return plan.seconds * enough / plan.n_permutations
    return enough * count_folds(held_out) * seconds_per_fit(held_out)


def _run(
    plan: TestPlan, held_out: HeldOut | None, data: Data, budget: Budget, show: bool
) -> PermutationTest:
    abilities = abilities_of(plan.estimator)
    way: dict[str, Any] = {"statistics": "features"}
    if abilities.classifies:
        known = _once(held_out) if held_out is not None and held_out.is_of(plan.estimator) else None
        way = {"statistics": "error", "cv": _folds(data), "held_out": known}
        # The number of features says something only of machines that minimise it.
        if abilities.counts_features and plan.is_shown:
            way["statistics"] = ("features", "error")
    seconds = plan.limit(held_out, data)
    if budget.is_limited:
        seconds = max(_LEAST_SECONDS, _SHARE_OF_TIME * budget.left)
    part = budget.take(seconds)
    with warnings.catch_warnings(action="ignore"):  # of permuted classes they would only alarm
        test = permutation_test(
            plan.estimator,
            data.raw,
            data.y,
            n_permutations=plan.n_permutations,
            max_seconds=seconds,
            exchange=choose_exchange(data.y, data.groups),
            blocks=data.blocks,
            verbose=int(show),
            **data.settings,
            **way,
        )
    if test.n_permutations < plan.n_permutations:
        part.end(f"the permutations, of which {plan.n_permutations} were planned,")
    return test


def _once(held_out: HeldOut) -> HeldOut | None:
    """The folds that judged every sample once; None if there are no such folds."""
    once = held_out.first_repeat
    return once if np.array_equal(np.sort(once.tested), np.arange(len(once.y))) else None


def _folds(data: Data) -> Any:
    """The folds of the cross-validation, so both give the same error."""
    if isinstance(data.cv, (int, np.integer)):
        with warnings.catch_warnings(action="ignore"):  # of fewer folds: said already
            return make_splitter(int(data.cv), data.y, data.groups, random_state=data.random_state)
    return data.cv


def _name(plan: TestPlan, subject: Subject) -> tuple[str, bool]:
    """What was tested, in words, and whether it is the method shown."""
    if not plan.is_shown:
        return _STAND_IN.format(plan.estimator.C), False
    return (_WITHOUT_PROOF, False) if subject.proves else (_THIS_METHOD, True)


def describe_test(test: PermutationTest, tested: str, is_of_method: bool) -> content.Permutation:
    """The test as plain values."""
    found = {"features": test.features, "error": test.error}
    comparisons = [
        copy_fields(content.Comparison, statistic, statistic=name)
        for name, statistic in found.items()
        if statistic is not None
    ]
    return content.Permutation(tested, is_of_method, comparisons, test.n_permutations)


def describe_diagnosed(found: Diagnosis, subject: Subject | None) -> content.Permutation | None:
    """The test of a diagnosis that was given: it is the page's, whichever machine that shows."""
    if found.test is None:
        return None
    machine = SupportFeatureMachine(C=np.inf if found.separable else 1.0)
    name = f"the Support Feature Machine with C = {machine.C:g}"
    if subject is None:
        return describe_test(found.test, name, True)
    if is_same_estimator(subject.without_proof, machine):
        return describe_test(found.test, _THIS_METHOD, True)
    name += ", the machine of the diagnosis, which stands in for the method shown"
    return describe_test(found.test, name, False)
