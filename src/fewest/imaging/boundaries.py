"""How an image is extended beyond its frame, or beyond the border of a mask.

A boundary rule says which pixels of the image determine a pixel outside, and with which weights:

    f'(x) = sum_i weights_i f(pixels_i)      for x outside.

It is a function of `outside` (n x d whole numbers, the coordinates to fill; negative before the
first pixel), `shape` and `mask` (None for a whole rectangle or box). It returns `pixels`
(n x k x d coordinates within the mask) and `weights` (n x k). All operators built on it are linear.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from scipy.ndimage import maximum_filter
from scipy.spatial import cKDTree

from fewest._types import BoolArray, FloatArray, IndexArray

__all__ = ["circular", "linear", "polynomial", "replicate"]

Rule = Callable[[IndexArray, tuple[int, ...], BoolArray | None], tuple[IndexArray, FloatArray]]

_BLOCK = 5
_TIES = {2: 8, 3: 24}  # pixels that may be as near as the last one, by dimension
_RIM = 8  # pixels this close to the wanted ones nearly always include their nearest
_BATCH = 2_000_000  # numbers in the design matrices of one batch: 16 MB
_SCALE = 5.0  # a block's width: linear and quadratic columns become equally large
_RANK = 1e-9  # eigenvalues of lattice points' Gram matrices are either zero or far above


def replicate(
    outside: IndexArray, shape: tuple[int, ...], mask: BoolArray | None
) -> tuple[IndexArray, FloatArray]:
    """The nearest pixel; the mean of all nearest ones at a mask.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging.boundaries import replicate
    >>> pixels, weights = replicate(np.array([[-2, 3]]), (10, 10), None)
    >>> pixels.tolist(), weights.tolist()
    ([[[0, 3]]], [[1.0]])
    """
    if mask is not None:
        pixels, distances = _nearest(outside, mask, 1)
        used = _is_nearest(distances, 1)
        return pixels, used / used.sum(axis=1, keepdims=True)
    return np.clip(outside, 0, np.array(shape) - 1)[:, None], np.ones((len(outside), 1))


def circular(
    outside: IndexArray, shape: tuple[int, ...], mask: BoolArray | None
) -> tuple[IndexArray, FloatArray]:
    """The image repeated; outside the mask, the nearest pixel inside."""
    return replicate(outside % np.array(shape), shape, mask)


def linear(
    outside: IndexArray, shape: tuple[int, ...], mask: BoolArray | None
) -> tuple[IndexArray, FloatArray]:
    """The line through the last two pixels, one axis after another.

    At a mask: the least-squares plane through the nearest 3 x 3 (x 3) pixels.
    """
    if mask is not None:
        return _fit_to_nearest(outside, mask, 3 ** len(shape), degree=1)
    last = np.array(shape) - 1
    edge = np.clip(outside, 0, last)
    before = np.clip(edge + np.sign(edge - outside), 0, last)
    steps = np.abs(outside - edge)
    pixels, weights = [], []
    for second in product((False, True), repeat=len(shape)):
        pixels.append(np.where(second, before, edge))
        weights.append(np.where(second, -steps, 1 + steps).prod(axis=1))
    return np.stack(pixels, axis=1), np.stack(weights, axis=1).astype(np.float64)


def polynomial(
    outside: IndexArray, shape: tuple[int, ...], mask: BoolArray | None
) -> tuple[IndexArray, FloatArray]:
    """The least-squares polynomial of degree two on the nearest block of 5 x 5 (x 5) pixels.

    At a mask: on the same number of pixels with the smallest Euclidean distance.
    """
    if mask is not None:
        return _fit_to_nearest(outside, mask, _BLOCK ** len(shape), degree=2)
    sizes = np.array(shape)
    corner = np.clip(outside - _BLOCK // 2, 0, np.maximum(sizes - _BLOCK, 0))
    block = np.array(list(product(*(range(min(_BLOCK, size)) for size in shape))))
    # Only few positions relative to the block occur; pixels at the same one share the weights.
    places, which = np.unique(outside - corner, axis=0, return_inverse=True)
    offsets = (block - places[:, None]).astype(np.float64)
    weights = _prediction_weights(offsets, np.ones(offsets.shape[:2], dtype=bool), degree=2)
    return corner[:, None] + block, weights[which.ravel()]


BOUNDARIES: dict[str, Rule] = {
    "replicate": replicate,
    "circular": circular,
    "linear": linear,
    "polynomial": polynomial,
}


def boundary_rule(boundary: Any) -> Rule:
    """The rule of that name, or the user's own."""
    if callable(boundary):
        return boundary
    if not isinstance(boundary, str) or boundary not in BOUNDARIES:
        names = ", ".join(map(repr, BOUNDARIES))
        raise ValueError(f"boundary must be one of {names}, or a function; got {boundary!r}")
    return BOUNDARIES[boundary]


def _fit_to_nearest(
    outside: IndexArray, mask: BoolArray, count: int, degree: int
) -> tuple[IndexArray, FloatArray]:
    pixels, distances = _nearest(outside, mask, count)
    used = _is_nearest(distances, count)
    # The kernel reaches two pixels. Pixels farther away get the mean of the nearest pixels: there,
    # a plane or parabola could take any value.
    far = distances[:, 0] > 2 * np.sqrt(mask.ndim) + 1e-6
    used[far] = _is_nearest(distances[far], 1)
    weights = np.zeros(used.shape)
    weights[far] = used[far] / used[far].sum(axis=1, keepdims=True)
    offsets = (pixels[~far] - outside[~far, None]).astype(np.float64)
    weights[~far] = _prediction_weights(offsets, used[~far], degree)
    return pixels, weights


def _nearest(outside: IndexArray, mask: BoolArray, count: int) -> tuple[IndexArray, FloatArray]:
    """The `count` nearest pixels of the mask and some more, sorted, and their distances."""
    wanted = min(count + _TIES[mask.ndim], int(mask.sum()))
    rim = _rim(outside, mask)
    if len(rim) >= wanted:
        distances, which = _query(rim, outside, wanted)
        if distances.max(initial=0.0) <= _RIM:
            return rim[which], distances
    inside = np.argwhere(mask)
    distances, which = _query(inside, outside, wanted)
    return inside[which], distances


def _query(points: IndexArray, at: IndexArray, count: int) -> tuple[FloatArray, IndexArray]:
    return cKDTree(points).query(at, k=np.arange(1, count + 1))


def _rim(outside: IndexArray, mask: BoolArray) -> IndexArray:
    """The pixels of the mask within a box around those outside: few enough to build a tree fast."""
    near = np.zeros(mask.shape, dtype=bool)
    near[tuple(np.clip(outside, 0, np.array(mask.shape) - 1).T)] = True
    return np.argwhere(maximum_filter(near, size=2 * _RIM + 1, mode="constant") & mask)


def _is_nearest(distances: FloatArray, count: int) -> BoolArray:
    """The nearest `count` pixels, and those that are as close as the last of them.

    Without the ties, a mirrored image would not give the mirrored result.
    """
    last = min(count, distances.shape[1]) - 1
    return distances <= distances[:, last : last + 1] + 1e-9


def _prediction_weights(offsets: FloatArray, used: BoolArray, degree: int) -> FloatArray:
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
    step = max(1, _BATCH // (k * columns))
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
