"""Kernel matrices of the features that remain, without ever going back to X.

Klement et al. (2013) subtract what is removed. Adding what remains, from the last features to the
first, reads every column once as well, but nothing cancels: with 50 of 50,000 features left, the
difference of two large sums would have lost three digits, and drifts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray

_WIDTH = 4096  # columns that are made explicit at a time


def kernels_of_rest(columns: Columns, blocks: Sequence[IndexArray]) -> Iterator[FloatArray]:
    """Gram matrices of blocks k, k + 1, ..., for k from the last block to the first.

    They are divided by the number of features that vary: samples have norm one, and a cost means
    the same for any number of features. The array belongs to the caller.
    """
    total = np.zeros((columns.n_samples, columns.n_samples))
    n_features = 0
    for block in reversed(blocks):
        for start in range(0, len(block), _WIDTH):
            part = columns.take(block[start : start + _WIDTH])
            total += part @ part.T
        n_features += int(np.count_nonzero(columns.inverse_scale[block]))
        yield total / max(n_features, 1)
