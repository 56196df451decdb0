"""The inverse power law of learning curves, a + b n^-c, by least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest._types import FloatArray

# Rates that are tried: slower ones cannot be told from a straight line over log n.
_RATES = np.arange(0.1, 2.005, 0.02)


@dataclass(frozen=True)
class PowerLaw:
    """An error of `limit` + `scale` * n ** -`rate` with n training samples."""

    limit: float
    scale: float
    rate: float


@dataclass(frozen=True, eq=False)
class PowerLaws:
    """Many such laws, one for every entry."""

    limit: FloatArray
    scale: FloatArray
    rate: FloatArray

    def at(self, n: float) -> FloatArray:
        """Their errors with n training samples, none above one."""
        found: FloatArray = np.minimum(self.limit + self.scale * n**-self.rate, 1.0)
        return found

    @property
    def first(self) -> PowerLaw:
        """The first of them."""
        return PowerLaw(float(self.limit[0]), float(self.scale[0]), float(self.rate[0]))


def fit_power_laws(n_train: FloatArray, errors: FloatArray) -> PowerLaws:
    """A law for every row of errors: limit and scale are not negative.

    For every rate the two others have a closed form, so there is no start and no local minimum.
    """
    best = np.full((4, len(errors)), np.inf)  # sum of squares, limit, scale, rate
    mean = errors.mean(axis=1)
    for rate in _RATES:
        falls = n_train**-rate
        centred = falls - falls.mean()
        scale = np.maximum(0.0, (errors - mean[:, None]) @ centred / (centred @ centred))
        limit = mean - scale * falls.mean()
        through_zero = limit < 0.0
        scale = np.where(through_zero, errors @ falls / (falls @ falls), scale)
        limit = np.where(through_zero, 0.0, limit)
        squares = np.sum((errors - limit[:, None] - scale[:, None] * falls) ** 2, axis=1)
        better = squares < best[0]
        best[:, better] = np.array([squares, limit, scale, np.full(len(mean), rate)])[:, better]
    return PowerLaws(*best[1:])


def find_slope(n_train: FloatArray, errors: FloatArray) -> FloatArray:
    """Change of every row of errors per doubling of n, by a straight line over log n."""
    doublings = np.log2(n_train)
    centred = doublings - doublings.mean()
    slope: FloatArray = errors @ centred / (centred @ centred)
    return slope
