"""What chance would have done: permuted classes, random data, and diagnostics in words."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from fewest._estimators.relabel import choose_exchange
from fewest._estimators.splits import make_splitter
from fewest.diagnostics import Diagnosis, diagnose
from fewest.machines.fsv import FeatureSelectionConcave
from fewest.machines.sfm import SupportFeatureMachine
from fewest.machines.zero_norm_svm import ZeroNormSVM
from fewest.report._budget import FEWEST_PERMUTATIONS, Budget
from fewest.report._data import Data
from fewest.report._subject import Subject
from fewest.report.content import (
    Comparison,
    Diagnostics,
    Permutation,
    Separability,
    SeparabilityPoint,
)
from fewest.significance import PermutationTest, permutation_test, subset_separability_bounds

_SHARE_OF_DIAGNOSIS = 0.6
_SHARE_OF_TEST = 0.6
_LARGEST_SUBSET = 30
_LEAST_SECONDS = 0.1
_WITHOUT_PROOF = (
    "the Support Feature Machine, but without the search for the smallest set: for each labelling "
    "it would take too long, and the errors of both may differ"
)


def diagnosis(subject: Subject, data: Data, budget: Budget, n_permutations: int) -> Diagnosis:
    """That of the data, with as many permutations as time allows."""
    if subject.diagnosis is not None:
        return subject.diagnosis
    run = partial(
        diagnose,
        data.X,
        data.y,
        groups=data.groups,
        exchange=choose_exchange(data.y, data.groups),
        random_state=data.seed,
        n_jobs=data.n_jobs,
    )
    return _within_budget(run, data, budget, n_permutations, _SHARE_OF_DIAGNOSIS)


def permutation(
    subject: Subject, found: Diagnosis | None, data: Data, budget: Budget, n_permutations: int
) -> Permutation:
    """The test of the diagnosis where it is of the same machine, else one of its own.

    Where time does not allow that, the test of the diagnosis stands in.
    """
    estimator, tested = clone(subject.estimator), "this method"
    if getattr(estimator, "certify", False):
        estimator.set_params(certify=False)
        tested = _WITHOUT_PROOF
    if found is not None and _is_hard_machine(estimator) and found.separable:
        return _plain(found.test, tested)
    run = partial(
        permutation_test,
        estimator,
        data.X,
        data.y,
        groups=data.groups,
        exchange=choose_exchange(data.y, data.groups),
        random_state=data.seed,
        n_jobs=data.n_jobs,
    )
    try:
        test = _within_budget(run, data, budget, n_permutations, _SHARE_OF_TEST)
    except ValueError:
        if found is None:
            raise
        cost = "inf" if found.separable else "1"
        return _plain(
            found.test,
            f"the Support Feature Machine with C = {cost}, which stands in because permutations of "
            "the method itself did not fit into the time, or could not be done",
        )
    return _plain(test, tested)


def _is_hard_machine(estimator: Any) -> bool:
    usual = SupportFeatureMachine(C=np.inf).get_params()
    if type(estimator) is not SupportFeatureMachine:
        return False
    given = estimator.get_params()
    return all(given[name] == usual[name] for name in usual if name not in ("n_jobs", "verbose"))


def _within_budget(run: Any, data: Data, budget: Budget, n_permutations: int, share: float) -> Any:
    """The richest test for which time allows enough permutations."""
    enough = min(n_permutations, FEWEST_PERMUTATIONS)
    for settings in _ways(run, data):
        limit = max(_LEAST_SECONDS, share * budget.left)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say of permuted classes would only alarm
            found = run(n_permutations=n_permutations, max_seconds=limit, **settings)
        test = getattr(found, "test", found)
        if test.n_permutations >= enough:
            return found
    raise ValueError(
        f"{FEWEST_PERMUTATIONS} permutations of the classes did not fit into the time for this "
        f"report ({budget.seconds:g} s)"
    )


def _ways(run: Any, data: Data) -> list[dict[str, Any]]:
    """Settings of the test: error and number of features together, or one of them.

    The number of features says something only of machines that minimise it.
    """
    if run.func is diagnose:
        return [{"cv": _folds(data)}, {"cv": None}]
    estimator = run.args[0]
    counts = isinstance(estimator, (SupportFeatureMachine, ZeroNormSVM, FeatureSelectionConcave))
    ways: list[dict[str, Any]] = []
    if hasattr(estimator, "predict"):
        statistics = ("features", "error") if counts else ("error",)
        ways.append({"cv": _folds(data), "statistics": statistics})
    if counts or not ways:
        ways.append({"statistics": "features"})
    return ways


def _folds(data: Data) -> Any:
    """The folds of the cross-validation, so that both give the same error."""
    if isinstance(data.cv, int):
        return make_splitter(data.cv, data.y, data.groups, random_state=data.seed)
    return data.cv


def _plain(test: PermutationTest, tested: str) -> Permutation:
    comparisons = [
        Comparison(statistic, found.observed, found.chance.tolist(), found.p_value)
        for statistic, found in (("features", test.features), ("error", test.error))
        if found is not None
    ]
    return Permutation(tested, comparisons, test.p_value, test.n_permutations)


def separability(n_selected: int, data: Data) -> Separability:
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


def diagnostics(found: Diagnosis) -> Diagnostics:
    """The diagnosis in its own words."""
    return Diagnostics(
        conclusive=found.conclusive,
        headline=found.headline,
        conclusion=found.conclusion,
        evidence=found.evidence,
        geometry=found.geometry,
    )
