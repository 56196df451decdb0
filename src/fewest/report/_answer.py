"""The selected features, and what each of them shows alone."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fewest.report._data import Data
from fewest.report._folds import Fold
from fewest.report._single import best_cut, class_means
from fewest.report._subject import Subject
from fewest.report.content import Answer, Machine, Samples, SelectedFeature


def answer(subject: Subject, data: Data, folds: list[Fold] | None, *, most_shown: int) -> Answer:
    """All machines with their features, the largest weights first."""
    machines = [_machine(subject, data, folds, row) for row in range(len(subject.supports))]
    shown = _first_columns(machines, most_shown)
    return Answer(
        n_selected=int(subject.support.sum()),
        machines=machines,
        n_training_errors=_training_errors(subject, data),
        samples=Samples(
            classes=data.codes.tolist(),
            columns=shown,
            names=data.named(shown),
            values=data.values(shown).T.tolist(),
        ),
    )


def _training_errors(subject: Subject, data: Data) -> int | None:
    if subject.machine is None:  # a smallest set separates the classes
        return 0
    if not hasattr(subject.machine, "predict"):
        return None
    with warnings.catch_warnings():
        # A machine that was fitted to a table with names gets the plain numbers here.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return int(np.sum(subject.machine.predict(data.X) != data.y))


def _machine(subject: Subject, data: Data, folds: list[Fold] | None, row: int) -> Machine:
    labels = data.labels
    one_each = len(subject.supports) == len(labels) and not data.is_binary
    positive, negative = (labels[row], None) if one_each else (labels[-1], labels[0])
    features = [
        _feature(subject, data, folds, row, int(column), positive)
        for column in np.flatnonzero(subject.supports[row])
    ]
    return Machine(
        positive_class=positive,
        negative_class=negative if data.is_binary else None,
        intercept=None if subject.intercept is None else float(subject.intercept[row]),
        features=sorted(features, key=_importance),
    )


def _importance(feature: SelectedFeature) -> float:
    return feature.single_error if feature.weight is None else -abs(feature.weight)


def _feature(
    subject: Subject,
    data: Data,
    folds: list[Fold] | None,
    row: int,
    column: int,
    positive: Any,
) -> SelectedFeature:
    values = data.values([column])[:, 0]
    error, threshold = best_cut(values, data.y == positive)
    deviation = float(values.std())
    coefficient = None if subject.coef is None else float(subject.coef[row, column])
    return SelectedFeature(
        name=data.names[column],
        column=column,
        weight=None if coefficient is None else coefficient * deviation,
        coefficient=coefficient,
        standard_deviation=deviation,
        class_means=class_means(values, data.codes, len(data.classes)),
        single_error=error,
        threshold=threshold,
        folds_selected=None
        if folds is None
        else sum(bool(fold.supports[min(row, len(fold.supports) - 1), column]) for fold in folds),
    )


def _first_columns(machines: list[Machine], most: int) -> list[int]:
    """Columns of the first features of every machine in turn."""
    columns: dict[int, None] = {}
    longest = max(len(machine.features) for machine in machines)
    for place in range(longest):
        for machine in machines:
            if place < len(machine.features) and len(columns) < most:
                columns[machine.features[place].column] = None
    return list(columns)
