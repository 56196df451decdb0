"""Linearity, adjoints, and what the operators must leave as it is."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import lsqr

from fewest.imaging import (
    Correction,
    Expansion,
    Reduction,
    correct_illumination,
    downsample,
    downsampled_mask,
    expand,
    gaussian_pyramid,
    reduce,
    upsample,
)

NAMES = ["replicate", "circular", "linear", "polynomial"]


def mirrored_first_pixel(outside, shape, mask):
    """A rule of the user's own: half of the first pixel inside, wherever one looks from."""
    inside = np.argwhere(np.ones(shape, dtype=bool) if mask is None else mask)
    return np.tile(inside[:1], (len(outside), 1, 1)), np.full((len(outside), 1), 0.5)


def random_mask(shape, seed=0):
    mask = np.random.default_rng(seed).random(shape) < 0.7
    mask[(0,) * len(shape)] = True
    return mask


GRIDS = [
    ((12, 15), None),
    ((1, 2), None),
    ((3, 4), None),
    ((7, 8, 5), None),
    ((12, 15), random_mask((12, 15))),
    ((7, 8, 5), random_mask((7, 8, 5))),
    ((6, 6), np.eye(6)),
    ((5, 5), np.pad([[1]], (0, 4))),
]
GRID_NAMES = ["2-D", "tiny", "small", "3-D", "masked 2-D", "masked 3-D", "line", "one pixel"]


def operators(shape, mask, boundary):
    reduction, expansion = (kind(shape, mask, boundary) for kind in (Reduction, Expansion))
    yield from (reduction, expansion)
    yield Correction(shape, 1, mask, boundary)
    if min(shape) > 4:
        yield Correction(shape, 3, mask, boundary)


@pytest.mark.parametrize("boundary", [*NAMES, mirrored_first_pixel])
@pytest.mark.parametrize(("shape", "mask"), GRIDS, ids=GRID_NAMES)
def test_linear_with_its_adjoint(shape, mask, boundary):
    rng = np.random.default_rng(0)
    for operator in operators(shape, mask, boundary):
        f, f2 = rng.standard_normal((2, *operator.shape))
        g = rng.standard_normal(operator.result_shape)
        Af, Atg = operator.forward(f), operator.adjoint(g)
        size = np.linalg.norm(Af) * np.linalg.norm(g) + 1
        assert np.vdot(Af, g) == pytest.approx(np.vdot(f, Atg), abs=1e-11 * size)
        combined = operator.forward(2 * f - 3 * f2)
        np.testing.assert_allclose(combined, 2 * Af - 3 * operator.forward(f2), atol=1e-10 * size)


@pytest.mark.parametrize("mask", [None, random_mask((9, 9), 3)], ids=["whole", "masked"])
def test_scipy_sees_the_same_operator(mask):
    operator = Reduction((9, 9), mask, "linear")
    matrix = operator.as_linear_operator()
    dense = matrix @ np.eye(81)
    np.testing.assert_allclose(matrix.H @ np.eye(25), dense.T, atol=1e-13)
    f = np.random.default_rng(0).standard_normal((9, 9))
    np.testing.assert_allclose(dense @ f.ravel(), operator.forward(f).ravel(), atol=1e-13)
    wanted = operator.forward(f).ravel()
    solution = lsqr(matrix, wanted, atol=1e-12, btol=1e-12)[0]
    np.testing.assert_allclose(dense @ solution, wanted, atol=1e-8)


