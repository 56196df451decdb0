"""Samples that are like those next to them, as volumes in time are: they are not independent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.validation import make_dense
from fewest._types import FloatArray

_MOST_FEATURES = 2_000
_MOST_SAMPLES = 4_000
_N_ORDERS = 999
_LEVEL = 0.001  # noise in an order of its own is seldom taken for a series


def are_neighbours_alike(X: Any, y: NDArray[Any]) -> bool:
    """Whether samples next to each other are more alike than others of their classes.

    Classes are left out of that, and so is how they follow each other: samples change places within
    their class only.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.neighbours import are_neighbours_alike
    >>> noise = np.random.default_rng(0).standard_normal((40, 50))
    >>> y = np.arange(40) // 5 % 2
    >>> are_neighbours_alike(noise, y), are_neighbours_alike(np.cumsum(noise, axis=0), y)
    (False, True)
    """
    columns = np.unique(np.linspace(0, X.shape[1] - 1, _MOST_FEATURES).astype(np.intp))
    block = np.asarray(make_dense(X[:_MOST_SAMPLES][:, columns]), dtype=np.float64)
    codes = np.unique(y[: len(block)], return_inverse=True)[1]
    alike = _compare(block, codes)
    if alike is None:
        return False
    rng = np.random.RandomState(0)
    observed = _mean_beside(alike, np.arange(len(codes)))
    rank = 1
    for _ in range(_N_ORDERS):
        order = np.empty(len(codes), dtype=np.intp)
        for code in range(int(codes.max()) + 1):
            places = np.flatnonzero(codes == code)
            order[places] = rng.permutation(places)
        rank += _mean_beside(alike, order) >= observed
    return rank / (_N_ORDERS + 1) <= _LEVEL + 1e-12


def _compare(block: FloatArray, codes: NDArray[np.intp]) -> FloatArray | None:
    """Correlations of samples, without what their classes have in common; None without any."""
    rest = block.copy()
    for code in range(int(codes.max()) + 1):
        rest[codes == code] -= block[codes == code].mean(axis=0)
    spread = rest.std(axis=0)
    rest = rest[:, spread > 0.0] / spread[spread > 0.0]
    sizes = np.linalg.norm(rest, axis=1)
    if rest.shape[1] == 0 or len(rest) < 3:
        return None
    rest /= np.where(sizes > 0.0, sizes, 1.0)[:, None]
    return rest @ rest.T


def _mean_beside(alike: FloatArray, order: NDArray[np.intp]) -> float:
    """How much samples are like the next one, in this order."""
    return float(alike[order[:-1], order[1:]].mean())
