"""Every error says what is wrong and what to do."""

import numpy as np
import pytest

from fewest.imaging import (
    Reduction,
    correct_illumination,
    downsample,
    downsampled_mask,
    expand,
    match_histogram,
    reduce,
    upsample,
)

IMAGE = np.arange(80.0).reshape(8, 10)


@pytest.mark.parametrize("image", [3.0, np.ones(5), np.ones((2, 2, 2, 2)), np.ones((0, 4))])
def test_dimensions(image):
    with pytest.raises(ValueError, match="two or three dimensions of at least one pixel.*channel_"):
        reduce(image)


@pytest.mark.parametrize("image", [np.full((4, 4), "a"), np.ones((4, 4), dtype=complex)])
def test_numbers(image):
    with pytest.raises(TypeError, match="an image must hold real numbers; got dtype"):
        reduce(image)


def test_missing_values():
    image = IMAGE.copy()
    image[0, :2] = np.nan, np.inf
    with pytest.raises(ValueError, match="2 values of the image are NaN or infinite.*by a mask"):
        correct_illumination(image, 1)
    mask = np.ones(image.shape, dtype=bool)
    mask[0, 0] = False
    with pytest.raises(ValueError, match="1 values of the image are NaN"):
        reduce(image, mask=mask)
    mask[0, 1] = False
    assert np.isfinite(reduce(image, mask=mask)).all()


def test_huge_values_are_no_missing_values():
    assert np.isfinite(reduce(np.full((8, 8), 1e307), boundary="replicate")).all()


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.zeros((8, 10)), "the mask is empty: no pixel is inside"),
        (np.ones((10, 8)), "the mask is 10 x 8, the image 8 x 10"),
        (np.ones((8, 10, 3)), "a mask has no colour channels"),
        (1, "the mask is a single number, the image"),
        (np.full((8, 10), 0.5), "booleans, or zeros and ones"),
    ],
)
def test_masks(mask, message):
    with pytest.raises(ValueError, match=message):
        reduce(IMAGE, mask=mask)


@pytest.mark.parametrize("levels", [-1, 1.0, "2", True, None])
def test_levels(levels):
    with pytest.raises(ValueError, match="levels must be a whole number of at least 0; got"):
        downsample(IMAGE, levels)


def test_levels_that_do_nothing_or_too_much():
    with pytest.raises(ValueError, match="levels must be a whole number of at least 1; got 0"):
        correct_illumination(IMAGE, 0)
    with pytest.raises(ValueError, match="levels=5 is too many: an image of 8 x 10 .* after 4"):
        correct_illumination(IMAGE, 5)
    with pytest.raises(ValueError, match="levels=1 is too many: an image of 1 x 1"):
        reduce([[1.0]])


def test_masks_that_vanish():
    mask = np.zeros((8, 10))
    mask[2, 2] = 1
    assert downsampled_mask(mask, 1).sum() == 1
    with pytest.raises(ValueError, match="no pixel of the mask is left after 2 levels; take fewer"):
        downsample(IMAGE, 3, mask=mask)


@pytest.mark.parametrize("boundary", ["reflect", None, 3])
def test_boundary_names(boundary):
    with pytest.raises(
        ValueError, match="boundary must be one of 'replicate', .*or a function; go"
    ):
        reduce(IMAGE, boundary=boundary)


@pytest.mark.parametrize(
    ("pixels", "weights", "message"),
    [
        (lambda n: np.zeros((n, 2)), lambda n: np.ones(n), "returns pixels of shape"),
        (lambda n: np.zeros((n, 1, 2)), lambda n: np.ones((n, 1)), "whole coordinates"),
        (lambda n: np.zeros((n, 1, 2), int), lambda n: np.full((n, 1), np.nan), "finite weights"),
        (lambda n: np.full((n, 1, 2), 9), lambda n: np.ones((n, 1)), "pixels outside the image"),
        (lambda n: np.zeros((n, 1, 2), int), lambda n: np.ones((n, 1)), "pixels outside the mask"),
    ],
)
def test_boundary_functions(pixels, weights, message):
    def rule(outside, shape, mask):
        return pixels(len(outside)), weights(len(outside))

    mask = np.ones((8, 10))
    mask[0, 0] = 0
    with pytest.raises(ValueError, match=message):
        reduce(IMAGE, mask=mask, boundary=rule)


@pytest.mark.parametrize("channel_axis", [3, -4, 1.0, True])
def test_channel_axis(channel_axis):
    with pytest.raises(ValueError, match="channel_axis must be an axis of the image, which has 3"):
        reduce(np.ones((4, 4, 3)), channel_axis=channel_axis)


def test_shapes_that_do_not_belong_together():
    with pytest.raises(ValueError, match=r"after 2 levels .* \(8, 10\) has shape \(2, 3\); got"):
        upsample(IMAGE, 2, (8, 10))
    with pytest.raises(ValueError, match="two or three dimensions.*got shape 8"):
        expand(IMAGE, 8)
    with pytest.raises(ValueError, match=r"two or three dimensions.*got shape \(15.5, 20\)"):
        expand(IMAGE, (15.5, 20))
    with pytest.raises(ValueError, match=r"takes images of shape \(8, 10\); got \(10, 8\)"):
        Reduction((8, 10)).forward(IMAGE.T)
    with pytest.raises(ValueError, match=r"takes images of shape \(4, 5\); got \(8, 10\)"):
        Reduction((8, 10)).adjoint(IMAGE)


def test_histograms():
    with pytest.raises(ValueError, match="histogram must be None, 'central' or an array; got 'equ"):
        correct_illumination(IMAGE, 1, histogram="equal")
    with pytest.raises(ValueError, match="histogram has 2 channels, but the image 3"):
        correct_illumination(np.ones((8, 8, 3)), 1, channel_axis=-1, histogram=np.ones((8, 8, 2)))
    mask = np.zeros((8, 10))
    mask[0] = 1
    with pytest.raises(ValueError, match="nothing of the central quarter; give values to match"):
        correct_illumination(IMAGE, 1, mask=mask, histogram="central")
    with pytest.raises(ValueError, match="the reference must hold finite numbers, and at least"):
        match_histogram(IMAGE, [])
    with pytest.raises(ValueError, match="the image must hold finite numbers"):
        match_histogram([np.nan], IMAGE)
