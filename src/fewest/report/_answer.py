"""The selected features, and what each of them shows alone."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import certificates_of
from fewest._estimators.certificate import Certificate
from fewest._estimators.splits import balanced_error
from fewest._types import FloatArray
from fewest.report._data import Data
from fewest.report._given import Given
from fewest.report.content import (
    Answer,
    Hyperplane,
    Samples,
    SelectedFeature,
    TrainingError,
)


def describe_answer(given: Given, data: Data) -> Answer:
    """All hyperplanes with their features, the largest weights first."""
    n_rows = len(given.selection.supports)
    # One selection for all of several classes is shown with the last of them.
    positives = data.positives if n_rows == len(data.positives) else [data.labels[-1]] * n_rows
    signs = np.array([np.where(data.y == label, 1.0, -1.0) for label in positives])
    proofs = certificates_of(given.fitted, signs) or [None] * n_rows
    return Answer(
        n_selected=given.selection.n_selected,
        selected=data.names(np.flatnonzero(given.selection.support)),
        hyperplanes=[
            _hyperplane(given, data, row, label, proof)
            for row, (label, proof) in enumerate(zip(positives, proofs, strict=True))
        ],
        training=None if given.predicted is None else _training_error(data.y, given.predicted),
    )


def find_samples(answer: Answer, data: Data, most: int) -> Samples:
    """Values of the first features of every hyperplane in turn."""
    in_turn = zip_longest(*(plane.features for plane in answer.hyperplanes))
    features = [feature for feature in chain.from_iterable(in_turn) if feature is not None]
    columns = list(dict.fromkeys(feature.column for feature in features))[:most]
    return Samples(
        classes=data.codes.tolist(),
        columns=columns,
        names=data.names(columns),
        values=data.values(columns).T.tolist(),
    )


def _training_error(y: NDArray[Any], predicted: NDArray[Any]) -> TrainingError:
    wrong = predicted != y
    return TrainingError(int(wrong.sum()), float(wrong.mean()), balanced_error(y, predicted))


def _hyperplane(
    given: Given, data: Data, row: int, positive: Any, proof: Certificate | None
) -> Hyperplane:
    selection = given.selection
    columns = np.flatnonzero(selection.supports[row])
    values, inside = data.values(columns), data.y == positive
    means, rest = data.class_means(values), values[~inside].mean(axis=0)
    features = []
    for place, column in enumerate(columns.tolist()):
        error, threshold = best_cut(values[:, place], inside)
        deviation = float(values[:, place].std())
        coefficient = None if selection.coef is None else float(selection.coef[row, column])
        features.append(
            SelectedFeature(
                name=data.feature_names[column],
                column=column,
                weight=None if coefficient is None else coefficient * deviation,
                coefficient=coefficient,
                standard_deviation=deviation,
                class_means=means[:, place].tolist(),
                rest_mean=float(rest[place]),
                single_error=error,
                threshold=threshold,
                folds_selected=_count_folds(given, row, column),
            )
        )
    return Hyperplane(
        positive_class=positive,
        negative_class=data.labels[0] if data.is_binary else None,
        intercept=None if selection.intercept is None else float(selection.intercept[row]),
        features=sorted(features, key=_importance),
        certificate=proof,
    )


def _importance(feature: SelectedFeature) -> float:
    return feature.single_error if feature.weight is None else -abs(feature.weight)


def _count_folds(given: Given, row: int, column: int) -> int | None:
    if given.held_out is None:
        return None
    supports = [fold.supports for fold in given.held_out.folds]
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
