"""The selected features, and what each of them shows alone."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import certificates_of
from fewest._estimators.certificate import Certificate
from fewest._estimators.held_out import HeldOut
from fewest._estimators.splits import balanced_error
from fewest._types import FloatArray
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report.content import Answer, Hyperplane, Samples, SelectedFeature, TrainingError


def describe_answer(subject: Subject, held_out: HeldOut | None, data: Data) -> Answer:
    """All hyperplanes with their features, the largest weights first."""
    selection = subject.selection
    n_rows = len(selection.supports)
    # One selection for all of several classes is shown with the last of them.
    positives = data.positives if n_rows == len(data.positives) else [data.labels[-1]] * n_rows
    signs = np.array([np.where(data.y == label, 1.0, -1.0) for label in positives])
    proofs = certificates_of(subject.fitted, signs) or [None] * n_rows
    return Answer(
        n_selected=selection.n_selected,
        selected=data.names(np.flatnonzero(selection.support)),
        hyperplanes=[
            _describe_hyperplane(subject, held_out, data, row, label, proof)
            for row, (label, proof) in enumerate(zip(positives, proofs, strict=True))
        ],
        training=None if subject.predicted is None else _training_error(data.y, subject.predicted),
    )


def find_samples(answer: Answer, data: Data, most: int) -> Samples:
    """Values of the first features of every hyperplane in turn."""
    in_turn = zip_longest(*(plane.features for plane in answer.hyperplanes))
    features = [feature for feature in chain.from_iterable(in_turn) if feature is not None]
    columns = list(dict.fromkeys(feature.column for feature in features))[:most]
    values = data.values(columns).T.tolist()
    return Samples(data.codes.tolist(), columns, data.names(columns), values)


def _training_error(y: NDArray[Any], predicted: NDArray[Any]) -> TrainingError:
    wrong = predicted != y
    return TrainingError(int(wrong.sum()), float(wrong.mean()), balanced_error(y, predicted))


def _describe_hyperplane(
    subject: Subject,
    held_out: HeldOut | None,
    data: Data,
    row: int,
    positive: Any,
    proof: Certificate | None,
) -> Hyperplane:
    coef, intercept = subject.selection.coef, subject.selection.intercept
    columns = np.flatnonzero(subject.selection.supports[row])
    values, inside = data.values(columns), data.y == positive
    means, rest, deviations = data.class_means(values), values[~inside], values.std(axis=0)
    features = []
    for place, column in enumerate(columns.tolist()):
        error, threshold = best_cut(values[:, place], inside)
        deviation = float(deviations[place])
        coefficient = None if coef is None else float(coef[row, column])
        features.append(
            SelectedFeature(
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
    return Hyperplane(
        positive_class=positive,
        negative_class=data.labels[0] if data.is_binary else None,
        intercept=None if intercept is None else float(intercept[row]),
        features=sorted(features, key=_order),
        certificate=proof,
    )


def _order(feature: SelectedFeature) -> float:
    return feature.single_error if feature.weight is None else -abs(feature.weight)


def _count(held_out: HeldOut, row: int, column: int) -> int:
    """Folds whose hyperplane for the same class uses the column."""
    supports = [fold.supports for fold in held_out.folds if fold.supports is not None]
    return sum(bool(one[min(row, len(one) - 1), column]) for one in supports)


def best_cut(values: FloatArray, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Smallest balanced error of a threshold on these values, in either direction, and where it is.

    The threshold is halfway between two neighbouring values; where no cut is better than none, it
    is the median.
    """
    order = np.argsort(values, kind="stable")
    ordered, inside = values[order], positive[order]
    below = np.cumsum(inside) / inside.sum()  # share of the class at or below each value
    others = np.cumsum(~inside) / (~inside).sum()
    # Positive above the cut: its own share below is wrong, and so are the others above.
    errors = (below + 1.0 - others) / 2.0
    errors = np.minimum(errors, 1.0 - errors)
    errors[:-1][ordered[:-1] == ordered[1:]] = 0.5  # no cut between equal values
    errors[-1] = 0.5
    place = int(errors.argmin())
    if errors[place] >= 0.5:
        return 0.5, float(np.median(values))
    return float(errors[place]), float((ordered[place] + ordered[place + 1]) / 2.0)