@pytest.mark.parametrize("boundary", NAMES)
@pytest.mark.parametrize(("shape", "mask"), GRIDS, ids=GRID_NAMES)
def test_constants_stay_constant(shape, mask, boundary):
    image = np.full(shape, 7.0)
    inside = np.ones(shape, dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
    small = reduce(image, mask=mask, boundary=boundary)
    np.testing.assert_allclose(small, 7.0 * downsampled_mask(inside, 1), atol=1e-12)
    back = expand(small, shape, mask=mask, boundary=boundary)
    np.testing.assert_allclose(back, 7.0 * inside, atol=1e-12)
    corrected = correct_illumination(image, 1, boundary, mask=mask)
    np.testing.assert_allclose(corrected, 7.0 * inside, atol=1e-12)


@pytest.mark.parametrize("boundary", ["linear", "polynomial"])
@pytest.mark.parametrize(("shape", "levels"), [((21, 34), 3), ((2, 2), 1), ((17, 12, 9), 2)])
def test_ramps_stay_ramps(shape, levels, boundary):
    ramp = np.tensordot(np.arange(1.0, len(shape) + 1), np.indices(shape), axes=1) - 5
    every = (slice(None, None, 2**levels),) * len(shape)
    small = downsample(ramp, levels, boundary=boundary)
    np.testing.assert_allclose(small, ramp[every], atol=1e-11)
    if min(small.shape) > 1:  # one pixel knows no slope
        back = upsample(small, levels, shape, boundary=boundary)
        np.testing.assert_allclose(back, ramp, atol=1e-11)


def test_replicated_ramps_bend():
    ramp = np.arange(20.0) + np.zeros((20, 1))
    assert np.abs(reduce(ramp, boundary="replicate") - ramp[::2, ::2]).max() > 0.2


def test_polynomials_of_degree_two_go_on():
    """The kernel's variance along an axis is one: it adds half the second derivative."""
    y, x = np.indices((15, 18), dtype=float)
    image = 0.5 * y**2 - x**2 + 2 * x * y + 3 * x - 1
    np.testing.assert_allclose(reduce(image), image[::2, ::2] + 0.5 - 1, atol=1e-10)


def test_masks_leave_the_image_behind_them_alone():
    mask = random_mask((20, 22))
    image = np.where(mask, np.random.default_rng(0).random((20, 22)), np.nan)
    for function in (reduce, correct_illumination):
        found = function(image, mask=mask)
        np.testing.assert_array_equal(found, function(np.nan_to_num(image, nan=1e9), mask=mask))
        assert np.isfinite(found).all()
    assert not correct_illumination(image, mask=mask)[~mask].any()
    pyramid = gaussian_pyramid(image, 2, mask=mask)
    assert not pyramid[0][~mask].any()
    assert not pyramid[2][~mask[::4, ::4]].any()


@pytest.mark.parametrize("boundary", ["replicate", "linear", "polynomial"])
def test_a_mirrored_image_gives_the_mirrored_result(boundary):
    rng = np.random.default_rng(0)
    mask, image = rng.random((21, 25)) < 0.6, rng.standard_normal((21, 25))
    plain = reduce(image, mask=mask, boundary=boundary)
    for axis in (0, 1):
        mirrored = reduce(np.flip(image, axis), mask=np.flip(mask, axis), boundary=boundary)
        np.testing.assert_allclose(np.flip(mirrored, axis), plain, atol=1e-9)
    np.testing.assert_allclose(reduce(image.T, mask=mask.T, boundary=boundary).T, plain, atol=1e-9)


def test_a_mask_of_everything_is_none():
    image = np.random.default_rng(0).random((14, 11))
    for boundary in NAMES:
        whole = reduce(image, mask=np.ones((14, 11)), boundary=boundary)
        np.testing.assert_array_equal(whole, reduce(image, boundary=boundary))


def test_far_specks_get_the_nearest_value():
    """A speck without a pixel on the smaller grid is not extrapolated over half the image."""
    mask = np.zeros((21, 41), dtype=bool)
    mask[:, :11] = mask[11, 39] = True
    image = np.where(mask, np.arange(41.0), 0.0)
    back = upsample(downsample(image, 1, mask=mask), 1, (21, 41), mask=mask)
    assert back[11, 39] == pytest.approx(10.0)
    np.testing.assert_allclose(back[:, :11], image[:, :11], atol=1e-11)


@pytest.mark.parametrize("channel_axis", [0, 1, -1])
def test_channels_are_independent(channel_axis):
    image = np.random.default_rng(0).random((16, 18, 3))
    mask = random_mask((16, 18))
    for function in (reduce, correct_illumination):
        moved = np.moveaxis(image, -1, channel_axis)
        together = function(moved, mask=mask, channel_axis=channel_axis)
        apart = [function(image[..., c], mask=mask) for c in range(3)]
        np.testing.assert_allclose(np.moveaxis(together, channel_axis, 0), apart, atol=1e-13)
    series = np.random.default_rng(1).random((8, 9, 10, 4))
    levels = gaussian_pyramid(series, 2, channel_axis=3)
    assert [level.shape for level in levels] == [(8, 9, 10, 4), (4, 5, 5, 4), (2, 3, 3, 4)]
    up = upsample(levels[2], 2, (8, 9, 10), channel_axis=3)
    np.testing.assert_allclose(up[..., 1], upsample(levels[2][..., 1], 2, (8, 9, 10)))


def test_pyramid_and_downsampling_agree():
    image, mask = np.random.default_rng(0).random((20, 30)), random_mask((20, 30))
    pyramid = gaussian_pyramid(image, 3, mask=mask, boundary="linear")
    for levels in range(4):
        np.testing.assert_array_equal(downsample(image, levels, mask), pyramid[levels])


def test_whole_numbers_and_single_precision_are_computed_in_double():
    image = np.random.default_rng(0).integers(0, 255, (20, 20), dtype=np.uint8)
    for dtype in (np.uint8, np.float32, bool):
        given = image.astype(dtype)
        found = correct_illumination(given, 2)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, correct_illumination(given.astype(float), 2))


def test_the_input_is_left_alone():
    image = np.random.default_rng(0).random((20, 20))
    kept = image.copy()
    for boundary in NAMES:
        correct_illumination(image, 2, boundary, histogram="central")
        correct_illumination(image, 2, boundary, mask=random_mask((20, 20)))
    np.testing.assert_array_equal(image, kept)


def test_operators_are_sparse_inside():
    """The image itself is never in a matrix: only the pixels outside have rows."""
    weights = Reduction((50, 61), None, "linear")._extension._weights
    assert sparse.issparse(weights)
    assert weights.shape[0] == (2 + 50 + 1) * (2 + 61 + 2) - 50 * 61
