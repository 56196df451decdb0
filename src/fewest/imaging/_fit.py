"""Values of a least-squares polynomial at a point, as weights of the pixels it is fitted to."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from fewest._types import BoolArray, FloatArray

_BLOCK = 2_000_000  # numbers in the design matrices of one batch: 16 MB
_SCALE = 5.0  # a block's width: linear and quadratic columns become equally large
_RANK = 1e-9  # eigenvalues of lattice points' Gram matrices are either zero or far above


def prediction_weights(offsets: FloatArray, used: BoolArray, degree: int) -> FloatArray:
    """Weights w such that sum_i w_i f_i is the polynomial's value at the origin.

    The polynomial minimises sum_i (p(x_i) - f_i)^2 over the pixels that are used. Where these do
    not determine all coefficients (they lie in a plane, for instance), lower degrees are fitted
    first and the undetermined coefficients are zero. Constants are always reproduced, and linear
    functions wherever the pixels determine them.

    Parameters
    ----------
    offsets : array of shape (n, k, d)
        Positions of k pixels relative to each of n points.
    used : boolean array of shape (n, k)
        Which of the pixels are used; at least one for each point.
    degree : 1 or 2
        Degree of the polynomial.
    """
    n, k, d = offsets.shape
    columns = d if degree == 1 else d + d * (d + 1) // 2
    step = max(1, _BLOCK // (k * columns))
    blocks = [slice(start, start + step) for start in range(0, n, step)]
    parts = [_weights(offsets[block] / _SCALE, used[block], degree) for block in blocks]
    return np.concatenate(parts) if parts else np.zeros((0, k))


def _weights(points: FloatArray, used: BoolArray, degree: int) -> FloatArray:
    share = used / used.sum(axis=1, keepdims=True)
    linear, at_linear = _centre(points, share, used)
    fit_linear = _pseudo_inverse(linear, linear)
    weights = share + np.einsum("np,npk->nk", at_linear, fit_linear)
    if degree == 1:
        return weights
    pairs = combinations_with_replacement(range(points.shape[2]), 2)
    monomials = np.stack([points[..., a] * points[..., b] for a, b in pairs], axis=-1)
    curved, at_curved = _centre(monomials, share, used)
    # The curved terms are fitted only to the residuals of the plane.
    explained = fit_linear @ curved
    residual = curved - linear @ explained
    at_residual = at_curved - np.einsum("np,npq->nq", at_linear, explained)
    return weights + np.einsum("nq,nqk->nk", at_residual, _pseudo_inverse(residual, curved))


def _centre(
    columns: FloatArray, share: FloatArray, used: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Columns minus their means, and the same at the origin, where every monomial is zero."""
    means = np.einsum("nk,nkp->np", share, columns)
    return (columns - means[:, None]) * used[..., None], -means


def _pseudo_inverse(columns: FloatArray, before: FloatArray) -> FloatArray:
    """The pseudo-inverse, from the small Gram matrices: much faster than from the columns.

    Values that are tiny relative to the original columns (before a plane was subtracted) are
    rounding errors.
    """
    transposed = columns.swapaxes(1, 2)
    values, vectors = np.linalg.eigh(transposed @ columns)
    least = _RANK * np.square(before).sum(axis=(1, 2))[:, None]
    known = values > least
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=known)
    return (vectors * inverse[:, None]) @ (vectors.swapaxes(1, 2) @ transposed)
