"""The artificial brain: layout, noise, and truth."""

import numpy as np
import pytest

from fewest.datasets import make_brain


def test_layout_of_the_paper():
    maps = make_brain(n_voxels=700, random_state=0)
    assert maps.X.shape == (96, 700)
    for participant in range(12):
        for run in range(4):
            rows = (maps.groups == participant) & (maps.runs == run)
            assert sorted(maps.y[rows]) == [-1, 1]
    assert maps.mask.sum() == 700
    assert np.array_equal(maps.informative, maps.effect != 0)


@pytest.mark.parametrize("n_voxels", [1, 30, 1234, 50_989])
def test_the_ellipsoid_has_exactly_the_voxels_asked_for(n_voxels):
    mask = make_brain(1, 1, n_voxels=n_voxels, smoothness=0, random_state=0).mask
    assert mask.sum() == n_voxels
    for axis in range(3):  # no empty margin
        others = tuple(other for other in range(3) if other != axis)
        used = mask.any(axis=others)
        assert used[0]
        assert used[-1]


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.6, 1.0])
def test_the_fraction_of_informative_voxels_is_exact(fraction):
    maps = make_brain(2, 1, n_voxels=500, informative=fraction, random_state=1)
    assert maps.informative.sum() == round(500 * fraction)


def test_active_regions_hang_together():
    maps = make_brain(1, 1, n_voxels=4000, informative=0.2, random_state=0)
    grid = np.zeros(maps.mask.shape, dtype=bool)
    grid[maps.mask] = maps.informative
    neighbours = sum(np.roll(grid, step, axis) for axis in range(3) for step in (-1, 1))
    assert neighbours[grid].mean() > 4  # of 6; by chance it would be 1.2


def test_noise_and_effect_have_the_size_they_should():
    maps = make_brain(
        40, 5, n_voxels=2000, strength=0.7, smoothness=1.0, participant_sd=2.0, random_state=0
    )
    plus, minus = maps.X[maps.y > 0], maps.X[maps.y < 0]
    difference = plus - minus  # the anatomy cancels
    assert difference.mean(axis=0)[maps.effect > 0].mean() == pytest.approx(0.7, abs=0.05)
    assert difference.mean(axis=0)[maps.effect < 0].mean() == pytest.approx(-0.7, abs=0.05)
    assert (difference - maps.effect).std() / np.sqrt(2) == pytest.approx(1.0, abs=0.03)
    anatomy = np.array([maps.X[maps.groups == p].mean(axis=0) for p in range(40)])
    assert anatomy.std(axis=0).mean() == pytest.approx(2.0, abs=0.25)


def test_neighbours_are_alike_only_where_noise_is_smooth():
    def neighbour_correlation(smoothness):
        maps = make_brain(60, 1, n_voxels=300, informative=0, smoothness=smoothness, random_state=0)
        grid = np.full((*maps.mask.shape, len(maps.X)), np.nan)
        grid[maps.mask] = maps.X.T
        pairs = np.stack([grid[1:], grid[:-1]])
        pairs = pairs[:, ~np.isnan(pairs).any(axis=(0, -1))]
        return np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(*pairs, strict=True)])

    assert neighbour_correlation(0.0) == pytest.approx(0.0, abs=0.05)
    # Two Gaussians of width s that are one voxel apart overlap by exp(-1 / (4 s^2)).
    assert neighbour_correlation(1.5) == pytest.approx(np.exp(-1 / 9), abs=0.05)


def test_a_given_mask_and_seeds():
    mask = np.zeros((5, 6, 7))
    mask[1:4, 2:5, :] = 1
    maps = make_brain(2, 2, mask=mask, random_state=4)
    assert maps.X.shape == (8, 63)
    assert np.array_equal(maps.mask, mask > 0)
    again = make_brain(2, 2, mask=mask, random_state=4)
    assert np.array_equal(maps.X, again.X)
    assert not np.array_equal(maps.X, make_brain(2, 2, mask=mask, random_state=5).X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_participants": 0}, "n_participants must be an integer of at least 1"),
        ({"n_runs": 1.5}, "n_runs must be an integer"),
        ({"n_voxels": 0}, "n_voxels must be an integer of at least 1"),
        ({"informative": 1.2}, "informative must be a number between 0 and 1"),
        ({"strength": -1}, "strength must be a number at least 0"),
        ({"smoothness": np.inf}, "smoothness must be a number"),
        ({"mask": np.ones((3, 3))}, "mask must have three dimensions, not 2"),
        ({"mask": np.zeros((3, 3, 3))}, "mask has no voxel"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_brain(**parameters)
