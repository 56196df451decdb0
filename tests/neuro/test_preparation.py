"""What nilearn's parameters do to volumes: the same as its masker, run by run."""

import warnings

import nibabel
import numpy as np
import pandas as pd
import pytest
from nilearn.image import concat_imgs, index_img
from nilearn.maskers import NiftiMasker

from fewest.neuro import FewestVoxels, label_volumes
from fewest.neuro._images import find_t_r
from fewest.neuro._labelled import find_blocks
from tests.neuro.series import AFFINE, MASK, N_VOLUMES, T_R, make_events, make_run

SETTINGS = {"detrend": True, "high_pass": 0.01, "standardize": "zscore_sample"}


@pytest.fixture(scope="module")
def labels():
    return label_volumes([make_events()] * 3, [N_VOLUMES] * 3, t_r=T_R)


@pytest.fixture(scope="module")
def runs(labels):
    return [make_run(seed, labels.y[labels.runs == seed + 1]) for seed in range(3)]


@pytest.fixture(scope="module")
def confounds():
    return np.random.default_rng(7).normal(size=(3 * N_VOLUMES, 2))


def decoder(**parameters):
    return FewestVoxels(**{"mask": MASK, "cv": 0, "n_subsets": 0, **parameters})


def masked(runs, confounds=None, **settings):
    """Every run by itself, by hand."""
    settings = {"standardize": None, "t_r": T_R} | settings
    masker = NiftiMasker(MASK, reports=False, **settings).fit()
    parts = [None] * 3 if confounds is None else np.split(confounds, 3)
    return np.concatenate(
        [masker.transform(run, confounds=part) for run, part in zip(runs, parts, strict=True)]
    )


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        {"standardize": "psc"},
        {"standardize": True},
        {"low_pass": 0.1},
        {"detrend": True},
    ],
    ids=str,
)
def test_same_as_nilearn_s_masker_run_by_run(runs, labels, settings):
    fitted = decoder(**settings).fit(runs, labels.y, groups=labels.runs)
    used = labels.blocks > 0
    by_hand = dict(settings)
    if settings.get("standardize") is True:
        by_hand["standardize"] = "zscore_sample"
    np.testing.assert_array_equal(fitted._volumes.X, masked(runs, **by_hand)[used])
    assert set(fitted._volumes.y) == {"face", "house"}
    np.testing.assert_array_equal(fitted._volumes.groups, labels.runs[used])


def test_confounds_are_taken_out_run_by_run(runs, labels, confounds, tmp_path):
    used = labels.blocks > 0
    expected = masked(runs, confounds, detrend=True)[used]
    given = decoder(detrend=True).fit(runs, labels.y, groups=labels.runs, confounds=confounds)
    np.testing.assert_array_equal(given._volumes.X, expected)
    files = []
    for number, part in enumerate(np.split(confounds, 3)):
        files.append(tmp_path / f"run{number}.tsv")
        pd.DataFrame(part, columns=["x", "y"]).to_csv(files[-1], sep="\t", index=False)
    read = decoder(detrend=True).fit(runs, labels.y, groups=labels.runs, confounds=files)
    np.testing.assert_allclose(read._volumes.X, expected, atol=1e-6)
    with pytest.warns(UserWarning, match="fitted with confounds taken out"):
        read.predict(runs[0])


def test_runs_may_be_mixed(runs, labels):
    order = np.random.default_rng(0).permutation(3 * N_VOLUMES)
    order = order[np.argsort(order % N_VOLUMES, kind="stable")]  # in time, of runs in turns
    mixed = index_img(concat_imgs(runs), order)
    one = decoder(**SETTINGS, t_r=T_R).fit(mixed, labels.y[order], groups=labels.runs[order])
    two = decoder(**SETTINGS).fit(runs, labels.y, groups=labels.runs)
    place = np.flatnonzero(labels.blocks[order] > 0)
    everywhere = np.full((3 * N_VOLUMES, one.n_features_), np.nan)
    everywhere[order[place]] = one._volumes.X
    np.testing.assert_allclose(everywhere[labels.blocks > 0], two._volumes.X, atol=1e-4)


def test_volumes_without_a_label_count_for_means_only_where_these_are_asked_for(runs, labels):
    used = labels.blocks > 0
    images = concat_imgs(runs)
    dropped = decoder().fit(index_img(images, used), labels.y[used].astype(str))
    given = decoder().fit(images, labels.y)
    np.testing.assert_array_equal(given.estimator_.coef_, dropped.estimator_.coef_)
    assert given.classes_.dtype.kind == "U"
    numbers = np.where(used, np.where(labels.y == "house", 1.0, 0.0), np.nan)
    assert decoder().fit(images, numbers).classes_.tolist() == [0, 1]


def test_groups_of_the_volumes_that_are_used(runs, labels):
    """standardize="groups" looks at them alone, "zscore_sample" at the whole run."""
    used = labels.blocks > 0
    one = decoder(standardize="groups").fit(runs, labels.y, groups=labels.runs)
    X = masked(runs)[used]
    for run in (1, 2, 3):
        rows = labels.runs[used] == run
        X[rows] = (X[rows] - X[rows].mean(axis=0)) / X[rows].std(axis=0, ddof=1)
    np.testing.assert_allclose(one._volumes.X, X, atol=1e-6)


