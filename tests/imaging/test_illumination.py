"""Vignetting, histograms and brain-sized volumes, at the sizes of the papers."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from benchmarks.imaging import brain_like_mask, change_at_border, cosine_fourth
from fewest.imaging import (
    correct_illumination,
    downsample,
    downsampled_mask,
    match_histogram,
    upsample,
)


@pytest.fixture(scope="module")
def corrected():
    image = cosine_fourth()
    names = ("replicate", "circular", "linear", "polynomial")
    return {name: correct_illumination(image, levels=5, boundary=name) for name in names}


def test_the_vignette_is_the_papers():
    image = cosine_fourth()
    assert image.shape == (1024, 1280)
    assert image.max() == pytest.approx(200, rel=1e-4)
    assert image[0, 0] == pytest.approx(
        200 * np.cos(np.arctan(np.hypot(18, 12) / 10)) ** 4, rel=0.01
    )


def test_less_than_a_grey_level_at_the_border(corrected):
    change = {name: change_at_border(image) for name, image in corrected.items()}
    assert change["linear"] < 1
    assert change["polynomial"] < change["linear"]
    assert min(change["replicate"], change["circular"]) > 2


def test_the_boundary_does_not_affect_the_centre(corrected):
    centre = (slice(256, -256), slice(256, -256))
    for image in corrected.values():
        np.testing.assert_allclose(image[centre], corrected["linear"][centre], atol=1e-6)


def test_the_low_frequencies_are_a_gaussian_filter(corrected):
    """Five reductions and expansions have the variance 2 (1 + 4 + 16 + 64 + 256) = 682."""
    image = cosine_fourth()
    centre = (slice(300, -300), slice(300, -300))
    low = image + image.mean() - corrected["polynomial"]
    smooth = gaussian_filter(image, np.sqrt(682))
    np.testing.assert_allclose(low[centre], smooth[centre], atol=0.05)


def test_masked_vignette():
    """A round picture, as fish-eye lenses leave it, is as flat at its rim as at a frame."""
    image = cosine_fourth(256, 256)
    y, x = np.indices(image.shape) - 127.5
    radius = np.hypot(x, y)
    mask = radius < 120
    spread = {}
    for name in ("replicate", "linear", "polynomial"):
        found = correct_illumination(image, 3, name, mask=mask)
        assert found[mask].mean() == pytest.approx(image[mask].mean(), rel=0.02)
        spread[name] = np.ptp(found[(radius < 119) & (radius > 100)])
    assert spread["linear"] < 0.5 * spread["replicate"]
    assert spread["polynomial"] < 0.5 * spread["replicate"]


def test_brain_sized_volume():
    mask = brain_like_mask()
    assert mask.sum() == 50_989
    counts = [downsampled_mask(mask, level).sum() for level in (1, 2, 3)]
    np.testing.assert_allclose(counts, (6_400, 790, 100), rtol=0.03)
    ramp = np.tensordot([1.0, -2.0, 0.5], np.indices(mask.shape), axes=1)
    for volume in (np.full(mask.shape, 7.0), ramp):
        down = downsample(volume, 3, mask=mask)
        expected = np.where(downsampled_mask(mask, 3), volume[::8, ::8, ::8], 0)
        np.testing.assert_allclose(down, expected, atol=1e-12)
        back = upsample(down, 3, mask.shape, mask=mask)
        np.testing.assert_allclose(back, np.where(mask, volume, 0), atol=1e-11)


def test_matched_histogram():
    rng = np.random.default_rng(0)
    image, reference = rng.random((30, 40)), rng.gamma(2.0, size=(30, 40))
    matched = match_histogram(image, reference)
    np.testing.assert_allclose(np.sort(matched.ravel()), np.sort(reference.ravel()))
    np.testing.assert_array_equal(np.argsort(matched, axis=None), np.argsort(image, axis=None))
    np.testing.assert_allclose(match_histogram(matched, matched), matched)
    levels = match_histogram(image > 0.5, [0, 1, 2, 3])
    assert len(np.unique(levels)) == 2  # equal values stay equal
    sizes = match_histogram(image, np.linspace(0, 1, 77))
    assert sizes.min() == 0
    assert sizes.max() == 1


def test_histogram_of_the_centre():
    rng = np.random.default_rng(0)
    texture = rng.normal([0, 20, 40], 10, (64, 80, 3))
    image = cosine_fourth(64, 80)[..., None] + texture
    plain = correct_illumination(image, 3, channel_axis=-1)
    found = correct_illumination(image, 3, channel_axis=-1, histogram="central")
    for channel in range(3):
        centre = image[16:48, 20:60, channel]
        expected = match_histogram(plain[..., channel], centre)
        np.testing.assert_allclose(found[..., channel], expected)
    given = correct_illumination(image, 3, channel_axis=-1, histogram=image[16:48, 20:60])
    np.testing.assert_array_equal(given, found)


def test_histogram_within_a_mask():
    mask = np.indices((40, 40)).sum(axis=0) < 50
    image = np.where(mask, np.random.default_rng(0).random((40, 40)), np.nan)
    found = correct_illumination(image, 2, mask=mask, histogram="central")
    centre = image[10:30, 10:30]
    assert not found[~mask].any()
    assert found[mask].max() == np.nanmax(centre)
    assert found[mask].min() == np.nanmin(centre)
