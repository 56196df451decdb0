"""Voxels that enough folds or pairs agree on, beside counting by hand and random maps."""

import itertools

import nibabel
import numpy as np
import pytest
from nilearn.maskers import NiftiMasker

from fewest import RepetitiveSelector, SupportFeatureMachine
from fewest.datasets import make_brain
from fewest.informative import informative_features
from fewest.neuro import FewestVoxels, make_map_image
from fewest.neuro.analyses import find_consensus, join_consensus


@pytest.fixture(scope="module")
def maps():
    return make_brain(6, 3, n_voxels=300, strength=2.0, informative=0.2, random_state=0)


@pytest.fixture(scope="module")
def found(maps):
    return informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)


def by_hand(maps, count):
    """How many folds have each voxel in their smallest subsets, without the package's own folds."""
    counts = np.zeros(maps.X.shape[1], dtype=int)
    for group in np.unique(maps.groups):
        rows = maps.groups != group
        machine = RepetitiveSelector(SupportFeatureMachine(C=np.inf, refit=None))
        subsets = machine.fit(maps.X[rows], maps.y[rows]).subsets_
        order = [voxel for subset in sorted(subsets, key=len) for voxel in subset]
        counts[order[:count]] += 1
    return counts


@pytest.mark.parametrize(("least", "needed"), [(0.5, 3), (4, 4), (0.51, 4), (1.0, 6), (1, 1)])
def test_counts_folds(maps, found, least, needed):
    consensus = find_consensus(found, share=0.05, min_folds=least)
    counts = by_hand(maps, 15)
    np.testing.assert_array_equal(consensus.counts, counts)
    np.testing.assert_array_equal(consensus.voxels, counts >= needed)
    assert (consensus.needed, consensus.n_maps) == (needed, 6)
    assert consensus.n_voxels == np.sum(counts >= needed)


def test_planted_voxels_are_agreed_on(maps, found):
    consensus = find_consensus(found, share=0.05)
    assert consensus.n_voxels > 5 * consensus.expected
    assert maps.informative[consensus.voxels].mean() > 4 * maps.informative.mean()


def test_expected_of_random_maps():
    rng = np.random.default_rng(0)
    sizes = [10, 30, 50, 20]
    agreed = []
    for _ in range(2000):
        rows = np.zeros((4, 100))
        for row, size in zip(rows, sizes, strict=True):
            row[rng.choice(100, size, replace=False)] = 1
        joined = join_consensus(list(rows), min_maps=2)
        agreed.append(joined.n_voxels)
    error = np.std(agreed) / np.sqrt(len(agreed))
    assert joined.expected == pytest.approx(np.mean(agreed), abs=4 * error)
    # The same by all sixteen memberships of one voxel.
    exact = sum(
        np.prod(np.where(who, [0.1, 0.3, 0.5, 0.2], [0.9, 0.7, 0.5, 0.8]))
        for who in itertools.product([0, 1], repeat=4)
        if sum(who) >= 2
    )
    assert joined.expected == pytest.approx(100 * exact)


def test_pairs_of_conditions(found):
    parts = [find_consensus(found, share=share) for share in (0.05, 0.1, 0.2)]
    joined = join_consensus(parts, min_maps=2)
    total = sum(part.voxels.astype(int) for part in parts)
    np.testing.assert_array_equal(joined.voxels, total >= 2)
    np.testing.assert_array_equal(joined.counts, total)


def test_map_and_image(maps, found):
    consensus = find_consensus(found, share=0.05)
    np.testing.assert_array_equal(consensus.map > 0, consensus.voxels)
    assert set(np.unique(consensus.map)) <= {0, 3, 4, 5, 6}
    mask = nibabel.Nifti1Image(maps.mask.astype(np.int8), np.diag([3.0, 3.0, 3.0, 1.0]))
    image = make_map_image(consensus.map, mask)
    masker = NiftiMasker(mask, standardize=None, reports=False).fit()
    np.testing.assert_array_equal(masker.transform(image).ravel(), consensus.map)
    np.testing.assert_array_equal(image.affine, mask.affine)
    assert not image.get_fdata()[~maps.mask].any()
    both = make_map_image([consensus.voxels, ~consensus.voxels], mask)
    np.testing.assert_array_equal(both.get_fdata().sum(axis=-1), maps.mask)
    with pytest.raises(ValueError, match=r"shape \(3,\), but the mask has 300 voxels"):
        make_map_image([1, 2, 3], mask)


@pytest.mark.parametrize("downsample", [0, 1])
def test_map_of_a_decoder(scans, downsample):
    decoder = FewestVoxels(
        SupportFeatureMachine(C=np.inf),
        mask=scans.mask,
        downsample=downsample,
        cv=0,
        n_subsets=0,
        informative={"probe": None},
    ).fit(scans.images, scans.y, groups=scans.groups)
    image = decoder.find_consensus(0.1)
    consensus = find_consensus(decoder.informative_, share=0.1)
    values = image.get_fdata()
    assert image.shape == scans.mask.shape
    assert set(np.unique(values)) == {0, *consensus.counts[consensus.voxels].tolist()}
    if not downsample:
        np.testing.assert_array_equal(values[scans.brain.mask], consensus.map)


def test_decoder_without_repetitions_in_folds(scans):
    decoder = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0).fit(scans.images, scans.y)
    with pytest.raises(ValueError, match="fit the decoder with informative="):
        decoder.find_consensus()


def test_messages(maps, found):
    short = informative_features(
        RepetitiveSelector(n_subsets=2), maps.X, maps.y, groups=maps.groups, probe=None
    )
    with pytest.raises(ValueError, match=r"first 150 voxels, but fold 0 found only \d+ of 300"):
        find_consensus(short, share=0.5)
    for least in (0, 7, 1.5, -0.1, True, "half"):
        with pytest.raises(ValueError, match="min_folds must be a whole number from 1 to 6"):
            find_consensus(found, share=0.05, min_folds=least)
    with pytest.raises(ValueError, match="there are no maps to join"):
        join_consensus([])
    with pytest.raises(ValueError, match="give one value per voxel"):
        join_consensus([[1, 0], [1, 0, 1]])
