"""What chance would have done: permuted classes, random data, and diagnostics in words."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from fewest._estimators.abilities import abilities_of
from fewest._estimators.held_out import HeldOut, is_same_estimator
from fewest._estimators.splits import choose_exchange, make_splitter
from fewest.diagnostics import Diagnosis, diagnose
from fewest.machines.sfm import SupportFeatureMachine
from fewest.report._budget import FEWEST_PERMUTATIONS, Budget
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report.content import (
    Comparison,
    Diagnostics,
    Permutation,
    Separability,
    SeparabilityPoint,
)
from fewest.significance import PermutationTest, permutation_test, subset_separability_bounds

_SHARE = 0.6  # of the time that is left
_LARGEST_SUBSET = 30
_LEAST_SECONDS = 0.1
_WITHOUT_PROOF = (
    "the Support Feature Machine, but without the search for the smallest set: for each labelling "
    "it would take too long, and the errors of both may differ"
)


def find_diagnosis(
    held_out: HeldOut | None, data: Data, budget: Budget, n_permutations: int
) -> Diagnosis:
    """That of the data, with as many permutations as time allows."""
    run = partial(diagnose, data.X, data.y, held_out=_once(held_out))
    return _within_budget(run, [{"cv": _folds(data)}, {"cv": None}], data, budget, n_permutations)


def find_permutation(
    subject: Subject,
    held_out: HeldOut | None,
    found: Diagnosis | None,
    data: Data,
    budget: Budget,
    n_permutations: int,
) -> Permutation:
    """The test of the diagnosis where it is of the same machine, else one of its own.

    Where time does not allow that, the test of the diagnosis stands in.
    """
    estimator = subject.without_proof
    tested = _WITHOUT_PROOF if subject.proves else "this method"
    if found is not None and is_same_estimator(estimator, _diagnosed(found)):
        return describe_test(found.test, tested)
    if held_out is not None:
        held_out = _once(held_out) if held_out.is_of(estimator) else None
    abilities = abilities_of(estimator)
    # The number of features says something only of machines that minimise it.
    ways: list[dict[str, Any]] = []
    if abilities.classifies:
        statistics = ("features", "error") if abilities.counts_features else ("error",)
        ways.append({"cv": _folds(data), "statistics": statistics, "held_out": held_out})
    if abilities.counts_features or not ways:
        ways.append({"statistics": "features"})
    run = partial(permutation_test, estimator, data.X, data.y)
    try:
        return describe_test(_within_budget(run, ways, data, budget, n_permutations), tested)
    except ValueError:
        if found is None:
            raise
    return describe_test(
        found.test,
        f"{name_tested(found)}, which stands in because permutations of the method itself did not "
        "fit into the time, or could not be done",
    )


def _diagnosed(found: Diagnosis) -> SupportFeatureMachine:
    """The machine that a diagnosis is about."""
    return SupportFeatureMachine(C=np.inf if found.separable else 1.0)


def name_tested(found: Diagnosis) -> str:
    """The machine of a diagnosis, in words."""
    return f"the Support Feature Machine with C = {_diagnosed(found).C:g}"


def _once(held_out: HeldOut | None) -> HeldOut | None:
    """The folds that judged every sample once; None if there are no such folds."""
    if held_out is None:
        return None
    once = held_out.first_repeat
    judged = np.array_equal(np.sort(once.tested), np.arange(len(once.y)))
    return once if judged else None


def _within_budget(
    run: Callable[..., Any],
    ways: Sequence[dict[str, Any]],
    data: Data,
    budget: Budget,
    n_permutations: int,
) -> Any:
    """The first of several ways to run the test for which time allows enough permutations."""
    enough = min(n_permutations, FEWEST_PERMUTATIONS)
    for way in ways:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say of permuted classes would only alarm
            found = run(
                n_permutations=n_permutations,
                max_seconds=max(_LEAST_SECONDS, _SHARE * budget.left),
                groups=data.groups,
                exchange=choose_exchange(data.y, data.groups),
                random_state=data.random_state,
                n_jobs=data.n_jobs,
                **way,
            )
        test = found.test if isinstance(found, Diagnosis) else found
        if test.n_permutations >= enough:
            return found
    raise ValueError(
        f"{FEWEST_PERMUTATIONS} permutations of the classes did not fit into the time for this "
        f"report ({budget.seconds:g} s)"
    )


def _folds(data: Data) -> Any:
    """The folds of the cross-validation, so both give the same error."""
    if isinstance(data.cv, (int, np.integer)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fewer folds: said already
            return make_splitter(int(data.cv), data.y, data.groups, random_state=data.random_state)
    return data.cv


def describe_test(test: PermutationTest, tested: str) -> Permutation:
    """The test as plain values."""
    comparisons = [
        Comparison(statistic, found.observed, found.chance.tolist(), found.p_value)
        for statistic, found in (("features", test.features), ("error", test.error))
        if found is not None
    ]
    return Permutation(tested, comparisons, test.p_value, test.n_permutations)


def describe_separability(n_selected: int, data: Data) -> Separability:
    """Bounds for random data of the same shape, over the number of features."""
    n, d = data.X.shape
    largest = min(d, max(2 * n_selected, 10), max(n_selected, _LARGEST_SUBSET))
    points = []
    for size in range(1, largest + 1):
        found = subset_separability_bounds(n, d, size, intercept=True)
        points.append(
            SeparabilityPoint(size, found.log_lower / np.log(10.0), found.log_upper / np.log(10.0))
        )
    return Separability(n, d, n_selected, points)


def describe_diagnosis(found: Diagnosis) -> Diagnostics:
    """The diagnosis in its own words, and its numbers."""
    hubs = found.hubs
    return Diagnostics(
        conclusive=found.conclusive,
        headline=found.headline,
        conclusion=found.conclusion,
        evidence=found.evidence,
        geometry=found.geometry,
        summary=found.summary,
        alpha=found.alpha,
        separable=found.separable,
        n_selected=found.n_selected,
        test=describe_test(found.test, name_tested(found)),
        bounds=None if found.bounds is None else asdict(found.bounds),
        vc_dimension=found.vc_dimension,
        sphericity=asdict(found.sphericity),
        norm_variation={f"{p:g}": value for p, value in found.norms.items()},
        distances=asdict(found.distances),
        hubness={
            "k": hubs.k,
            "skewness": hubs.skewness,
            "hubs": hubs.hubs.tolist(),
            "bad_hubs": None if hubs.bad_hubs is None else hubs.bad_hubs.tolist(),
            "bad_share": hubs.bad_share,
        },
        leave_one_out=None if found.leave_one_out is None else asdict(found.leave_one_out),
    )
