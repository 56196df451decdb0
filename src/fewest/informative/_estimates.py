"""Estimates from the curves: where they reach chance, and how many features chance removed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from fewest._estimators.validation import check_pairs, check_share
from fewest._showing import Shown
from fewest._types import FloatArray

CHANCE = 0.5  # of two classes, and of the signs of class differences
# Inflexions may lie outside of what is seen, but not arbitrarily far; widths from a step to a line.
_POSITION, _WIDTH = (-1.0, 2.0), (1e-3, 2.0)
_HEIGHT = (0.0, 1.0)
_LEAST_RISE = 0.02  # a curve that rises by less is flat
_STARTS = tuple(product((0.0, 0.1, 0.3, 0.5, 0.7, 0.9), (0.02, 0.1)))  # of position and width


@dataclass(frozen=True)
class Sigmoid:
    """f(x) = bottom + height / (1 + exp(-(x - position) / width)).

    Attributes
    ----------
    bottom, height, position, width : float
        alpha_0 to alpha_3 of Klement, Anders & Martinetz (2013).
    residual : float
        Root mean squared difference from the curve.
    chance : float
        The error of guessing.
    """

    bottom: float
    height: float
    position: float
    width: float
    residual: float
    chance: float = CHANCE

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
        """Where that line reaches chance; NaN if the curve is flat."""
        if self.height < _LEAST_RISE:
            return float("nan")
        return self.position + (self.chance - self.bottom - self.height / 2.0) / self.slope

    @property
    def estimate(self) -> float:
        """The crossing as a share of the features, between zero and one.

        For a flat curve, one if it stays below chance, and zero if it is at chance.
        """
        if self.height < _LEAST_RISE:
            return 1.0 if self.bottom + self.height / 2.0 < self.chance - _LEAST_RISE else 0.0
        return float(np.clip(self.crossing, 0.0, 1.0))


def fit_sigmoid(
    x: ArrayLike, error: ArrayLike, *, restricted: bool = False, chance: float = CHANCE
) -> Sigmoid:
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
        Fix alpha_0 = 0 and alpha_1 = chance: from no error to chance (Klement's thesis, sec.
        6.4.1).
    chance : float
        The error of guessing, between zero and one: 1 - 1 / K for K classes.

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
    x, error = check_pairs(4, x=x, error=error)
    check_share("chance", chance, strictly=True)
    low = float(np.clip(error.min(), 0.0, chance))
    rise = float(np.clip(error.max() - error.min(), 0.05, 1.0))
    fixed: tuple[float, ...] = (0.0, chance) if restricted else ()
    first: tuple[float, ...] = () if restricted else (low, rise)
    bounds = np.array([(0.0, chance), _HEIGHT, _POSITION, _WIDTH][len(fixed) :]).T

    def differences(free: FloatArray) -> FloatArray:
        return _sigmoid(x, *fixed, *free) - error

    fits = [least_squares(differences, (*first, *start), bounds=bounds) for start in _STARTS]
    best = min(fits, key=lambda fit: fit.cost)
    parameters = map(float, (*fixed, *best.x, np.sqrt(2 * best.cost / len(x)), chance))
    return Sigmoid(*parameters)


def _sigmoid(
    x: FloatArray, bottom: float, height: float, position: float, width: float
) -> FloatArray:
    # tanh does not overflow, whatever the width.
    return bottom + height * 0.5 * (1.0 + np.tanh((x - position) / (2.0 * width)))


@dataclass(frozen=True, eq=False, repr=False)
class ChanceBand(Shown):
    """Errors of the same probes for permuted labels.

    Attributes
    ----------
    fraction : array of shape (n_points,)
        Share of removed features.
    lower, upper : arrays of shape (n_points,)
        Limits of the permuted errors; above the lower one, an error counts as chance.
    level : float
        Probability with which chance alone puts a point below `lower`, or one above `upper`. It is
        larger than asked for where the permutations are too few.
    estimate : float
        The share of features after whose removal the error is at chance. It splits the curve
        into a part below the band and a part within it, with the fewest points on the wrong side;
        single points that fall below the band by chance alone do not count.
    """

    fraction: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float
    estimate: float


def chance_band(
    fraction: ArrayLike, error: ArrayLike, permuted: ArrayLike, *, level: float = 0.05
) -> ChanceBand:
    """Compare an error curve with those of permuted labels.

    Parameters
    ----------
    fraction : array of shape (n_points,)
        Share of removed features, increasing.
    error : array of shape (n_points,)
        Error of the probes, averaged over the folds.
    permuted : array of shape (n_points, n_permutations)
        The same for permuted labels.
    level : float
        Probability with which chance alone puts a point below the band.

    Returns
    -------
    ChanceBand

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.informative import chance_band
    >>> fraction = np.linspace(0, 1, 6)
    >>> permuted = np.random.default_rng(0).normal(0.5, 0.05, size=(6, 100))
    >>> band = chance_band(fraction, [0.1, 0.1, 0.3, 0.48, 0.52, 0.49], permuted)
    >>> print(f"{band.estimate:.1f}")
    0.6
    """
    fraction, error = np.asarray(fraction, dtype=float), np.asarray(error, dtype=float)
    permuted = np.asarray(permuted, dtype=float)
    if error.shape != fraction.shape or permuted.ndim != 2 or len(permuted) != len(fraction):
        raise ValueError(
            "error needs one value and permuted one row for each point of fraction; got shapes "
            f"{error.shape} and {permuted.shape} for {fraction.shape}"
        )
    if not 0.0 < level < 0.5:
        raise ValueError(f"level must lie between 0 and 0.5; got {level!r}")
    ordered, number = np.sort(permuted, axis=1), permuted.shape[1]
    # The true labels are one more labelling: below the k-th, they are among the k first of all.
    rank = max(1, math.floor(level * (number + 1) + 1e-9))
    lower, upper = ordered[:, rank - 1], ordered[:, -rank]
    level = max(level, rank / (number + 1))
    return ChanceBand(fraction, lower, upper, level, _split(fraction, error < lower))


def _split(fraction: FloatArray, below: NDArray[np.bool_]) -> float:
    """The point from which on the curve is no longer below, with the fewest exceptions."""
    # Exceptions if the first k points count as those below: misses before, and hits after.
    misses = np.concatenate([[0], np.cumsum(~below)])
    hits = np.concatenate([np.cumsum(below[::-1])[::-1], [0]])
    place = int(np.argmin(misses + hits))
    return float(fraction[min(place, len(fraction) - 1)])


@dataclass(frozen=True)
class Purity:
    """Agreement of training and left-out samples about the features removed until the estimate.

    Attributes
    ----------
    plateau : float
        Part of the first removed features whose class difference has the same sign in the left-out
        samples: what features with information reach.
    purity : float
        Part of all features removed until the estimate that carry information.
    estimate : float
        The estimate times the purity.
    """

    plateau: float
    purity: float
    estimate: float


def purify(fraction: ArrayLike, agreement: ArrayLike, estimate: float) -> Purity:
    r"""Take features that were removed without carrying information out of an estimate.

    Selection also takes features that separate the training samples by chance. In left-out samples
    the sign of their class difference is the same half of the time, that of features with
    information more often. With the agreement a(x) after a share x is removed, and its plateau p
    over the first third of the estimate e, the informative ones among the removed are

    .. math:: \int_0^{e} \frac{a(x) - 1/2}{p - 1/2} \, dx .

    Parameters
    ----------
    fraction : array of shape (n_points,)
        Share of removed features, increasing.
    agreement : array of shape (n_points,)
        Part of the features removed there whose class difference has the same sign in training and
        left-out samples.
    estimate : float
        Share of features after whose removal the rest carries no information.

    Returns
    -------
    Purity

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.informative import purify
    >>> fraction = np.linspace(0, 1, 101)
    >>> agreement = np.where(fraction < 0.3, 0.9, 0.5)  # from 0.3 on, chance
    >>> print(f"{purify(fraction, agreement, 0.4).estimate:.2f}")
    0.29
    """
    fraction, agreement = check_pairs(1, fraction=fraction, agreement=agreement)
    plateau = float(agreement[fraction <= estimate / 3.0].mean())
    excess = float(agreement[fraction <= estimate].mean()) - CHANCE
    # Without any agreement there is nothing to measure purity by.
    purity = excess / (plateau - CHANCE) if plateau > CHANCE else 0.0
    purity = float(np.clip(purity, 0.0, 1.0))
    return Purity(plateau, purity, estimate * purity)
