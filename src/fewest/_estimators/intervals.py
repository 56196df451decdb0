"""Confidence intervals of errors on samples left out: the one way to all that are printed.

The unit of evidence is the group, because samples of one patient tend to be right or wrong
together; without groups it is the sample.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from fewest._estimators.labellings import count_labellings, count_ways
from fewest._estimators.uncertainty import CONFIDENCE, Interval
from fewest._types import FloatArray, IndexArray

# Training sets of folds overlap, and a sample that is left out shifts the balance of the classes:
# balanced errors of noise vary by 1.1 to 1.35 times as much as those of independent samples. Twice
# the variance covers all designs (`python -m benchmarks.verdict`).
_REFITTED = 2.0
# So many groups with errors say as much about how errors gather in groups as is assumed beforehand.
_PRIOR_GROUPS = 1.0
_FEWEST_UNITS = 3
_FEW_UNITS = 20  # beyond that, labels can change places in enough ways
_TINY = 1e-300  # of a variance, so zero can divide


def error_interval(
    wrong: FloatArray,
    codes: IndexArray,
    groups: NDArray[Any] | None = None,
    confidence: float = CONFIDENCE,
    *,
    refitted: bool = True,
) -> Interval | None:
    """Interval of a balanced error; that of a plain error if all codes are the same.

    `wrong` has the share of the times that each sample was wrong, NaN where it was not judged.
    `refitted` says that machines were fitted to the other samples, as in cross-validation, instead
    of one machine to samples that are not judged. None where there are too few groups: see
    `explain_no_interval`.

    This is Wilson's interval with an effective number of samples. With groups, it is at most the
    number of samples, and at least that of groups; in between, the spread of the groups decides
    (with the t distribution, because it is estimated), the more the more groups have errors.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.intervals import error_interval
    >>> wrong, codes = np.arange(80) % 8 == 0, np.arange(80) % 2
    >>> found = error_interval(wrong, codes)
    >>> print(f"{found.low:.3f} to {found.high:.3f}")
    0.055 to 0.261
    >>> patients = np.arange(80) // 10
    >>> found = error_interval(wrong, patients % 2, patients)
    >>> print(f"{found.low:.3f} to {found.high:.3f}")
    0.028 to 0.412
    """
    known = ~np.isnan(wrong)
    wrong, codes = wrong[known].astype(np.float64), np.unique(codes[known], return_inverse=True)[1]
    groups = None if groups is None else groups[known]
    if explain_no_interval(codes, groups, confidence):
        return None
    units = _find_units(len(wrong), groups)
    level = (1.0 + confidence) / 2.0
    z = float(ndtri(level))
    n_classes = int(codes.max()) + 1
    sizes = np.bincount(codes)
    errors = np.bincount(codes, weights=wrong) / sizes
    error = float(errors.mean())
    in_class = [np.bincount(units[codes == code]) for code in range(n_classes)]
    least = _effective(errors, np.array([_count_evenly(counts) for counts in in_class]))
    # Groups with samples of all classes may be right or wrong as a whole.
    least = min(least, _count_evenly(np.bincount(units, weights=1.0 / sizes[codes])))
    number = least
    if len(wrong) > units.max() + 1:
        variance, freedom = _find_variance(wrong, codes, units)
        by_spread = error * (1.0 - error) / max(variance, _TINY)
        by_spread = min(max(by_spread, least), max(least, _effective(errors, sizes)))
        counted = [np.bincount(units, weights=values) for values in (wrong, 1.0 - wrong)]
        n_seen = min(map(_count_evenly, counted))
        trust = n_seen / (n_seen + _PRIOR_GROUPS)
        widened = (float(stdtrit(freedom, level)) / z) ** 2
        number = 1.0 / ((1.0 - trust) / least + trust * widened / by_spread)
    return _wilson(error, number / (_REFITTED if refitted else 1.0), z, confidence)


def difference_interval(
    differences: FloatArray,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    confidence: float = CONFIDENCE,
) -> tuple[Interval, float]:
    """Interval of a balanced mean of differences of two refitted methods, and a p-value for zero.

    Few samples of a class often have the same difference, which says little about how others
    differ. So two are added to each class, or class of groups, one for either method (Bonett and
    Price 2012, for two proportions).
    """
    known = ~np.isnan(differences)
    values, codes = differences[known], np.unique(codes[known], return_inverse=True)[1]
    units = _find_units(len(codes), None if groups is None else groups[known])
    sizes, strata = np.bincount(codes), _find_strata(codes, units)
    shares = 1.0 / sizes[codes] / len(sizes)
    weights, sums = np.bincount(units, weights=shares), np.bincount(units, weights=values * shares)
    centre, variances, freedoms = 0.0, [], []
    for stratum in range(int(strata.max()) + 1):
        own = strata == stratum
        n, weight = int(own.sum()), float(weights[own].sum())
        shrunk = float(sums[own].sum()) * n / (n + 2)
        mean = shrunk / weight
        parts = [
            *(sums[own] - weights[own] * mean),
            (1 - mean) * weight / n,
            (1 + mean) * weight / n,
        ]
        centre += shrunk
        variances.append(float(np.sum(np.square(parts))) * (n / (n + 2)) ** 2 * (n + 2) / (n + 1))
        freedoms.append(n + 1)
    variance = float(np.sum(variances))
    freedom = variance**2 / float(np.sum(np.square(variances) / freedoms))
    error = math.sqrt(_REFITTED * variance)
    reach = float(stdtrit(freedom, (1.0 + confidence) / 2.0)) * error
    observed = float(sums.sum())
    low, high = min(observed, centre - reach), max(observed, centre + reach)
    p_value = 2.0 * float(stdtr(freedom, -abs(centre) / error))
    return Interval(max(-1.0, low), min(1.0, high), confidence), p_value


def widen_drawn(codes: IndexArray, groups: NDArray[Any] | None, confidence: float) -> float:
    """How much wider than the range of a bootstrap over samples, or groups, an interval has to be.

    The bootstrap knows neither that machines are refitted, nor that few units vary too little.
    """
    strata = _find_strata(codes, _find_units(len(codes), groups))
    freedom = max(1, len(strata) - int(strata.max()) - 1)
    level = (1.0 + confidence) / 2.0
    return math.sqrt(_REFITTED) * float(stdtrit(freedom, level)) / float(ndtri(level))


def _find_units(n_samples: int, groups: NDArray[Any] | None) -> IndexArray:
    return np.arange(n_samples) if groups is None else np.unique(groups, return_inverse=True)[1]


def _find_strata(codes: IndexArray, units: IndexArray) -> IndexArray:
    """The class of each unit; zeros if some unit has several."""
    found: IndexArray = codes[np.unique(units, return_index=True)[1]]
    return found if np.array_equal(found[units], codes) else np.zeros_like(found)


def _find_variance(values: FloatArray, codes: IndexArray, units: IndexArray) -> tuple[float, float]:
    """That of the balanced mean by the spread of the units, and degrees of freedom (Welch)."""
    sizes, strata = np.bincount(codes), _find_strata(codes, units)
    means = np.bincount(codes, weights=values) / sizes
    # What each unit adds to the mean.
    parts = np.bincount(units, weights=(values - means[codes]) / sizes[codes] / len(sizes))
    n_units = np.bincount(strata)
    free = np.maximum(1, n_units - 1)
    variances = np.bincount(strata, weights=parts**2) * n_units / free
    variance, doubt = float(variances.sum()), float(np.sum(variances**2 / free))
    return variance, variance**2 / doubt if doubt else float(free.sum())


def explain_no_interval(
    codes: IndexArray, groups: NDArray[Any] | None, confidence: float = CONFIDENCE
) -> str:
    """Why there is no interval; an empty text where there is one."""
    n_units = len(codes) if groups is None else len(np.unique(groups))
    what = "samples" if groups is None else "groups"
    if n_units < _FEWEST_UNITS:
        return f"{n_units} {what} are too few for an interval"
    labellings = count_labellings(codes, groups)
    if labellings is not None:
        what, number, n_different = f"{what} of one class each", *labellings.ways
    elif n_units <= _FEW_UNITS and groups is None:
        number, n_different = count_ways(codes)
    else:
        return ""
    # A single class cannot get other labels: its error is only described.
    if number > 1 and 1.0 / n_different > 1.0 - confidence + 1e-12:
        return (
            f"{n_units} {what} can be labelled in {number} ways only, so no p-value can be below "
            f"1/{n_different}: nothing can be claimed at the level of "
            f"{100 * (1.0 - confidence):g} %, and more {what.split()[0]} are needed"
        )
    return ""


def _effective(errors: FloatArray, numbers: NDArray[Any]) -> float:
    """So many samples of one class have an error that is known as well as the mean of these."""
    n_classes, error = len(errors), float(errors.mean())
    number = n_classes**2 / float(np.sum(1.0 / numbers))
    variance = float(np.sum(errors * (1.0 - errors) / numbers)) / n_classes**2
    return min(number, error * (1.0 - error) / variance) if variance > 0.0 else number


def _count_evenly(weights: NDArray[Any]) -> float:
    """How many units of equal weight count as much as these (Kish)."""
    squares = float(np.sum(np.square(weights, dtype=np.float64)))
    return float(np.sum(weights)) ** 2 / squares if squares else 0.0


def _wilson(share: float, number: float, z: float, confidence: float) -> Interval:
    """Wilson's interval for a share of so many samples, which need not be a whole number."""
    centre = (share * number + z**2 / 2.0) / (number + z**2)
    reach = z / (number + z**2) * math.sqrt(number * share * (1.0 - share) + z**2 / 4.0)
    # Without errors the lower end is zero, up to rounding; it is never above the share.
    low = 0.0 if share == 0.0 else max(0.0, min(share, centre - reach))
    high = 1.0 if share == 1.0 else min(1.0, max(share, centre + reach))
    return Interval(low, high, confidence)
