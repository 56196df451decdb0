"""One set of features for many classes: weights, and the classes that each feature speaks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.certificate import Certificate
from fewest._estimators.held_out import HeldOut
from fewest._estimators.panel import centre_weights, find_sides
from fewest._types import FloatArray
from fewest.report import content
from fewest.report._cuts import best_cuts
from fewest.report._data import Data
from fewest.report._given import Subject


def is_panel(subject: Subject, data: Data, n_proofs: int) -> bool:
    """Whether all of several classes use the same features, with one proof for them or none."""
    supports = subject.selection.supports
    if data.is_binary or subject.selection.coef is None or len(supports) != len(data.classes):
        return False
    return n_proofs <= 1 and bool(np.all(supports == supports[0]))


def describe_panel(
    subject: Subject, held_out: HeldOut | None, data: Data, proof: Certificate | None
) -> content.Panel:
    """The features, the largest weights first."""
    selection = subject.selection
    assert selection.coef is not None
    assert selection.intercept is not None
    columns = np.flatnonzero(selection.support)
    counts = None if held_out is None else held_out.selections.sum(axis=0)
    values = data.values(columns)
    deviations, means = values.std(axis=0), data.class_means(values)
    coefficients = selection.coef[:, columns]
    weights = centre_weights(coefficients * deviations)
    speaks_for, speaks_against = find_sides(weights)
    features = []
    for place in _order(weights):
        column = int(columns[place])
        cuts = best_cuts(values[:, place], data.codes, len(data.classes))
        best = min(range(len(cuts)), key=lambda code: cuts[code][0])
        features.append(
            content.PanelFeature(
                name=data.feature_names[column],
                column=column,
                weights=weights[:, place].tolist(),
                coefficients=coefficients[:, place].tolist(),
                standard_deviation=float(deviations[place]),
                class_means=means[:, place].tolist(),
                speaks_for=data.classes[speaks_for[:, place]].tolist(),
                speaks_against=data.classes[speaks_against[:, place]].tolist(),
                best_class=data.labels[best],
                single_error=cuts[best][0],
                threshold=cuts[best][1],
                folds_selected=None if counts is None else int(counts[column]),
            )
        )
    return content.Panel(data.labels, selection.intercept.tolist(), features, proof)


def _order(weights: FloatArray) -> NDArray[np.intp]:
    return np.argsort(-np.abs(weights).max(axis=0), kind="stable")
