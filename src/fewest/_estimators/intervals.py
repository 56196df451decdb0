"""Confidence intervals of shares of errors, without numpy: contents of results are plain values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    confidence: float


def wilson_interval(n_errors: float, n_judged: int, confidence: float) -> Interval:
    """Wilson's interval for a share of errors; their number may be a mean over repeats.

    Examples
    --------
    >>> from fewest._estimators.intervals import wilson_interval
    >>> found = wilson_interval(2.5, 40, 0.95)
    >>> print(f"{found.low:.3f} to {found.high:.3f}")
    0.020 to 0.182
    """
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    share = n_errors / n_judged
    centre = (n_errors + z**2 / 2.0) / (n_judged + z**2)
    reach = z / (n_judged + z**2) * math.sqrt(n_judged * share * (1.0 - share) + z**2 / 4.0)
    # Without errors the lower end is zero, up to rounding; it is never above the share.
    low = 0.0 if n_errors == 0 else max(0.0, min(share, centre - reach))
    high = 1.0 if n_errors == n_judged else min(1.0, max(share, centre + reach))
    return Interval(low, high, confidence)


def average_interval(shares: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """Interval of the mean of independent shares, from the intervals of each.

    The distances of their ends add up like standard deviations do (G. Y. Zou, A. Donner:
    Construction of confidence limits about effect measures. Statistics in Medicine 27, 2008).
    """
    pairs = list(zip(shares, intervals, strict=True))
    mean, number = fmean(shares), len(shares)
    below = math.hypot(*(share - one.low for share, one in pairs)) / number
    above = math.hypot(*(one.high - share for share, one in pairs)) / number
    return Interval(max(0.0, mean - below), min(1.0, mean + above), intervals[0].confidence)
