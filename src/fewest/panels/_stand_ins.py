"""Which features go with a feature of a panel, and which could take its place."""

from __future__ import annotations

from itertools import chain

import numpy as np

from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray
from fewest.panels._given_others import find_basis

# A column that the others explain but for less than this part has nothing of its own to add.
_LEAST_OWN = 0.05


def correlate_column(columns: Columns, column: int) -> FloatArray:
    """Correlation of every column with one of them, over all samples; zero with itself.

    One pass over X; that of constant columns is zero.
    """
    values = columns.take(np.array([column]))[:, 0]
    correlation = columns.price(values) / len(values)
    correlation[column] = 0.0
    return np.clip(correlation, -1.0, 1.0)


def find_candidates(
    columns: Columns, codes: IndexArray, panel: IndexArray, place: int, most: int
) -> IndexArray:
    """Columns that may take the place of a feature: some go with it, some add to the others.

    What a column adds is its share of the classes' indicators, where both are what linear functions
    of the other features leave of them (the score test of a linear model).
    """
    n_samples, rest = len(codes), np.delete(panel, place)
    centred = np.eye(int(codes.max()) + 1)[codes]
    centred -= centred.mean(axis=0)
    own = np.full(columns.n_features, float(n_samples))
    if len(rest):
        basis = find_basis(columns.take(rest))
        centred -= basis @ (basis.T @ centred)
        own -= np.sum(columns.price_all(basis) ** 2, axis=1)
    added = np.sum(columns.price_all(centred) ** 2, axis=1)
    added /= np.maximum(own, _LEAST_OWN * n_samples)
    correlation = np.abs(correlate_column(columns, int(panel[place])))
    taken = set(panel.tolist())
    best = [np.argsort(-score, kind="stable").tolist() for score in (correlation, added)]
    found: dict[int, None] = {}
    for column in chain.from_iterable(zip(*best, strict=True)):
        if len(found) == most:
            break
        if column not in taken and columns.inverse_scale[column] > 0.0:
            found[column] = None
    return np.array(list(found), dtype=np.intp)
