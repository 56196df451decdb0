"""From scores of classes to their probabilities, by one temperature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from scipy.special import softmax as _softmax
from sklearn.model_selection import StratifiedKFold

from fewest._estimators.many_samples import draw_subsample
from fewest._types import FloatArray, IndexArray

# Samples that are left out in turn, and how many samples are enough for one number.
N_FOLDS, ENOUGH = 3, 5000
# Where the temperature may lie, relative to the mean difference of the two largest scores.
_COLDEST, _HOTTEST = 1e-3, 1e3

Refit = Callable[[FloatArray, IndexArray], tuple[FloatArray, FloatArray]]


class Calibrated:
    """A classifier whose `fit` finds a temperature, maybe at the price of further fits."""

    temperature_: float
    _calibrates: bool = True  # not where `fit` is one within folds, and nobody asks for it
    decision_function: Any

    def _class_scores(self, X: Any) -> FloatArray:
        """Scores that the probabilities follow: one column per class, or one for two classes."""
        return np.asarray(self.decision_function(X))


def share_scores(scores: FloatArray, temperature: float) -> FloatArray:
    """Shares of the exponential scores, which sum to one in every row.

    One score per sample is that of the second of two classes.
    """
    return np.asarray(_softmax(pair_scores(scores) / temperature, axis=1))


def pair_scores(scores: FloatArray) -> FloatArray:
    """One column per class, where a single one stands for the second of two classes."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        half = scores.reshape(len(scores)) / 2.0
        return np.column_stack([-half, half])
    return scores


def find_temperature(
    block: FloatArray, codes: IndexArray, W: FloatArray, b: FloatArray, refit: Refit | None
) -> float:
    """What to divide scores by so that the classes of samples left out are as likely as possible.

    `refit` finds weights on the rows it is given; without it, or where a class has one sample, the
    scores of the samples themselves are used.
    """
    rows = draw_subsample(codes, ENOUGH)
    few = codes[rows]
    scores = block[rows] @ W + b
    n_folds = min(N_FOLDS, int(np.bincount(few, minlength=W.shape[1]).min()))
    if refit is not None and n_folds > 1:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        for train, test in folds.split(rows, few):
            of_train, bias = refit(block, rows[train])
            scores[test] = block[rows[test]] @ of_train + bias
    return fit_temperature(scores, few)


def fit_temperature(scores: FloatArray, codes: IndexArray) -> float:
    """The same for scores of samples left out: one column per class, and their classes."""
    largest = np.sort(scores, axis=1)
    unit = float(np.mean(largest[:, -1] - largest[:, -2]))
    if not unit > 0.0:
        return 1.0

    # As in Platt's method no class is quite certain, however well the samples are told apart.
    doubt = 1.0 / (np.bincount(codes)[codes] + 2.0)
    own = scores[np.arange(len(codes)), codes]
    others = (scores.sum(axis=1) - own) / (scores.shape[1] - 1)
    expected = (1.0 - doubt) * own + doubt * others

    def loss(log_temperature: float) -> float:
        temperature = unit * np.exp(log_temperature)
        return float(np.mean(logsumexp(scores / temperature, axis=1) - expected / temperature))

    bounds = (np.log(_COLDEST), np.log(_HOTTEST))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})
    return unit * float(np.exp(found.x))
