"""t-maps against scipy, overlap by hand, random subsets against scikit-learn."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fewest.datasets import make_brain
from fewest.informative import (
    TMap,
    informative_features,
    informative_share,
    overlap_curve,
    overlap_table,
    random_subset_errors,
    t_map,
)
from fewest.informative._univariate import choose_kind


@pytest.fixture(scope="module")
def maps():
    return make_brain(5, 3, n_voxels=150, informative=0.3, strength=1.5, random_state=0)


def _averages(maps, sign):
    return np.array(
        [
            maps.X[(maps.groups == group) & (maps.y == sign)].mean(axis=0)
            for group in np.unique(maps.groups)
        ]
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.float32])
def test_paired_map_is_that_of_scipy(maps, form):
    found = t_map(form(maps.X), maps.y, groups=maps.groups)
    expected = stats.ttest_rel(_averages(maps, 1), _averages(maps, -1))
    np.testing.assert_allclose(found.t, expected.statistic, rtol=1e-4)
    np.testing.assert_allclose(found.p_value, expected.pvalue, rtol=1e-3)
    assert (found.kind, found.degrees_of_freedom) == ("paired", 4)


def test_paired_map_of_unequal_numbers(maps):
    keep = np.ones(30, dtype=bool)
    keep[[0, 7, 12]] = False
    found = t_map(maps.X[keep], maps.y[keep], groups=maps.groups[keep])
    averages = [
        [
            maps.X[keep & (maps.groups == group) & (maps.y == sign)].mean(axis=0)
            for group in range(5)
        ]
        for sign in (1, -1)
    ]
    np.testing.assert_allclose(found.t, stats.ttest_rel(*averages).statistic)


@pytest.mark.parametrize("groups", [False, True])
def test_two_sample_map_is_that_of_scipy(maps, groups):
    found = t_map(maps.X, maps.y, groups=maps.groups if groups else None, kind="two-sample")
    expected = stats.ttest_ind(maps.X[maps.y > 0], maps.X[maps.y < 0])
    np.testing.assert_allclose(found.t, expected.statistic)
    np.testing.assert_allclose(found.p_value, expected.pvalue)


@pytest.mark.parametrize("kind", ["paired", "two-sample"])
def test_constant_features_have_no_effect(maps, kind):
    X = maps.X.copy()
    X[:, 3] = 0.1
    found = t_map(X, maps.y, groups=maps.groups, kind=kind)
    assert (found.t[3], found.p_value[3]) == (0.0, 1.0)


def test_share_of_p_values_that_are_not_chance():
    rng = np.random.default_rng(0)
    p = np.concatenate([rng.random(7000), np.zeros(3000)])
    assert informative_share(p) == pytest.approx(0.3, abs=0.02)
    assert informative_share(rng.random(100) / 2 + 0.5) == 0.0
    with pytest.raises(ValueError, match="probabilities"):
        informative_share([0.1, 1.2])
    with pytest.raises(ValueError, match="threshold"):
        informative_share([0.1], threshold=1.0)


def test_overlap_by_hand(maps):
    found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    univariate = t_map(maps.X, maps.y, groups=maps.groups)
    (row,) = overlap_table(found, univariate, [0.1])
    top = set(np.argsort(-np.abs(univariate.t))[:15].tolist())
    common = [
        len(top & set(np.concatenate(fold.subsets)[:15].tolist())) / 15 for fold in found.folds
    ]
    assert row.observed == pytest.approx(np.mean(common))
    assert row.expected == 0.1
    assert row.p_value == pytest.approx(np.sort(univariate.p_value)[14])
    assert row.observed > 3 * row.expected
    curve = overlap_curve(found, univariate, 0.1)
    first = [np.mean([feature in top for feature in fold.subsets[0]]) for fold in found.folds]
    assert curve[0] == pytest.approx(np.mean(first))
    assert curve.shape == found.fraction.shape


def test_overlap_leaves_out_what_was_not_reached(maps):
    found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    univariate = t_map(maps.X, maps.y, groups=maps.groups)
    assert [row.share for row in overlap_table(found, univariate, [0.05, 1.0])] == [0.05]
    other = TMap(univariate.t[1:], univariate.p_value[1:], 4, "paired")
    with pytest.raises(ValueError, match="149 features, but the selection was among 150"):
        overlap_table(found, other)
    with pytest.raises(ValueError, match="a share must be"):
        overlap_curve(found, univariate, 0.0)


def test_random_subset_of_all_features_is_a_cross_validated_machine(maps):
    found = random_subset_errors(
        maps.X, maps.y, groups=maps.groups, n_features=[150], n_subsets=2, C=1000.0
    )
    peer = make_pipeline(StandardScaler(), SVC(kernel="linear", C=1e6))
    scores = cross_val_score(peer, maps.X, maps.y, groups=maps.groups, cv=LeaveOneGroupOut())
    np.testing.assert_allclose(found.errors, 1.0 - scores.mean())


def test_random_subsets_tell_more_the_larger_they_are(maps):
    found = random_subset_errors(
        maps.X, maps.y, groups=maps.groups, n_subsets=15, random_state=0, n_jobs=2
    )
    np.testing.assert_array_equal(found.n_features, [1, 2, 4, 8, 16, 32, 64, 128])
    assert found.errors.shape == (8, 15)
    means = found.errors.mean(axis=1)
    assert 0.3 < means[0] < 0.5
    assert means[-1] < 0.1
    assert found.below_chance[-1] == 1.0
    again = random_subset_errors(maps.X, maps.y, groups=maps.groups, n_subsets=15, random_state=0)
    np.testing.assert_array_equal(found.errors, again.errors)


def test_bad_input(maps):
    X, y, groups = maps.X, maps.y, maps.groups
    for function in (t_map, random_subset_errors, partial(informative_features, None)):
        with pytest.raises(ValueError, match="for each of the 30 samples; got 29"):
            function(X, y, groups=groups[1:])
        with pytest.raises(ValueError, match="at least two different groups"):
            function(X, y, groups=np.zeros(30))
        with pytest.raises(ValueError, match="one class only"):
            function(X, y, groups=np.where(y > 0, groups, 7))
    with pytest.raises(ValueError, match="t_map compares two classes, but y has 5"):
        t_map(X, groups, groups=groups)
    with pytest.raises(ValueError, match="a paired test needs groups"):
        t_map(X, y, kind="paired")
    with pytest.raises(ValueError, match="kind must be one of"):
        t_map(X, y, kind="welch")
    with pytest.raises(ValueError, match="at least three samples"):
        t_map(X[:2], y[:2])
    with pytest.raises(ValueError, match="must lie between 1 and 150"):
        random_subset_errors(X, y, n_features=[151])
    with pytest.raises(ValueError, match="whole numbers"):
        random_subset_errors(X, y, n_features=[1.5])


def test_t_map_of_groups_of_one_class_compares_their_averages():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(10), 4)
    y = np.where(groups % 2 == 0, 1, -1)
    X = rng.normal(size=(40, 6)) + rng.normal(size=(10, 6))[groups]
    means = np.array([X[groups == group].mean(axis=0) for group in range(10)])
    expected = stats.ttest_ind(means[::2], means[1::2])
    assert choose_kind(y, groups) == "group-means"
    for data in (X, sparse.csr_array(X)):
        found = t_map(data, y, groups=groups, kind="group-means")
        np.testing.assert_allclose(found.t, expected.statistic)
        np.testing.assert_allclose(found.p_value, expected.pvalue)
        assert found.degrees_of_freedom == 8
    assert choose_kind(y, np.arange(40) // 8) == "paired"
    assert choose_kind(y, None) == "two-sample"
