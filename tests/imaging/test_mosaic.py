"""Mosaics and their seams, beside indexing by hand and closed forms."""

import numpy as np
import pytest

from benchmarks.imaging import cosine_fourth
from fewest.imaging import correct_illumination, make_mosaic, measure_seams


@pytest.mark.parametrize(
    ("shape", "repeats", "channel_axis"),
    [
        ((5, 7), (2, 3), None),
        ((5, 7, 3), (2, 2), 2),
        ((3, 5, 7), (3, 1), 0),
        ((4, 5, 6), (1, 2, 2), None),
    ],
)
def test_every_pixel_is_that_of_the_image(shape, repeats, channel_axis):
    image = np.random.default_rng(0).normal(size=shape)
    mosaic = make_mosaic(image, repeats, channel_axis=channel_axis)
    counts = list(repeats)
    if channel_axis is not None:
        counts.insert(channel_axis, 1)
    assert mosaic.shape == tuple(np.array(shape) * counts)
    for place in np.random.default_rng(1).integers(0, mosaic.shape, size=(50, len(shape))):
        assert mosaic[tuple(place)] == image[tuple(place % shape)]


@pytest.mark.parametrize("width", [1, 3, 5])
def test_seams_in_the_mosaic_itself(width):
    """Lines around the seam of a real mosaic, against those next to them."""
    image = np.random.default_rng(2).normal(size=(20, 30))
    mosaic = make_mosaic(image)
    seam = mosaic[20 - width : 20 + width, :30].mean()
    beside = [mosaic[20 - 2 * width : 20 - width, :30], mosaic[20 + width : 20 + 2 * width, :30]]
    assert measure_seams(image, width=width)[0] == pytest.approx(seam - np.mean(beside))
    seam = mosaic[:20, 30 - width : 30 + width].mean()
    beside = [mosaic[:20, 30 - 2 * width : 30 - width], mosaic[:20, 30 + width : 30 + 2 * width]]
    assert measure_seams(image, width=width)[1] == pytest.approx(seam - np.mean(beside))


def test_closed_forms():
    ramp = np.arange(40.0)[:, None] + np.zeros(50)
    np.testing.assert_allclose(measure_seams(ramp), [0, 0], atol=1e-12)  # a step, but no line
    # |k - 19.5| falls by one per line on both sides: the seam is w brighter than what is beside it.
    roof = np.abs(ramp - 19.5)
    np.testing.assert_allclose(measure_seams(roof, width=6), [6, 0], atol=1e-12)
    colours = np.stack([roof, 3 * roof], axis=-1)
    np.testing.assert_allclose(
        measure_seams(colours, width=6, channel_axis=-1), [12, 0], atol=1e-12
    )


def test_only_extrapolation_hides_the_seams():
    """Klement's thesis, fig. 5.3: replicate leaves dark lines, polynomial does not."""
    texture = np.random.default_rng(3).normal(0, 10, size=(512, 640))
    image = 150 * (cosine_fourth(512, 640) / 200) ** 0.15 + texture
    seams = {
        boundary: np.abs(measure_seams(correct_illumination(image, 5, boundary))).max()
        for boundary in ("replicate", "polynomial")
    }
    raw = np.abs(measure_seams(image)).max()
    assert raw > seams["replicate"] > 5 * seams["polynomial"]


def test_messages():
    image = np.zeros((16, 16))
    for repeats in ((2,), (0, 2), (1.5, 2), 2):
        with pytest.raises(ValueError, match="repeats must be 2 whole numbers of at least 1"):
            make_mosaic(image, repeats)
    for width in (0, 5, 2.0, True):
        with pytest.raises(ValueError, match="width must be a whole number from 1 to a quarter"):
            measure_seams(image, width=width)
