"""Repetitive selection for pairs, one-vs-all, times and levels, beside the same by hand."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest import RepetitiveSelector, SupportFeatureMachine
from fewest.datasets import make_brain
from fewest.exceptions import NotSeparableError
from fewest.imaging import downsample, downsampled_mask
from fewest.neuro.analyses import (
    average_rest,
    find_consensus,
    map_overlap,
    repeat_one_vs_all,
    repeat_pairs,
    repeat_resolutions,
    repeat_time_slices,
)
from fewest.neuro.pictures import plot_repeated


@pytest.fixture(scope="module")
def strong(trials):
    """The trials, with joy in 40 of 150 voxels."""
    X = trials.X.copy()
    X[trials.y == "joy", 3:40] += 1.5
    return X


@pytest.fixture(scope="module")
def maps():
    return make_brain(4, 4, n_voxels=900, strength=2.0, informative=0.3, random_state=0)


def subsets_by_hand(X, y, groups):
    """The subsets of every fold, in order of size."""
    found = []
    for group in np.unique(groups):
        rows = groups != group
        machine = SupportFeatureMachine(C=np.inf, refit=None)
        subsets = RepetitiveSelector(machine).fit(X[rows], y[rows]).subsets_
        found.append(sorted((subset.tolist() for subset in subsets), key=len))
    return found


def subsets_of(part):
    return [[subset.tolist() for subset in fold.subsets] for fold in part.found.folds]


def test_pairs(trials, strong):
    found = repeat_pairs(None, strong, trials.y, groups=trials.groups, probe=None)
    assert [part.name for part in found.parts] == [
        "anger vs. fear",
        "anger vs. joy",
        "fear vs. joy",
    ]
    pair = np.isin(trials.y, ["fear", "joy"])
    expected = subsets_by_hand(strong[pair], trials.y[pair], trials.groups[pair])
    assert subsets_of(found.parts[2]) == expected
    sizes = [[len(subset) for subset in fold] for fold in expected]
    assert found.parts[2].smallest == np.mean([min(fold) for fold in sizes])
    assert found.parts[2].largest == np.mean([max(fold) for fold in sizes])
    chosen = repeat_pairs(
        None, strong, trials.y, groups=trials.groups, probe=None, conditions=["joy", "fear"]
    )
    assert [part.name for part in chosen.parts] == ["joy vs. fear"]
    assert np.isnan(chosen.parts[0].informative)


def test_one_vs_all(trials, strong):
    found = repeat_one_vs_all(
        None,
        strong,
        trials.y,
        groups=trials.groups,
        blocks=trials.runs,
        conditions=["joy", "fear"],
        probe=None,
    )
    assert [part.name for part in found.parts] == ["joy vs. all others", "fear vs. all others"]
    for part, condition in zip(found.parts, ("joy", "fear"), strict=True):
        X, is_condition, groups = average_rest(
            strong, trials.y, condition, groups=trials.groups, blocks=trials.runs
        )
        assert subsets_of(part) == subsets_by_hand(X, is_condition, groups)


def test_the_planted_time_carries_information(trials, strong):
    noise = np.random.default_rng(3).standard_normal(strong.shape)
    whole = repeat_pairs(
        None, strong, trials.y, groups=trials.groups, conditions=["joy", "fear"], probe=None
    ).parts[0]
    found = repeat_time_slices(
        None,
        np.stack([noise, strong], axis=1),
        trials.y,
        groups=trials.groups,
        times=["-2 s", "6 s"],
        conditions=["joy", "fear"],
        every=2,
    )
    before, during = found.parts
    assert (before.place, during.place) == ("-2 s", "6 s")
    assert subsets_of(during) == subsets_of(whole)
    assert during.informative > before.informative
    assert during.found.probe_error[0] < 0.2 < before.found.probe_error[0]
    assert before.found.band is None  # nobody has asked for permutations
    reference = whole.find_consensus(0.1).voxels
    overlaps = found.compare_maps(reference, 0.1)
    assert overlaps[1].n_both == overlaps[1].n_first == reference.sum()
    by_hand = map_overlap(find_consensus(before.found, share=0.1).voxels, reference)
    assert overlaps[0] == by_hand
    assert overlaps[0].n_both < 0.5 * overlaps[1].n_both
    table = str(found).splitlines()
    assert table[0].split("  ")[-1].strip() == "informative"
    assert table[2].split()[3:6] == ["6", "s", "150"]


def test_levels_of_a_pyramid(maps):
    found = repeat_resolutions(
        None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=1, probe=None
    )
    assert [part.place for part in found.parts] == [0, 1]
    small = downsampled_mask(maps.mask, 1)
    X = []
    for row in maps.X:
        volume = np.zeros(maps.mask.shape)
        volume[maps.mask] = row
        X.append(downsample(volume, 1, maps.mask)[small])
    assert subsets_of(found.parts[1]) == subsets_by_hand(np.array(X), maps.y, maps.groups)
    # A coarse voxel of the map covers the voxels of the mask that are nearest to it.
    coarse = find_consensus(found.parts[1].found, share=0.1)
    fine = found.parts[1].find_consensus(0.1)
    volume = np.zeros(maps.mask.shape, dtype=int)
    volume[maps.mask] = fine.map
    at_coarse = volume[::2, ::2, ::2][small]
    np.testing.assert_array_equal(at_coarse, coarse.map)
    share = fine.n_voxels / len(fine.counts)
    assert share == pytest.approx(coarse.n_voxels / len(coarse.counts), rel=0.3)
    levels = [part.find_consensus(0.1).voxels for part in found.parts]
    assert map_overlap(*levels).p_value < 1e-3


def test_checkpoints_of_parts_are_kept_apart(trials, strong, tmp_path):
    how = {"groups": trials.groups, "probe": None, "checkpoint": tmp_path}
    first = repeat_pairs(None, strong, trials.y, **how)
    folders = sorted(path.name for path in tmp_path.iterdir())
    assert folders == ["part-000", "part-001", "part-002"]
    again = repeat_pairs(None, strong, trials.y, **how)
    assert [subsets_of(part) for part in again.parts] == [subsets_of(part) for part in first.parts]


def test_no_separation_says_where(trials):
    with pytest.raises(NotSeparableError, match=r"anger and fear at time 1: class"):
        repeat_time_slices(
            None, [trials.X, trials.X[:, 20:22]], trials.y, groups=trials.groups, probe=None
        )


def test_curves(trials, strong):
    found = repeat_pairs(None, strong, trials.y, groups=trials.groups, every=4)
    ax = plot_repeated(found, "probe_error", ax=Figure().subplots())
    assert len(ax.lines) == 2 * 3 + 1  # a sigmoid each, and chance
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), found.parts[0].found.probe_error)
    sizes = plot_repeated(found, ax=Figure().subplots())
    np.testing.assert_array_equal(sizes.lines[2].get_ydata(), found.parts[2].found.sizes)
    np.testing.assert_array_equal(sizes.lines[2].get_xdata(), 100 * found.parts[2].found.fraction)
    without = repeat_pairs(None, strong, trials.y, groups=trials.groups, probe=None)
    with pytest.raises(ValueError, match="there is no probe error to draw"):
        plot_repeated(without, "probe_error", ax=Figure().subplots())
    with pytest.raises(ValueError, match="what must be"):
        plot_repeated(without, "speed", ax=Figure().subplots())


def test_labels_of_levels_and_several_pairs(trials, strong):
    found = repeat_time_slices(None, [strong], trials.y, groups=trials.groups, probe=None)
    labels = plot_repeated(found, ax=Figure().subplots()).get_legend_handles_labels()[1]
    assert labels == ["anger vs. fear, 0", "anger vs. joy, 0", "fear vs. joy, 0"]
