"""Where an error curve meets the band of errors that chance produces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._types import FloatArray


@dataclass(frozen=True, eq=False)
class ChanceBand:
    """Errors of the same probes for permuted labels.

    Attributes
    ----------
    fraction : array of shape (n_points,)
        Share of removed features.
    lower, upper : arrays of shape (n_points,)
        Quantiles of the permuted errors; above the lower one, an error counts as chance.
    level : float
        Which quantile `lower` is; `upper` leaves as many above it.
    estimate : float
        The share of features after whose removal the error is one of chance. It splits the curve
        into a part below the band and a part within it, with the fewest points on the wrong side;
        single points that chance alone puts below the band do not count.
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
    lower, upper = np.quantile(permuted, [level, 1.0 - level], axis=1)
    return ChanceBand(
        fraction=fraction,
        lower=lower,
        upper=upper,
        level=level,
        estimate=_split(fraction, error < lower),
    )


def _split(fraction: FloatArray, below: NDArray[np.bool_]) -> float:
    """The point from which on the curve is no longer below, with the fewest exceptions."""
    # Exceptions if the first k points count as those below: misses before, and hits after.
    misses = np.concatenate([[0], np.cumsum(~below)])
    hits = np.concatenate([np.cumsum(below[::-1])[::-1], [0]])
    place = int(np.argmin(misses + hits))
    return float(fraction[min(place, len(fraction) - 1)])
