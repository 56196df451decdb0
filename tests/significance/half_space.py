"""Separability through the origin, without a linear program."""

import numpy as np
from scipy.optimize import nnls


def in_half_space(Z):
    """Whether all rows lie in an open half-space: zero is no convex combination of them."""
    system = np.vstack([Z.T, np.ones(len(Z))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    return nnls(system, target)[1] > 1e-9
