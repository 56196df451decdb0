"""What repetitive selection and t-statistics have in common (Klement, Anders & Martinetz 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewest._types import FloatArray
from fewest.informative._fold_run import AVERAGES, resample
from fewest.informative._run import InformativeFeatures
from fewest.informative._univariate import TMap, share_count

SHARES = (0.01, 0.025, 0.05, 0.2, 0.34, 0.5)


@dataclass(frozen=True)
class Overlap:
    """The first features of the selection, and as many of the top of the t-map.

    Attributes
    ----------
    share : float
        Which part of all features either set is.
    observed : float
        Part of the one set that is in the other, on average over the folds.
    expected : float
        The same for random sets.
    p_value : float
        Largest p-value in the top of the t-map.
    """

    share: float
    observed: float
    expected: float
    p_value: float


def overlap_table(
    found: InformativeFeatures, univariate: TMap, shares: Sequence[float] = SHARES
) -> list[Overlap]:
    """Observed and expected overlap of the selection with a t-map, at several shares.

    Parameters
    ----------
    found : InformativeFeatures
        The selection, fold by fold.
    univariate : TMap
        t-statistics of the same features.
    shares : sequence of float
        Which parts of the features to compare; those that some fold did not reach are left out.

    Returns
    -------
    list of Overlap

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features, overlap_table, t_map
    >>> maps = make_brain(4, 3, n_voxels=200, informative=0.3, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> univariate = t_map(maps.X, maps.y, groups=maps.groups)
    >>> rows = overlap_table(found, univariate, shares=[0.1])
    >>> print(f"observed {rows[0].observed:.2f}, expected {rows[0].expected:.2f}")
    observed 0.33, expected 0.10
    """
    _check_same_features(found, univariate)
    orders = [np.concatenate(fold.subsets) for fold in found.folds]
    rows = []
    for share in shares:
        count = share_count(share, found.n_features)
        if count > min(map(len, orders)):
            continue
        top = univariate.top(share)
        common = [np.isin(order[:count], top).mean() for order in orders]
        rows.append(
            Overlap(
                share=float(share),
                observed=float(np.mean(common)),
                expected=count / found.n_features,
                p_value=float(univariate.p_value[top[-1]]),
            )
        )
    return rows


def overlap_curve(found: InformativeFeatures, univariate: TMap, share: float) -> FloatArray:
    """Part of the features of each repetition that are in the top of a t-map.

    Parameters
    ----------
    found : InformativeFeatures
        The selection, fold by fold.
    univariate : TMap
        t-statistics of the same features.
    share : float
        Which part of all features counts as its top.

    Returns
    -------
    array of shape (n_points,)
        At the points of ``found.fraction``, averaged over the folds (Klement et al. 2013, fig. 4b).

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features, overlap_curve, t_map
    >>> maps = make_brain(4, 3, n_voxels=200, informative=0.3, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> univariate = t_map(maps.X, maps.y, groups=maps.groups)
    >>> curve = overlap_curve(found, univariate, 0.2)
    >>> bool(curve[0] > curve[-1])  # what is found first is in the t-map's top more often
    True
    """
    _check_same_features(found, univariate)
    top = np.zeros(found.n_features, dtype=bool)
    top[univariate.top(share)] = True
    curves = []
    for fold in found.folds:
        inside = [top[subset].mean() for subset in fold.subsets]
        curves.append(resample(fold.removed, inside, found.fraction, found.n_features))
    return AVERAGES[found.average](curves, axis=0)


def _check_same_features(found: InformativeFeatures, univariate: TMap) -> None:
    if len(univariate.t) != found.n_features:
        raise ValueError(
            f"the t-map has {len(univariate.t)} features, but the selection was among "
            f"{found.n_features}: both must come from the same X"
        )
