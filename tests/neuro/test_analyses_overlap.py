"""The overlap of two maps, against counting and against scipy's distributions."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from fewest.neuro.analyses import map_overlap


def test_p_value_is_the_share_of_all_maps_with_such_an_overlap():
    """All 70 maps of 4 voxels out of 8 are compared with one of 3."""
    first = np.zeros(8)
    first[[0, 2, 5]] = 1
    common = [len({0, 2, 5} & set(chosen)) for chosen in combinations(range(8), 4)]
    for n_both, second in ((0, [1, 3, 4, 6]), (1, [0, 1, 3, 4]), (3, [0, 2, 5, 7])):
        other = np.zeros(8)
        other[second] = -2.5  # any value but zero
        found = map_overlap(first, other)
        assert (found.n_voxels, found.n_first, found.n_second) == (8, 3, 4)
        assert found.n_both == n_both
        assert found.p_value == pytest.approx(np.mean(np.array(common) >= n_both))
        assert found.expected == pytest.approx(np.mean(common))
        assert found.dice == pytest.approx(2 * n_both / 7)


def test_p_value_is_fishers():
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 20, 10, 5)) < [[[[0.1]]], [[[0.2]]]]
    mask = rng.random((20, 10, 5)) < 0.7
    found = map_overlap(first, second, mask)
    one, other = first[mask], second[mask]
    table = [
        [np.sum(one & other), np.sum(one & ~other)],
        [np.sum(~one & other), np.sum(~one & ~other)],
    ]
    assert found.n_voxels == mask.sum()
    assert found.p_value == pytest.approx(stats.fisher_exact(table, alternative="greater").pvalue)


def test_text_empty_maps_and_messages():
    found = map_overlap(np.zeros(5), np.zeros(5))
    assert (found.n_both, found.dice, found.p_value) == (0, 0.0, 1.0)
    assert "expected by chance   0.0" in str(found)
    with pytest.raises(ValueError, match=r"shapes \(5,\) and \(4,\): resample one of them"):
        map_overlap(np.zeros(5), np.zeros(4))
    with pytest.raises(ValueError, match=r"mask has shape \(3,\), but the maps have \(5,\)"):
        map_overlap(np.zeros(5), np.zeros(5), np.ones(3))
    with pytest.raises(ValueError, match="the mask holds no voxel"):
        map_overlap(np.zeros(5), np.zeros(5), np.zeros(5))
    with pytest.raises(ValueError, match="the second map holds NaN"):
        map_overlap(np.zeros(2), np.array([1.0, np.nan]))
