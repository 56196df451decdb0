"""Errors class by class, and the pairs of classes that stay confused, from a confusion matrix."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.intervals import error_interval
from fewest._types import FloatArray, IndexArray
from fewest.report._trust_content import SMALL_CLASS, ClassErrors, ConfusedPair

_MOST_PAIRS = 10


def describe_classes(
    confusion: NDArray[np.integer[Any]],
    labels: list[Any],
    wrong: FloatArray,
    true: IndexArray,
    groups: NDArray[Any] | None,
    *,
    with_intervals: bool = True,
) -> list[ClassErrors]:
    """The errors of every class; rows of `confusion` are the true classes."""
    described = []
    for place, label in enumerate(labels):
        n_judged = int(confusion[place].sum())
        n_errors = n_judged - int(confusion[place, place])
        error = interval = None
        if n_judged:
            error = n_errors / n_judged
            rows = true == place
            if with_intervals:
                interval = error_interval(
                    wrong[rows], true[rows], None if groups is None else groups[rows]
                )
        few = n_judged < SMALL_CLASS
        described.append(ClassErrors(label, n_judged, n_errors, error, interval, few))
    return described


def find_confused(confusion: NDArray[np.integer[Any]], labels: list[Any]) -> list[ConfusedPair]:
    """Pairs with errors between them, the largest share first: large classes count no more."""
    shares = confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
    pairs = [
        ConfusedPair(
            labels[one],
            labels[other],
            int(confusion[one, other]),
            int(confusion[other, one]),
            float(shares[one, other] + shares[other, one]) / 2.0,
        )
        for one, other in combinations(range(len(labels)), 2)
        if confusion[one, other] or confusion[other, one]
    ]
    return sorted(pairs, key=lambda pair: -pair.share)[:_MOST_PAIRS]
