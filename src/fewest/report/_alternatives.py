"""What could be measured instead: further disjoint subsets, and features that go together."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from fewest._types import FloatArray
from fewest.repetition.selector import RepetitiveSelector
from fewest.report._data import Data
from fewest.report._folds import Fold
from fewest.report._single import best_cut, class_means
from fewest.report._subject import Subject
from fewest.report.content import Alternatives, Answer, NamedFeature, StandIn, StandIns, Subset

_MOST_FEATURES = 12  # whose stand-ins are looked for
_CLOSEST = 5


def alternatives(
    subject: Subject,
    data: Data,
    answer: Answer,
    folds: list[Fold] | None,
    *,
    n_subsets: int,
    most_named: int,
) -> Alternatives:
    """Subsets and stand-ins, and every feature that the report names."""
    subsets, stop_reason = _subsets(subject, data, n_subsets)
    stand_ins = [
        _stand_ins(data, column, subject) for column in answer.samples.columns[:_MOST_FEATURES]
    ]
    return Alternatives(
        subsets=subsets,
        stop_reason=stop_reason,
        stand_ins=stand_ins,
        features=_named(data, answer, subsets, stand_ins, folds)[:most_named],
    )


def _subsets(subject: Subject, data: Data, n_subsets: int) -> tuple[list[Subset], str | None]:
    """Those of the result, or a few found now; none where the machine cannot be trained again."""
    selector = subject.repetitive
    if selector is None:
        estimator = clone(subject.estimator)
        if getattr(estimator, "certify", False):
            estimator.set_params(certify=False)  # a proof a subset would take long
        selector = RepetitiveSelector(estimator, n_subsets=n_subsets, n_jobs=data.n_jobs)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                selector.fit(data.X, data.y, groups=data.groups)
        except (ValueError, AttributeError, TypeError):
            return [], None
    found = [
        Subset(
            number=place + 1,
            features=data.named(subset),
            columns=subset.tolist(),
            training_error=float(error),
        )
        for place, (subset, error) in enumerate(
            zip(selector.subsets_, selector.training_errors_, strict=True)
        )
    ]
    return found, str(selector.stop_reason_)


def _stand_ins(data: Data, column: int, subject: Subject) -> StandIns:
    """The columns of largest absolute correlation with one of them: one pass over X."""
    index = np.array([column])
    correlation = data.columns.price(data.columns.take(index)[:, 0]) / len(data.y)
    correlation[column] = 0.0
    closest = np.argsort(-np.abs(correlation), kind="stable")[:_CLOSEST]
    closest = closest[correlation[closest] != 0.0]
    values = data.values(np.concatenate([index, closest]))
    within = _without_class_means(values, data)
    positive = data.y == _class_of(subject, data, column)
    return StandIns(
        name=data.names[column],
        column=column,
        closest=[
            StandIn(
                name=data.names[other],
                column=int(other),
                correlation=float(np.clip(correlation[other], -1.0, 1.0)),
                within_classes=_correlation(within[:, 0], within[:, place]),
                single_error=best_cut(values[:, place], positive)[0],
            )
            for place, other in enumerate(closest, start=1)
        ],
    )


def _class_of(subject: Subject, data: Data, column: int) -> Any:
    """The class that the first machine with this feature tells from the rest."""
    row = int(subject.supports[:, column].argmax())
    return data.labels[-1] if data.is_binary else data.labels[min(row, len(data.labels) - 1)]


def _without_class_means(values: FloatArray, data: Data) -> FloatArray:
    means = np.array([values[data.codes == code].mean(axis=0) for code in range(len(data.classes))])
    return values - means[data.codes]


def _correlation(one: FloatArray, two: FloatArray) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(two))
    return float(np.clip(one @ two / lengths, -1.0, 1.0)) if lengths else 0.0


def _named(
    data: Data,
    answer: Answer,
    subsets: list[Subset],
    stand_ins: list[StandIns],
    folds: list[Fold] | None,
) -> list[NamedFeature]:
    """Selected features first, then those of the subsets, then stand-ins."""
    roles: dict[int, list[str]] = {}
    for machine in answer.machines:
        for feature in machine.features:
            roles.setdefault(feature.column, ["selected"])
    selected = set(roles)
    for subset in subsets:
        if subset.number > 1 or set(subset.columns) != selected:
            for column in subset.columns:
                roles.setdefault(column, []).append(f"subset {subset.number}")
    for group in stand_ins:
        for other in group.closest:
            roles.setdefault(other.column, []).append(f"goes with {group.name}")
    return [_named_feature(data, column, said, folds) for column, said in roles.items()]


def _named_feature(
    data: Data, column: int, roles: list[str], folds: list[Fold] | None
) -> NamedFeature:
    values = data.values([column])[:, 0]
    positives = data.labels[1:] if data.is_binary else data.labels
    return NamedFeature(
        name=data.names[column],
        column=column,
        roles=roles,
        class_means=class_means(values, data.codes, len(data.classes)),
        single_error=min(best_cut(values, data.y == label)[0] for label in positives),
        folds_selected=None if folds is None else sum(bool(fold.support[column]) for fold in folds),
    )
