"""The selected features, what each of them shows alone, and what could be measured instead."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import certificates_of
from fewest._estimators.certificate import Certificate
from fewest._estimators.held_out import HeldOut
from fewest._estimators.in_time import in_time
from fewest._estimators.many_samples import draw_subsample
from fewest._estimators.splits import balanced_error
from fewest._run.budget import Budget
from fewest._types import FloatArray
from fewest.panels._stand_ins import correlate_column
from fewest.report import content
from fewest.report._cuts import best_cut, best_cuts
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report._panel import describe_panel, is_panel
from fewest.report._plan import MOST_SECONDS

if TYPE_CHECKING:
    from fewest.repetition.selector import RepetitiveSelector

_MOST_FEATURES = 12  # whose stand-ins are looked for
_CLOSEST = 5
_MOST_NAMED = 500
_NAMED_AT_ONCE = 16
_MOST_SAMPLES = 2_000  # more marks in a figure show nothing more


def describe_answer(subject: Subject, held_out: HeldOut | None, data: Data) -> content.Answer:
    """All hyperplanes, or one panel, with their features, the largest weights first."""
    selection, intercept = subject.selection, subject.selection.intercept
    n_rows = len(selection.supports)
    # One selection for all of several classes is shown with the last of them.
    positives = data.positives if n_rows == len(data.positives) else [data.labels[-1]] * n_rows
    signs = np.array([np.where(data.y == label, 1.0, -1.0) for label in positives])
    found = certificates_of(subject.fitted, signs)
    proofs: list[Certificate | None] = list(_count_wrong(found, subject, data, signs))
    proofs = proofs or [None] * n_rows
    panel = None
    if is_panel(subject, data, len(found)):
        panel, positives, proofs = describe_panel(subject, held_out, data, proofs[0]), [], []
    return content.Answer(
        n_selected=selection.n_selected,
        selected=data.names(np.flatnonzero(selection.support)),
        panel=panel,
        hyperplanes=[
            content.Hyperplane(
                positive_class=label,
                negative_class=data.labels[0] if data.is_binary else None,
                intercept=None if intercept is None else float(intercept[row]),
                features=_describe_features(subject, held_out, data, row, label),
                certificate=proof,
            )
            for row, (label, proof) in enumerate(zip(positives, proofs, strict=True))
        ],
        training=None if subject.predicted is None else _count_errors(data.y, subject.predicted),
    )


def _count_wrong(
    proofs: Sequence[Certificate], subject: Subject, data: Data, signs: FloatArray
) -> list[Certificate]:
    """The proofs with the training errors of the machine itself, by the rule of `predict`.

    The program of a proof ends before the refit, and leaves other samples on the wrong side.
    """
    selection, counts = subject.selection, []
    coef, intercept = selection.coef, selection.intercept
    if len(proofs) == len(selection.supports) > 1 and coef is not None and intercept is not None:
        values = data.values(np.flatnonzero(selection.support))
        scores = values @ coef[:, selection.support].T + intercept
        counts = np.sum((scores > 0) != (signs.T > 0), axis=0).tolist()
    elif len(proofs) == 1 and subject.predicted is not None:
        counts = [int(np.sum(subject.predicted != data.y))]
    if len(counts) != len(proofs):
        return list(proofs)
    pairs = zip(proofs, counts, strict=True)
    return [replace(proof, samples_on_wrong_side=count) for proof, count in pairs]


def find_samples(answer: content.Answer, data: Data, most: int) -> content.Samples:
    """Values of the first features of every hyperplane in turn, for a part of very many samples."""
    in_turn: Iterator[Any] = chain.from_iterable(zip_longest(*answer.feature_lists))
    features = [feature for feature in in_turn if feature is not None]
    columns = list(dict.fromkeys(feature.column for feature in features))[:most]
    rows = draw_subsample(data.codes, _MOST_SAMPLES)
    values = data.values(columns, rows).T.tolist()
    codes = data.codes[rows].tolist()
    return content.Samples(rows.tolist(), codes, columns, data.names(columns), values)


def _count_errors(y: NDArray[Any], predicted: NDArray[Any]) -> content.TrainingError:
    n_errors = int(np.sum(predicted != y))
    return content.TrainingError(n_errors, n_errors / len(y), balanced_error(y, predicted))


def _describe_features(
    subject: Subject, held_out: HeldOut | None, data: Data, row: int, positive: Any
) -> list[content.SelectedFeature]:
    coef = subject.selection.coef
    columns = np.flatnonzero(subject.selection.supports[row])
    values, inside = data.values(columns), data.y == positive
    means, rest, deviations = data.class_means(values), values[~inside], values.std(axis=0)
    features = []
    for place, column in enumerate(columns.tolist()):
        error, threshold = best_cut(values[:, place], inside)
        deviation = float(deviations[place])
        coefficient = None if coef is None else float(coef[row, column])
        features.append(
            content.SelectedFeature(
                name=data.feature_names[column],
                column=column,
                weight=None if coefficient is None else coefficient * deviation,
                coefficient=coefficient,
                standard_deviation=deviation,
                class_means=means[:, place].tolist(),
                rest_mean=float(rest[:, place].mean()),
                single_error=error,
                threshold=threshold,
                folds_selected=None if held_out is None else _count(held_out, row, column),
            )
        )
    return sorted(features, key=_order)


def _order(feature: content.SelectedFeature) -> float:
    return feature.single_error if feature.weight is None else -abs(feature.weight)


def _count(held_out: HeldOut, row: int, column: int) -> int:
    """Folds whose hyperplane for the same class uses the column."""
    supports = [fold.supports for fold in held_out.folds if fold.supports is not None]
    return sum(bool(one[min(row, len(one) - 1), column]) for one in supports)


def find_subsets(
    subject: Subject, data: Data, n_subsets: int, budget: Budget
) -> content.Alternatives:
    """A few disjoint subsets; a ValueError where the estimator cannot be trained again."""
    from fewest.repetition.selector import RepetitiveSelector  # heavy

    selector = RepetitiveSelector(subject.without_proof, n_subsets=n_subsets, n_jobs=data.n_jobs)
    selector.budget = budget.take(MOST_SECONDS["alternatives"])
    with (
        warnings.catch_warnings(action="ignore"),
        in_time(selector.budget, "further subsets"),
    ):
        selector.fit(data.X, data.y, groups=data.groups)
    if selector.stop_reason_ == "interrupted":  # this page is, too
        raise KeyboardInterrupt
    if selector.stop_reason_ == "time":
        selector.budget.end("further subsets")
    return describe_subsets(selector, data)


def describe_subsets(selector: RepetitiveSelector, data: Data) -> content.Alternatives:
    """The subsets in the order found, and their order by size."""
    places = range(len(selector.subsets_))
    return content.Alternatives(
        subsets=[_describe_subset(selector, place, data) for place in places],
        ranking=(selector.ranking_ + 1).tolist(),
        n_remaining=len(selector.remaining_),
        stop_reason=str(selector.stop_reason_),
    )


def _describe_subset(selector: RepetitiveSelector, place: int, data: Data) -> content.Subset:
    columns = selector.subsets_[place].tolist()
    return content.Subset(
        number=place + 1,
        features=data.names(columns),
        columns=columns,
        coefficients=np.atleast_2d(selector.coefs_[place]).tolist(),
        intercepts=np.atleast_1d(selector.intercepts_[place]).tolist(),
        training_error=float(selector.training_errors_[place]),
        objective=_known(selector.objectives_[place]),
        relative_gap=_known(selector.gaps_[place]),
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def add_stand_ins(
    found: content.Alternatives,
    subject: Subject,
    held_out: HeldOut | None,
    data: Data,
    answer: content.Answer,
) -> content.Alternatives:
    """The same with features that go with the selected ones, and all features that are named."""
    columns = answer.samples.columns[:_MOST_FEATURES]
    found = replace(
        found, stand_ins=[_stand_ins(data, column, subject, answer.panel) for column in columns]
    )
    named = list(_roles(answer, found).items())[:_MOST_NAMED]
    return replace(found, features=_describe_named(data, named, held_out))


def _stand_ins(
    data: Data, column: int, subject: Subject, panel: content.Panel | None
) -> content.StandIns:
    """The columns of largest absolute correlation with one of them: one pass over X."""
    index = np.array([column])
    correlation = correlate_column(data.columns, column)
    closest = np.argsort(-np.abs(correlation), kind="stable")[:_CLOSEST]
    closest = closest[correlation[closest] != 0.0]
    values = data.values(np.concatenate([index, closest]))
    within = values - data.class_means(values)[data.codes]
    # The class that the feature alone tells best from the rest, or that the first hyperplane with
    # this feature separates from it.
    if panel is not None:
        label = next(one.best_class for one in panel.features if one.column == column)
    else:
        row = int(subject.selection.supports[:, column].argmax())
        label = data.positives[min(row, len(data.positives) - 1)]
    positive = data.y == label
    return content.StandIns(
        name=data.feature_names[column],
        column=column,
        closest=[
            content.StandIn(
                name=data.feature_names[other],
                column=int(other),
                correlation=float(correlation[other]),
                within_classes=_correlate(within[:, 0], within[:, place]),
                single_error=best_cut(values[:, place], positive)[0],
            )
            for place, other in enumerate(closest, start=1)
        ],
    )


def _correlate(one: FloatArray, two: FloatArray) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(two))
    return float(np.clip(one @ two / lengths, -1.0, 1.0)) if lengths else 0.0


def _roles(answer: content.Answer, found: content.Alternatives) -> dict[int, list[str]]:
    """Selected features first, then those of the subsets, then stand-ins."""
    roles: dict[int, list[str]] = {}
    for features in answer.feature_lists:
        for feature in features:
            roles.setdefault(feature.column, ["selected"])
    selected = set(roles)
    for subset in found.subsets:
        if subset.number > 1 or set(subset.columns) != selected:
            for column in subset.columns:
                roles.setdefault(column, []).append(f"subset {subset.number}")
    for group in found.stand_ins:
        for other in group.closest:
            roles.setdefault(other.column, []).append(f"goes with {group.name}")
    return roles


def _describe_named(
    data: Data, named: list[tuple[int, list[str]]], held_out: HeldOut | None
) -> list[content.NamedFeature]:
    """Some columns at a time: each takes a pass over a sparse matrix."""
    counts = None if held_out is None else held_out.selections.sum(axis=0)
    n_classes, described = len(data.classes), []
    for start in range(0, len(named), _NAMED_AT_ONCE):
        part = named[start : start + _NAMED_AT_ONCE]
        values = data.values([column for column, _ in part])
        means = data.class_means(values)
        described += [
            content.NamedFeature(
                name=data.feature_names[column],
                column=column,
                roles=roles,
                class_means=means[:, place].tolist(),
                single_error=min(best_cuts(values[:, place], data.codes, n_classes))[0],
                folds_selected=None if counts is None else int(counts[column]),
            )
            for place, (column, roles) in enumerate(part)
        ]
    return described
