"""The operators against plain loops over pixels that follow the definitions."""

from itertools import product

import numpy as np
import pytest

from fewest.imaging import downsampled_mask, expand, reduce

KERNEL = np.array([1, 4, 6, 4, 1]) / 16
ONE_AXIS = {
    "replicate": lambda x, size: [(min(max(x, 0), size - 1), 1.0)],
    "circular": lambda x, size: [(x % size, 1.0)],
    "linear": lambda x, size: _last_two(x, size),
}


def _last_two(x, size):
    if 0 <= x < size:
        return [(x, 1.0)]
    first, second, steps = (0, 1, -x) if x < 0 else (size - 1, size - 2, x - size + 1)
    return [(first, 1.0 + steps), (second, -float(steps))]


def monomials(points, degree):
    points = np.atleast_2d(points).astype(float)
    columns = [np.ones(len(points)), *points.T]
    d = points.shape[1]
    if degree == 2:
        columns += [points[:, a] * points[:, b] for a in range(d) for b in range(a, d)]
    return np.stack(columns, axis=1)


def regression(image, pixels, x, degree):
    pixels = np.array(pixels)
    values = image[tuple(pixels.T)]
    coefficients = np.linalg.lstsq(monomials(pixels - x, degree), values, rcond=None)[0]
    return coefficients[0]


def outside_frame(image, x, boundary):
    if boundary == "polynomial":
        corners = [min(max(a - 2, 0), size - 5) for a, size in zip(x, image.shape, strict=True)]
        block = product(*(range(corner, corner + 5) for corner in corners))
        return regression(image, list(block), np.array(x), 2)
    places = (ONE_AXIS[boundary](a, size) for a, size in zip(x, image.shape, strict=True))
    terms = product(*places)
    return sum(
        image[tuple(place for place, _ in term)] * np.prod([weight for _, weight in term])
        for term in terms
    )


def outside_mask(image, mask, x, boundary):
    inside = np.argwhere(mask)
    if boundary == "circular":
        x = np.array(x) % image.shape
    squares = ((inside - x) ** 2).sum(axis=1)
    count = {"replicate": 1, "circular": 1, "linear": 3**mask.ndim, "polynomial": 5**mask.ndim}
    last = np.sort(squares)[count[boundary] - 1]
    nearest = inside[squares <= last]
    if count[boundary] == 1:
        return image[tuple(nearest.T)].mean()
    return regression(image, nearest, np.array(x), {"linear": 1, "polynomial": 2}[boundary])


def value_at(image, mask, x, boundary):
    framed = all(0 <= a < size for a, size in zip(x, image.shape, strict=True))
    if framed and (mask is None or mask[tuple(x)]):
        return image[tuple(x)]
    if mask is None:
        return outside_frame(image, x, boundary)
    return outside_mask(image, mask, x, boundary)


def remembering(image, mask, boundary):
    """Values inside and outside; a pixel is looked at from many sides."""
    known = {}

    def value(x):
        key = tuple(x)
        if key not in known:
            known[key] = value_at(image, mask, x, boundary)
        return known[key]

    return value


def slow_reduce(image, boundary, mask=None):
    value = remembering(image, mask, boundary)
    shape = tuple((size + 1) // 2 for size in image.shape)
    result = np.zeros(shape)
    for place in np.ndindex(shape):
        centre = 2 * np.array(place)
        if mask is not None and not mask[tuple(centre)]:
            continue
        for step in product(range(-2, 3), repeat=image.ndim):
            weight = np.prod([KERNEL[s + 2] for s in step])
            result[place] += weight * value(centre + step)
    return result


def slow_expand(image, shape, boundary, mask=None):
    small = None if mask is None else mask[(slice(None, None, 2),) * mask.ndim]
    value = remembering(image, small, boundary)
    result = np.zeros(shape)
    for place in np.ndindex(shape):
        if mask is not None and not mask[place]:
            continue
        for step in product(range(-2, 3), repeat=image.ndim):
            source = np.array(place) - step
            if (source % 2).any():
                continue
            weight = np.prod([2 * KERNEL[s + 2] for s in step])
            result[place] += weight * value(source // 2)
    return result


def blob(shape, seed=0):
    """An irregular mask with a hole."""
    rng = np.random.default_rng(seed)
    axes = np.meshgrid(*(np.linspace(-1, 1, size) for size in shape), indexing="ij")
    radius = np.sqrt(sum(axis**2 for axis in axes))
    mask = radius + 0.1 * rng.standard_normal(shape) < 0.95
    mask[tuple(size // 2 for size in shape)] = False
    return mask


@pytest.mark.parametrize("boundary", ["replicate", "circular", "linear", "polynomial"])
@pytest.mark.parametrize("shape", [(9, 12), (10, 11), (5, 6, 7)])
def test_whole_images(shape, boundary):
    image = np.random.default_rng(1).standard_normal(shape)
    expected = slow_reduce(image, boundary)
    np.testing.assert_allclose(reduce(image, boundary=boundary), expected, atol=1e-12)
    if boundary == "polynomial" and min(expected.shape) < 5:
        return  # smaller than the block: see test_operators
    back = expand(expected, shape, boundary=boundary)
    np.testing.assert_allclose(back, slow_expand(expected, shape, boundary), atol=1e-12)


@pytest.mark.parametrize("boundary", ["replicate", "circular", "linear", "polynomial"])
@pytest.mark.parametrize("shape", [(17, 20), (10, 9, 11)])
def test_masked_images(shape, boundary):
    mask = blob(shape)
    image = np.random.default_rng(2).standard_normal(shape)
    reduced = reduce(image, mask=mask, boundary=boundary)
    expected = slow_reduce(image, boundary, mask)
    np.testing.assert_allclose(reduced, expected, atol=1e-10)
    small = downsampled_mask(mask, 1)
    assert np.array_equal(reduced != 0, small)
    if small.sum() >= 5**mask.ndim or boundary != "polynomial":
        back = expand(reduced, shape, mask=mask, boundary=boundary)
        expected = slow_expand(reduced, shape, boundary, mask)
        np.testing.assert_allclose(back, expected, atol=1e-10)
