"""What a result is about: a fitted estimator, and further results that belong to it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fewest._estimators.abilities import Selection, abilities_of, selection_of
from fewest._estimators.held_out import HeldOut
from fewest._estimators.rules import Rules, number_rules
from fewest._estimators.splits import fit_with_groups
from fewest._types import FloatArray
from fewest.exceptions import NotSeparableError
from fewest.machines.liknon_path import LiknonPath
from fewest.machines.sfm import SupportFeatureMachine
from fewest.report._class_content import PerClass
from fewest.report._data import Data

if TYPE_CHECKING:
    from fewest.diagnostics import Diagnosis
    from fewest.informative import InformativeFeatures
    from fewest.minimum import ErrorFront, MinimumResult, NearOptimalSets, PriceFront
    from fewest.repetition.selector import RepetitiveSelector
    from fewest.significance import Confounding, LearningCurve, MethodComparison

# How long each fold may look for its own smallest set, where the page has no limit.
_SECONDS_PER_FOLD = 3.0


@dataclass(frozen=True, eq=False)
class Subject:
    """A selection, and the estimator that would make it again.

    A smallest set was not `fitted`. `stands_in` says in words why the machine is not one that was
    handed in. `fold_seconds` is how long each fold may look for a smallest set of its own.
    """

    estimator: Any
    selection: Selection
    predicted: NDArray[Any] | None
    fitted: Any = None
    stands_in: str | None = None
    fold_seconds: float | None = None

    @property
    def proves(self) -> bool:
        """Whether the estimator looks for the smallest set, which takes long."""
        return abilities_of(self.estimator).certifies

    @property
    def without_proof(self) -> Any:
        """A new estimator that does not."""
        estimator = clone(self.estimator)
        return estimator.set_params(certify=False) if self.proves else estimator


@dataclass(frozen=True, eq=False)
class Given:
    """What was handed in, sorted by kind."""

    subject: Subject | None = None
    held_out: HeldOut | None = None
    minimum: MinimumResult | None = None
    error_front: ErrorFront | PriceFront | None = None
    near_optimal: NearOptimalSets | None = None
    informative: InformativeFeatures | None = None
    repetitive: RepetitiveSelector | None = None
    diagnosis: Diagnosis | None = None
    confounding: Confounding | None = None
    comparison: MethodComparison | None = None
    learning_curve: LearningCurve | None = None
    per_class: PerClass | None = None
    path: Any = None


def sort_results(results: Sequence[Any], data: Data) -> Given:
    """The results by kind; a ValueError if there are two machines, or one of other data."""
    by_kind: dict[str, Any] = {}
    for given in results:
        kind = getattr(given, "report_kind", "fitted")
        if kind == "fitted" and kind in by_kind:
            names = [type(one).__name__ for one in (by_kind[kind], given)]
            raise ValueError(
                f"a report is about one machine, but {' and '.join(names)} were given: make two "
                "reports"
            )
        by_kind[kind] = given
    held_out = by_kind.get("held_out")
    if held_out is not None and not np.array_equal(held_out.y, data.y):
        raise ValueError("held_out is a cross-validation of other samples: give the y of the fit")
    fitted = by_kind.pop("fitted", None)
    return Given(None if fitted is None else _describe_machine(fitted, data), **by_kind)


def find_subject(given: Given, data: Data, max_seconds: float | None = None) -> Subject:
    """The machine; where none was handed in, the one that belongs to the results is fitted.

    All its folds together look for smallest sets for at most `max_seconds`.
    """
    if given.subject is not None:
        return given.subject
    if given.minimum is not None and _is_fit_for_a_page(given.minimum, data):
        return _describe_smallest_set(given.minimum, data, max_seconds)
    separable = given.diagnosis is None or given.diagnosis.separable
    if given.minimum is not None or isinstance(given.path, LiknonPath):
        separable = False
    rules = None if given.error_front is None else given.error_front.rules
    if given.error_front is not None:
        separable = False
    estimator = SupportFeatureMachine(C=np.inf if separable else 1.0, **_as_parameters(rules))
    words = f"No machine was given: this is the Support Feature Machine with C = {estimator.C:g}."
    if given.repetitive is not None and given.repetitive.ranking_[0] > 0:
        return _describe_first_rank(given.repetitive, estimator, data)
    if given.repetitive is not None:
        words = "The machine is that of the first subset."
        if given.repetitive.estimator is not None:
            estimator = given.repetitive.estimator
    fitted = fit_with_groups(clone(estimator), data.X, data.y, data.groups)
    return replace(_describe_machine(fitted, data), stands_in=words)


def _describe_first_rank(found: RepetitiveSelector, usual: Any, data: Data) -> Subject:
    """The smallest subset of a ranking, where it is not the one that was found first."""
    from fewest.repetition._first import FirstRanked  # heavy

    number = int(found.ranking_[0]) + 1
    inner = usual if found.estimator is None else number_rules(found.estimator, data.feature_names)
    machine = FirstRanked(clone(inner), n_subsets=number).keep(found)
    words = (
        f"The machine is that of rank 1, the smallest subset, which repetition {number} found. For "
        f"folds and permutations, the smallest of {number} subsets was selected again."
    )
    return replace(_describe_machine(machine, data), stands_in=words)


def _is_fit_for_a_page(minimum: MinimumResult, data: Data) -> bool:
    """Whether there is a set, with features in it, that tells at least two classes apart."""
    if not minimum.subsets or not len(minimum.subsets[0]):
        return False
    left = np.delete(np.asarray(data.y), minimum.separations[0].wrong)
    return len(np.unique(left)) == len(data.classes)


def _as_parameters(rules: Rules | None) -> dict[str, Any]:
    """Rules that were read, as parameters of a machine for X without names."""
    if rules is None:
        return {}
    groups = rules.groups
    return {
        "include": np.flatnonzero(rules.included).tolist() or None,
        "exclude": np.flatnonzero(rules.excluded).tolist() or None,
        "feature_cost": np.where(rules.included, 1.0, rules.price).tolist(),
        "feature_groups": None
        if groups is None
        else [None if group < 0 else int(group) for group in groups],
        "one_per_group": rules.one_per_group,
        "signs": None if rules.signs is None else rules.signs.tolist(),
    }


def _describe_machine(fitted: Any, data: Data) -> Subject:
    selection, predicted = selection_of(fitted), None
    n_features = selection.supports.shape[1]
    if n_features != data.X.shape[1]:
        raise ValueError(
            f"{type(fitted).__name__} was fitted to {n_features} features, but X has "
            f"{data.X.shape[1]}: give the X and y of the fit"
        )
    if abilities_of(fitted).classifies:
        with warnings.catch_warnings():
            # A machine that was fitted to a table with names gets the plain numbers here.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            predicted = np.asarray(fitted.predict(data.X))
    estimator = number_rules(clone(fitted), data.feature_names)
    return Subject(estimator, selection, predicted, fitted)


def _describe_smallest_set(
    minimum: MinimumResult, data: Data, max_seconds: float | None
) -> Subject:
    """A machine on the smallest set; for two classes the one with the largest margin."""
    from fewest.minimum import RuledMinimum  # heavy

    columns, fold_seconds = minimum.subsets[0], None
    values = data.values(columns)
    rules = minimum.rules if isinstance(minimum, RuledMinimum) else None
    inner = _fit_smallest(values, data, minimum, rules)
    coef = np.zeros((len(inner.coef_), data.X.shape[1]))
    coef[:, columns] = inner.coef_
    supports = np.zeros(coef.shape, dtype=bool)
    supports[:, columns] = True
    estimator = SupportFeatureMachine(C=inner.C, **_as_parameters(rules))
    words = (
        f"The weights are those of the Support Feature Machine with C = {inner.C:g} on the "
        "smallest set. Folds, permutations and further subsets are those of this machine on all "
        "features."
    )
    if minimum.max_errors:
        estimator = SupportFeatureMachine(C=1.0, **_as_parameters(rules))
        words = (
            "The weights are those of the largest margin on the set, without the samples that it "
            "leaves wrong. Folds, permutations and further subsets are those of the Support "
            "Feature Machine with C = 1 on all features."
        )
    elif rules is not None:
        words = (
            "The weights are those of the largest margin on the set. Folds, permutations and "
            f"further subsets are those of the Support Feature Machine with C = {inner.C:g} under "
            "the same rules about features."
        )
    elif data.is_binary:
        fold_seconds = _SECONDS_PER_FOLD
        if max_seconds is not None:
            fold_seconds = min(fold_seconds, max_seconds / data.n_folds)
        estimator = SupportFeatureMachine(C=np.inf, certify=True, max_seconds=fold_seconds)
        words = (
            "The weights are those of the largest margin on the smallest set. Every fold looked "
            f"for a smallest set of its own for at most {fold_seconds:.2g} seconds, so a faster "
            "computer may find smaller ones; for permuted classes and further subsets this search "
            "was left out."
        )
    selection = Selection(supports, coef, inner.intercept_)
    predicted = inner.predict(values)
    return Subject(estimator, selection, predicted, stands_in=words, fold_seconds=fold_seconds)


def _fit_smallest(
    values: FloatArray, data: Data, minimum: MinimumResult, rules: Rules | None
) -> SupportFeatureMachine:
    """A machine without errors, or a soft one: many classes may be separable two at a time only.

    It does not see samples that may be wrong.
    """
    columns, wrong = minimum.subsets[0], list(minimum.separations[0].wrong)
    values, y = np.delete(values, wrong, axis=0), np.delete(np.asarray(data.y), wrong)
    signs = None if rules is None else rules.weight_signs
    own = None if signs is None else signs[columns].tolist()
    try:
        return SupportFeatureMachine(C=np.inf, signs=own).fit(values, y)
    except (NotSeparableError, ValueError):
        return SupportFeatureMachine(signs=None).fit(values, y)
