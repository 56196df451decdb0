"""The order in which all folds together remove the features."""

from __future__ import annotations

import numpy as np

from fewest._types import IndexArray
from fewest.informative._run import InformativeFeatures


def removal_order(found: InformativeFeatures) -> IndexArray:
    """Columns by their average place among those removed, the first ones first.

    A feature that a fold did not remove counts as the last one there.

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features
    >>> from fewest.informative._order import removal_order
    >>> maps = make_brain(4, 3, n_voxels=60, informative=0.2, strength=3.0, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> print(f"{maps.informative[removal_order(found)[:6]].mean():.2f}")
    1.00
    """
    places = np.full((len(found.folds), found.n_features), float(found.n_features))
    for row, fold in zip(places, found.folds, strict=True):
        removed = np.concatenate(fold.subsets)
        row[removed] = np.arange(len(removed))
    return np.argsort(places.mean(axis=0), kind="stable")
