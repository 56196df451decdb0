"""Sigmoids through error curves, and where the line through their inflexion meets chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from fewest._types import FloatArray

CHANCE = 0.5
# Inflexions may lie outside of what is seen, but not arbitrarily far; widths from a step to a line.
_POSITION, _WIDTH = (-1.0, 2.0), (1e-3, 2.0)
_BOTTOM, _HEIGHT = (0.0, CHANCE), (0.0, 1.0)
_LEAST_RISE = 0.02  # a curve that rises by less is flat
_STARTS = [
    (position, width) for position in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9) for width in (0.02, 0.1)
]


@dataclass(frozen=True)
class Sigmoid:
    """f(x) = bottom + height / (1 + exp(-(x - position) / width)).

    Attributes
    ----------
    bottom, height, position, width : float
        alpha_0 to alpha_3 of Klement et al. (2013).
    residual : float
        Root of the mean squared difference from the curve.
    """

    bottom: float
    height: float
    position: float
    width: float
    residual: float

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Value at x."""
        shape = self.bottom, self.height, self.position, self.width
        return _sigmoid(np.asarray(x, dtype=np.float64), *shape)

    @property
    def slope(self) -> float:
        """Steepest slope, at the inflexion."""
        return self.height / (4.0 * self.width)

    def line(self, x: ArrayLike) -> FloatArray:
        """The straight line through the inflexion."""
        middle = self.bottom + self.height / 2.0
        return middle + self.slope * (np.asarray(x, dtype=np.float64) - self.position)

    @property
    def crossing(self) -> float:
        """Where that line meets chance; NaN if the curve is flat."""
        if self.height < _LEAST_RISE:
            return float("nan")
        return self.position + (CHANCE - self.bottom - self.height / 2.0) / self.slope

    @property
    def estimate(self) -> float:
        """The crossing as a share of the features, between zero and one.

        A flat curve says all or nothing: one if it stays below chance, zero if it is at chance.
        """
        if self.height < _LEAST_RISE:
            return 1.0 if self.bottom + self.height / 2.0 < CHANCE - _LEAST_RISE else 0.0
        return float(np.clip(self.crossing, 0.0, 1.0))


def fit_sigmoid(x: ArrayLike, error: ArrayLike, *, restricted: bool = False) -> Sigmoid:
    r"""Least-squares fit of a sigmoid to an error curve.

    .. math:: \min_{\alpha} \sum_i (\alpha_0 + \alpha_1 / (1 + e^{-(x_i - \alpha_2) / \alpha_3})
              - e_i)^2

    Parameters
    ----------
    x : array of shape (n_points,)
        Share of the features that are removed.
    error : array of shape (n_points,)
        Error of a classifier on the others.
    restricted : bool
        Fix alpha_0 = 0 and alpha_1 = 0.5: from no error to chance (Klement's thesis, 2013,
        sec. 6.4.1).

    Returns
    -------
    Sigmoid

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.informative import fit_sigmoid
    >>> x = np.linspace(0, 1, 101)
    >>> error = 0.1 + 0.4 / (1 + np.exp(-(x - 0.25) / 0.05))
    >>> print(f"{fit_sigmoid(x, error).crossing:.2f}")  # 0.25 + 2 * 0.05
    0.35
    """
    x, error = np.asarray(x, dtype=np.float64), np.asarray(error, dtype=np.float64)
    if x.shape != error.shape or x.ndim != 1 or len(x) < 4:
        raise ValueError(
            "x and error must be two lists of the same length, of at least four points; got "
            f"shapes {x.shape} and {error.shape}"
        )
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(error))):
        raise ValueError("x and error must be finite")
    low = float(np.clip(error.min(), *_BOTTOM))
    rise = float(np.clip(error.max() - error.min(), 0.05, 1.0))
    fixed: tuple[float, ...] = (0.0, CHANCE) if restricted else ()
    first: tuple[float, ...] = () if restricted else (low, rise)
    bounds = np.array([_BOTTOM, _HEIGHT, _POSITION, _WIDTH][len(fixed) :]).T

    def differences(free: FloatArray) -> FloatArray:
        return _sigmoid(x, *fixed, *free) - error

    fits = [least_squares(differences, (*first, *start), bounds=bounds) for start in _STARTS]
    best = min(fits, key=lambda fit: fit.cost)
    parameters = map(float, (*fixed, *best.x, np.sqrt(2 * best.cost / len(x))))
    return Sigmoid(*parameters)


def _sigmoid(
    x: FloatArray, bottom: float, height: float, position: float, width: float
) -> FloatArray:
    # tanh does not overflow, whatever the width.
    return bottom + height * 0.5 * (1.0 + np.tanh((x - position) / (2.0 * width)))
