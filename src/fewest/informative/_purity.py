"""How many of the removed features carry information, judged by the samples that were left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_BY_CHANCE = 0.5


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
    fraction, agreement = np.asarray(fraction, dtype=float), np.asarray(agreement, dtype=float)
    if fraction.shape != agreement.shape or fraction.ndim != 1 or not len(fraction):
        raise ValueError(
            f"agreement must have a value for each point of fraction; got shapes "
            f"{agreement.shape} and {fraction.shape}"
        )
    plateau = float(agreement[fraction <= estimate / 3.0].mean())
    excess = float(agreement[fraction <= estimate].mean()) - _BY_CHANCE
    # Without any agreement there is nothing to measure purity by.
    purity = excess / (plateau - _BY_CHANCE) if plateau > _BY_CHANCE else 0.0
    purity = float(np.clip(purity, 0.0, 1.0))
    return Purity(plateau, purity, estimate * purity)
