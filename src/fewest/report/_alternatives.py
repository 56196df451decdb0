"""What could be measured instead: further disjoint subsets, and features that go together."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fewest._estimators.held_out import HeldOut
from fewest._types import FloatArray
from fewest.report._answer import best_cut
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report.content import Alternatives, Answer, NamedFeature, StandIn, StandIns, Subset

if TYPE_CHECKING:
    from fewest.repetition.selector import RepetitiveSelector

_MOST_FEATURES = 12  # whose stand-ins are looked for
_CLOSEST = 5
_MOST_NAMED = 500


def find_subsets(subject: Subject, data: Data, n_subsets: int) -> Alternatives:
    """A few disjoint subsets; a ValueError where the estimator cannot be trained again."""
    from fewest.repetition.selector import RepetitiveSelector  # heavy

    selector = RepetitiveSelector(subject.without_proof, n_subsets=n_subsets, n_jobs=data.n_jobs)
    with warnings.catch_warnings(action="ignore"):
        selector.fit(data.X, data.y, groups=data.groups)
    return describe_subsets(selector, data)


def describe_subsets(selector: RepetitiveSelector, data: Data) -> Alternatives:
    """The subsets in the order found, and their order by size."""
    return Alternatives(
        subsets=[_subset(selector, place, data) for place in range(len(selector.subsets_))],
        ranking=(selector.ranking_ + 1).tolist(),
        n_remaining=len(selector.remaining_),
        stop_reason=str(selector.stop_reason_),
    )


def _subset(selector: RepetitiveSelector, place: int, data: Data) -> Subset:
    columns = selector.subsets_[place].tolist()
    return Subset(
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
    found: Alternatives, subject: Subject, held_out: HeldOut | None, data: Data, answer: Answer
) -> Alternatives:
    """The same with features that go with the selected ones, and all features that are named."""
    columns = answer.samples.columns[:_MOST_FEATURES]
    found = replace(found, stand_ins=[_stand_ins(data, column, subject) for column in columns])
    named = list(_roles(answer, found).items())[:_MOST_NAMED]
    return replace(found, features=[_named(data, *entry, held_out) for entry in named])


def _stand_ins(data: Data, column: int, subject: Subject) -> StandIns:
    """The columns of largest absolute correlation with one of them: one pass over X."""
    index = np.array([column])
    correlation = data.columns.price(data.columns.take(index)[:, 0]) / len(data.y)
    correlation[column] = 0.0
    closest = np.argsort(-np.abs(correlation), kind="stable")[:_CLOSEST]
    closest = closest[correlation[closest] != 0.0]
    values = data.values(np.concatenate([index, closest]))
    within = values - data.class_means(values)[data.codes]
    # The class that the first hyperplane with this feature tells from the rest.
    row = int(subject.selection.supports[:, column].argmax())
    positive = data.y == data.positives[min(row, len(data.positives) - 1)]
    return StandIns(
        name=data.feature_names[column],
        column=column,
        closest=[
            StandIn(
                name=data.feature_names[other],
                column=int(other),
                correlation=float(np.clip(correlation[other], -1.0, 1.0)),
                within_classes=_correlate(within[:, 0], within[:, place]),
                single_error=best_cut(values[:, place], positive)[0],
            )
            for place, other in enumerate(closest, start=1)
        ],
    )


def _correlate(one: FloatArray, two: FloatArray) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(two))
    return float(np.clip(one @ two / lengths, -1.0, 1.0)) if lengths else 0.0


def _roles(answer: Answer, found: Alternatives) -> dict[int, list[str]]:
    """Selected features first, then those of the subsets, then stand-ins."""
    roles: dict[int, list[str]] = {}
    for plane in answer.hyperplanes:
        for feature in plane.features:
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


def _named(data: Data, column: int, roles: list[str], held_out: HeldOut | None) -> NamedFeature:
    values = data.values([column])
    return NamedFeature(
        name=data.feature_names[column],
        column=column,
        roles=roles,
        class_means=data.class_means(values)[:, 0].tolist(),
        single_error=min(best_cut(values[:, 0], data.y == one)[0] for one in data.positives),
        folds_selected=None if held_out is None else int(held_out.selections[:, column].sum()),
    )
