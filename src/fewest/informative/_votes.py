"""Predictions of support vector machines on a kernel matrix, for any number of classes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.svm import decisions_along_costs
from fewest._types import FloatArray, IndexArray


def predict_along_costs(
    K: FloatArray, y: NDArray[np.float64], training: IndexArray, test: IndexArray, costs: FloatArray
) -> FloatArray:
    """Labels of test samples, one row per cost; the costs increase.

    One machine for each two classes, in which both weigh the same, has a vote. Sums of decision
    values decide between classes with equally many votes, as in scikit-learn. A class without
    training samples is never predicted.
    """
    labels = y[training]
    classes = np.unique(labels)
    votes = np.zeros((len(costs), len(test), len(classes)))
    sums = np.zeros_like(votes)
    for first, second in combinations(range(len(classes)), 2):
        rows = training[(labels == classes[first]) | (labels == classes[second])]
        signs = np.where(y == classes[second], 1.0, -1.0)
        decisions = decisions_along_costs(K, signs, rows, test, costs)
        votes[..., second] += decisions > 0.0
        votes[..., first] += decisions <= 0.0
        sums[..., second] += decisions
        sums[..., first] -= decisions
    return classes[np.argmax(votes + sums / (3.0 * (np.abs(sums) + 1.0)), axis=2)]


def weigh_classes_equally(y: FloatArray) -> FloatArray:
    """Weights of the samples: the same sum for every class, and one on average."""
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    return len(y) / (float(len(counts)) * counts[codes])
