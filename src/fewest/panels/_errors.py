"""Errors class by class with intervals, and differences of two errors on the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.intervals import error_interval
from fewest._estimators.uncertainty import Interval
from fewest._types import FloatArray, IndexArray

Label = str | int | float | bool  # of a class
# Why errors on samples left out may be too small: the folds leave samples out of the fit only.
CHOSEN_HERE = "optimistic: the panel was chosen on these samples"
PERHAPS_CHOSEN_HERE = "optimistic if the panel was chosen on these samples"
FOUND_HERE = "optimistic: found on these samples"


@dataclass(frozen=True)
class ClassError:
    """Error of one class; None where no sample of it was judged.

    `confused_with` is the class that its samples are most often mistaken for; None without errors.
    """

    label: Label
    n_samples: int
    error: float | None
    interval: Interval | None
    confused_with: Label | None


@dataclass(frozen=True)
class PanelError:
    """Balanced error with its interval, share of wrong samples, and the errors of all classes.

    The interval is None where there are too few groups for one. `caveat` says why all of these
    errors may be smaller than those of new samples; it is empty where they are not.
    """

    balanced_error: float
    interval: Interval | None
    error: float
    classes: list[ClassError]
    caveat: str = ""


@dataclass(frozen=True)
class Difference:
    """One balanced error minus another on the same samples, with its standard error.

    The standard error is computed over the samples, or over the groups if there are groups.
    """

    value: float
    standard_error: float


def describe_errors(
    votes: FloatArray,
    codes: IndexArray,
    labels: Sequence[Label],
    units: NDArray[np.intp],
    confidence: float,
    *,
    refitted: bool = True,
    caveat: str = "",
) -> PanelError:
    """Errors of all classes.

    `votes` are shares of predictions, one row per sample and one column per class. Intervals count
    `units`, whose samples tend to be right or wrong together; `refitted` as for `error_interval`.
    """
    judged = ~np.isnan(votes[:, 0])
    wrong, described = measure_wrong(votes, codes), []
    for place, label in enumerate(labels):
        rows = np.flatnonzero(judged & (codes == place))
        if not len(rows):
            described.append(ClassError(label, 0, None, None, None))
            continue
        error = float(wrong[rows].mean())
        interval = error_interval(
            wrong[rows], codes[rows], units[rows], confidence, refitted=refitted
        )
        others = votes[rows].sum(axis=0)
        others[place] = 0.0
        rival = labels[int(others.argmax())] if others.any() else None
        described.append(ClassError(label, len(rows), error, interval, rival))
    shares = [one.error for one in described if one.error is not None]
    interval = error_interval(wrong, codes, units, confidence, refitted=refitted)
    error = float(wrong[judged].mean())
    return PanelError(float(np.mean(shares)), interval, error, described, caveat)


def bracketed(caveat: str) -> str:
    """' (optimistic ...)', or nothing."""
    return f" ({caveat})" if caveat else ""


def measure_wrong(votes: FloatArray, codes: IndexArray) -> FloatArray:
    """Share of the times that each sample was predicted wrongly."""
    return 1.0 - votes[np.arange(len(codes)), codes]


def average_classes(values: FloatArray, codes: IndexArray) -> float:
    """Mean over the classes of the means of their samples; NaN are left out."""
    known = ~np.isnan(values)
    means = [values[known & (codes == place)].mean() for place in np.unique(codes[known])]
    return float(np.mean(means))


def compare_errors(
    one: FloatArray, other: FloatArray, codes: IndexArray, units: NDArray[np.intp]
) -> Difference:
    """The first balanced error minus the second; both are shares of wrong predictions."""
    known = ~np.isnan(one - other)
    difference, codes, units = (one - other)[known], codes[known], units[known]
    places, codes = np.unique(codes, return_inverse=True)
    counts = np.bincount(codes)
    means = np.bincount(codes, weights=difference) / counts
    # What each sample adds to the mean of the class means, summed over its unit.
    influence = (difference - means[codes]) / counts[codes] / len(places)
    parts = np.bincount(np.unique(units, return_inverse=True)[1], weights=influence)
    n_units = len(parts)
    spread = np.sqrt(np.sum(parts**2) * n_units / max(1, n_units - 1))
    return Difference(float(means.mean()), float(spread))
