"""Pairs of conditions at each level of a pyramid."""

import numpy as np
import pytest

from fewest.datasets import make_brain
from fewest.imaging import downsample, downsampled_mask
from fewest.neuro.analyses import all_pairs, resolutions


@pytest.fixture(scope="module")
def maps():
    return make_brain(4, 3, n_voxels=900, strength=2.0, random_state=0)


def test_levels_are_the_analyses_of_downsampled_volumes(maps):
    found = resolutions(None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=2)
    for level in range(3):
        mask = downsampled_mask(maps.mask, level) if level else maps.mask
        X = []
        for row in maps.X:  # one volume after the other
            volume = np.zeros(maps.mask.shape)
            volume[maps.mask] = row
            X.append((downsample(volume, level, maps.mask) if level else volume)[mask])
        plain = all_pairs(None, np.array(X), maps.y, groups=maps.groups)
        one = found.levels[level]
        assert (one.level, one.n_voxels) == (level, mask.sum())
        np.testing.assert_array_equal(one.mask, mask)
        np.testing.assert_allclose(one.found.errors(), plain.errors())
        np.testing.assert_allclose(one.found.features(), plain.features())


def test_smoothed_volumes_are_subsampled_first(maps):
    found = resolutions(
        None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=2, already_smooth=True
    )
    first = downsampled_mask(maps.mask, 1)
    volumes = np.zeros((len(maps.X), *maps.mask.shape))
    volumes[:, maps.mask] = maps.X
    small = volumes[:, ::2, ::2, ::2]
    plain = all_pairs(None, small[:, first], maps.y, groups=maps.groups)
    np.testing.assert_allclose(found.levels[1].found.errors(), plain.errors())
    second = downsampled_mask(maps.mask, 2)
    lower = np.array([downsample(one * first, 1, first)[second] for one in small])
    plain = all_pairs(None, lower, maps.y, groups=maps.groups)
    np.testing.assert_allclose(found.levels[2].found.errors(), plain.errors())
    np.testing.assert_allclose(found.levels[2].found.features(), plain.features())


def test_whole_volumes_and_slices(maps):
    volumes = np.zeros((len(maps.X), *maps.mask.shape))
    volumes[:, maps.mask] = maps.X
    whole = resolutions(None, volumes, maps.y, maps.mask, groups=maps.groups, n_levels=1)
    rows = resolutions(None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=1)
    np.testing.assert_allclose(whole.levels[1].found.errors(), rows.levels[1].found.errors())
    rng = np.random.default_rng(0)
    mask = np.ones((12, 10, 1), dtype=bool)
    mask[0, 0] = False
    flat = resolutions(
        None,
        rng.standard_normal((24, 119)),
        np.tile([0, 1], 12),
        mask,
        groups=np.repeat([0, 1, 2], 8),
        n_levels=1,
    )
    assert flat.levels[1].n_voxels == 29


def test_table_and_messages(maps):
    lines = str(
        resolutions(None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=1)
    ).splitlines()
    assert lines[0].split() == ["features", "/", "error", "level", "0", "level", "1"]
    assert lines[1].split()[:2] == ["voxels", "900"]
    assert lines[2].strip().startswith("-1 vs. 1")
    with pytest.raises(ValueError, match=r"X of shape \(24, 5\) does not fit the mask"):
        resolutions(None, maps.X[:, :5], maps.y, maps.mask, groups=maps.groups)
    with pytest.raises(ValueError, match="the mask is empty: no pixel is inside"):
        resolutions(None, maps.X, maps.y, np.zeros_like(maps.mask), groups=maps.groups)
    with pytest.raises(ValueError, match="levels must be a whole number of at least 0; got -1"):
        resolutions(None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=-1)
    corner = np.zeros((4, 4, 4), dtype=bool)
    corner[1] = True
    with pytest.raises(ValueError, match="is left after 1 levels; take fewer levels"):
        resolutions(None, maps.X[:, :16], maps.y, corner, groups=maps.groups, n_levels=1)
