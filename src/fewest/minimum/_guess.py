"""A quick guess of which samples hyperplanes on a few columns leave wrong."""

from __future__ import annotations

import numpy as np

from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import pair_classes


def guess_wrong(X: FloatArray, y: IndexArray, columns: tuple[int, ...]) -> IndexArray:
    """Samples without which hyperplanes separate every two classes, usually not many.

    The weights are those of least squares, with the best threshold between two samples.
    """
    if not columns:
        return np.flatnonzero(y != np.argmax(np.bincount(y)))
    Z = X[:, list(columns)]
    spread = Z.std(axis=0)
    Z = (Z - Z.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    wrong = np.zeros(len(y), dtype=bool)
    for pair in pair_classes(y):
        block = np.column_stack([Z[pair.rows], np.ones(len(pair.rows))])
        scores = block @ np.linalg.lstsq(block, pair.y, rcond=None)[0]
        wrong[pair.rows[_fail(scores, pair.y)]] = True
    return np.flatnonzero(wrong)


def _fail(scores: FloatArray, y: FloatArray) -> IndexArray:
    """The samples on the wrong side of the best threshold."""
    order = np.argsort(scores, kind="stable")
    ranked, values = y[order], scores[order]
    # With the first k samples below the threshold: those of the second class are wrong there.
    below = np.concatenate([[0], np.cumsum(ranked > 0)])
    above = np.concatenate([np.cumsum(ranked[::-1] < 0)[::-1], [0]])
    # Scores that are nearly equal may be equal, and no threshold lies between them.
    gap = 1e-9 * max(1.0, float(np.abs(values).max()))
    is_cut = np.concatenate([[True], np.diff(values) > gap, [True]])
    best = int(np.argmin(np.where(is_cut, below + above, len(y) + 1)))
    is_below = np.zeros(len(y), dtype=bool)
    is_below[order[:best]] = True
    return np.flatnonzero(is_below == (y > 0))