def test_a_masker_keeps_its_settings(runs, labels):
    masker = NiftiMasker(MASK, detrend=True, standardize=None, reports=False)
    one = decoder(mask=masker).fit(runs, labels.y, groups=labels.runs)
    two = decoder(detrend=True).fit(runs, labels.y, groups=labels.runs)
    np.testing.assert_array_equal(one._volumes.X, two._volumes.X)
    both = decoder(mask=masker, standardize="psc").fit(runs, labels.y, groups=labels.runs)
    np.testing.assert_array_equal(
        both._volumes.X, masked(runs, detrend=True, standardize="psc")[labels.blocks > 0]
    )


@pytest.mark.parametrize(("unit", "step"), [("sec", 2.0), ("msec", 2000.0), ("usec", 2e6)])
def test_time_of_a_volume_from_the_header(labels, unit, step, tmp_path):
    run = make_run(0, labels.y[:N_VOLUMES], t_r=step, unit=unit)
    nibabel.save(run, tmp_path / "run.nii.gz")
    assert find_t_r(run) == find_t_r(tmp_path / "run.nii.gz") == find_t_r([run]) == 2.0


def test_header_that_does_not_say(runs, labels):
    bare = nibabel.Nifti1Image(runs[0].get_fdata(), AFFINE)  # has a step of 1, without a unit
    assert find_t_r(bare) is None
    assert find_t_r(index_img(runs[0], 0)) is None
    with pytest.raises(ValueError, match="high_pass and low_pass need t_r"):
        decoder(high_pass=0.01).fit(bare, labels.y[:N_VOLUMES])
    given = decoder(high_pass=0.01, t_r=2.0).fit(bare, labels.y[:N_VOLUMES])
    assert given.masker_.t_r == 2.0
    with pytest.raises(ValueError, match="have 3 s from one volume to the next .* fit 2 s"):
        given.predict(make_run(0, labels.y[:N_VOLUMES], t_r=3.0))


def test_what_nilearn_refuses_is_said(runs, labels):
    def refused(message, n_volumes=N_VOLUMES, **parameters):
        with pytest.raises((ValueError, TypeError), match=message):
            decoder(**parameters).fit(index_img(runs[0], slice(n_volumes)), labels.y[:n_volumes])

    refused("greater than padlen", n_volumes=12, high_pass=0.01, t_r=2.0)
    refused("High pass cutoff .* is greater than", high_pass=0.1, low_pass=0.01, t_r=2.0)
    refused("'detrend' must be of type", detrend="yes")
    refused("mask_strategy must be one of 'background', 'epi'", mask=None, mask_strategy="brain")
    refused("standardize must be one of", standardize="zscore")
    refused("high_pass must be a positive number", high_pass=-1, t_r=2.0)


def test_one_volume_cannot_be_standardized(runs, labels):
    fitted = decoder(standardize="zscore_sample").fit(runs, labels.y, groups=labels.runs)
    with pytest.raises(ValueError, match="has a single volume"):
        fitted.predict(index_img(runs[0], slice(1)))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((5, 2)), "the confounds have 5 rows, but the images have 40 volumes"),
        (np.full((40, 2), np.nan), "cells that are no numbers in 0, 1"),
        (pd.DataFrame({"a": ["x"] * 40}), "cells that are no numbers in a"),
        ([np.ones((20, 2)), np.ones((20, 3))], "different numbers of columns"),
    ],
)
def test_confounds_that_cannot_be_used(runs, labels, table, message):
    with pytest.raises(ValueError, match=message):
        decoder().fit(runs[0], labels.y[:N_VOLUMES], confounds=table)


def test_mask_strategy_is_nilearn_s(labels):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(12, 12, 12, 8))
    data[3:9, 3:9, 3:9] += 100.0
    images = nibabel.Nifti1Image(data, AFFINE)
    expected = NiftiMasker(mask_strategy="epi", standardize=None, reports=False).fit(images)
    fitted = decoder(mask=None, mask_strategy="epi").fit(images, ["a", "b"] * 4)
    np.testing.assert_array_equal(fitted.mask_img_.get_fdata(), expected.mask_img_.get_fdata())


def test_missing_groups_are_warned_of(runs, labels):
    with pytest.warns(UserWarning, match="neighbours in time are alike, .* too optimistic"):
        decoder(cv=3).fit(runs, labels.y)
    for settings, groups in (({"cv": 0}, None), ({"cv": None}, labels.runs)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            decoder(**settings).fit(runs, labels.y, groups=groups)


def test_consecutive_volumes_are_blocks(runs, labels):
    y = np.array(["a", "a", None, "a", "b", "b"], dtype=object)
    assert find_blocks(y).tolist() == [0, 0, 1, 2, 3, 3]
    assert find_blocks(y, np.array([1, 2, 2, 2, 2, 2])).tolist() == [0, 1, 2, 3, 4, 4]
    fitted = decoder().fit(runs, labels.y, groups=labels.runs, blocks="consecutive")
    assert len(np.unique(fitted._volumes.blocks)) == 18
    with pytest.raises(ValueError, match="blocks must name the block of every volume"):
        decoder().fit(runs, labels.y, blocks="events")
    with pytest.raises(ValueError, match="blocks has 3 values"):
        decoder().fit(runs, labels.y, blocks=[1, 2, 3])
