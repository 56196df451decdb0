"""The best threshold for scores, and its error in hindsight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import roc_curve
from sklearn.utils.validation import check_array, check_consistent_length

from fewest._estimators.validation import encode_two_classes

__all__ = ["BestThreshold", "find_best_threshold"]


class BestThreshold(NamedTuple):
    """Scores above `threshold` are predicted as the second class, with this share of errors."""

    threshold: float
    error: float


def find_best_threshold(y: ArrayLike, scores: ArrayLike) -> BestThreshold:
    r"""Threshold on the scores with the fewest errors, and the share of errors it makes.

    .. math::

        \min_t \; \frac1n \, \#\{i : [s_i > t] \ne [y_i \text{ is the second class}]\}

    Hochreiter & Obermayer (2004), table 11, print this error of held-out scores for the breast
    cancer data ("the minimal leave-one-out error over different threshold values"). It is too
    optimistic, because the threshold is chosen on the samples that judge it. For an honest error,
    use :class:`sklearn.model_selection.TunedThresholdClassifierCV` inside the folds.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Labels of two classes.
    scores : array of shape (n_samples,)
        Held-out values of a decision function; large values favour the second class.

    Returns
    -------
    BestThreshold
        `threshold`, halfway between two scores (infinite if it is best to predict one class only),
        and `error`.

    Examples
    --------
    >>> from fewest.psvm import find_best_threshold
    >>> find_best_threshold(["a", "a", "b", "b"], [-3.0, -2.0, -1.0, 0.5])
    BestThreshold(threshold=-1.5, error=0.0)
    """
    values = check_array(scores, ensure_2d=False, dtype=np.float64, input_name="scores")
    if values.ndim != 1:
        raise ValueError(f"scores must be one number per sample; got shape {values.shape}")
    check_consistent_length(y, values)
    _, codes = encode_two_classes("find_best_threshold", y)
    false, true, smallest = roc_curve(codes, values, drop_intermediate=False)
    n_positive = int(codes.sum())
    errors = false * (len(codes) - n_positive) + (1.0 - true) * n_positive
    best = int(np.argmin(errors.round(9)))
    below = values[values < smallest[best]]
    threshold = np.inf
    if best:
        threshold = (smallest[best] + below.max()) / 2.0 if len(below) else -np.inf
    return BestThreshold(float(threshold), float(errors[best] / len(codes)))
