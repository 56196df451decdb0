"""Nogueira's index against Kuncheva's, its interval against simulation."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.significance import bootstrap_632, stability, stability_index
from fewest.significance._resampling import draw_rows, find_strata


def kuncheva(Z):
    """Mean over pairs of sets of one size k: (overlap - k^2 / d) / (k - k^2 / d)."""
    k, d = Z[0].sum(), Z.shape[1]
    pairs = [np.sum(a & b) for a, b in combinations(Z, 2)]
    return (np.mean(pairs) - k**2 / d) / (k - k**2 / d)


def random_sets(n_sets, d, k, rng):
    return np.array([rng.permutation(d) < k for _ in range(n_sets)])


def test_equals_kuncheva_for_sets_of_one_size():
    rng = np.random.default_rng(0)
    for k in (1, 3, 10):
        Z = random_sets(8, 20, k, rng)
        assert stability_index(Z).index == pytest.approx(kuncheva(Z))


def test_one_for_equal_sets_and_zero_for_random_ones():
    Z = np.tile(np.arange(9) < 2, (5, 1))
    found = stability_index(Z)
    assert found.index == 1.0
    rng = np.random.default_rng(0)
    values = [stability_index(random_sets(20, 50, 5, rng)).index for _ in range(200)]
    assert np.mean(values) == pytest.approx(0.0, abs=0.005)


@pytest.mark.parametrize("resample", ["bootstrap", "half"])
def test_resamples_of_data(resample):
    X, y = make_gaussian(n=80, d=60, k=2, mu=1.5, random_state=0)
    settings = {"n_resamples": 10, "resample": resample, "random_state": 0}
    found = stability(None, X, y, **settings)
    assert found.index > 0.3
    assert set(np.argsort(-found.frequency)[:2]) == {0, 1}
    assert len(found.sizes) == 10
    assert found.frequency.sum() == pytest.approx(found.sizes.mean())
    again = stability(SupportFeatureMachine(), X, y, **settings)
    np.testing.assert_array_equal(again.frequency, found.frequency)
    noise = np.random.default_rng(0).standard_normal(X.shape)
    assert stability(None, noise, y, **settings).index < found.index


@pytest.mark.parametrize(
    ("selections", "message"),
    [
        ([[1, 0, 1]], "at least two rows"),
        ([[2, 0], [0, 1]], "zeros and ones"),
        ([[1, 1], [1, 1]], "no feature or all of them"),
        ([[0, 0], [0, 0]], "no feature or all of them"),
    ],
)
def test_bad_selections(selections, message):
    with pytest.raises(ValueError, match=message):
        stability_index(selections)


def test_bad_settings():
    X, y = make_gaussian(n=10, d=5, random_state=0)
    with pytest.raises(ValueError, match="resample must be one of"):
        stability(None, X, y, resample="jackknife")


@pytest.mark.parametrize("resample", ["bootstrap", "half"])
@pytest.mark.parametrize("mixed", [True, False])
def test_groups_are_drawn_as_a_whole(resample, mixed):
    rng = np.random.RandomState(0)
    groups = np.arange(24) // 4
    y = np.arange(24) % 2 if mixed else groups % 2
    strata = find_strata(y, groups)
    for _ in range(20):
        rows, outside = draw_rows(strata, y, rng, half=resample == "half")
        assert set(rows) | set(outside) == set(range(24))
        assert set(y[rows]) == {0, 1}
        drawn, counts = np.unique(rows, return_counts=True)
        for group in np.unique(groups[drawn]):
            members = np.flatnonzero(groups == group)
            assert np.isin(members, drawn).all()
            assert len(set(counts[np.isin(drawn, members)])) == 1
        assert len(rows) == (24 if resample == "bootstrap" else 12 if mixed else 8)


def test_groups_that_never_have_all_classes():
    y, groups = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])
    strata = [[np.array([0]), np.array([1])]]
    with pytest.raises(ValueError, match="lacked a class"):
        draw_rows(strata, y, np.random.RandomState(0), half=True)
    X = np.random.default_rng(0).standard_normal((4, 3))
    with pytest.raises(ValueError, match="groups must name a group for each of the 4 samples"):
        stability(None, X, y, groups=groups[:2])


class NeedsGroups(SupportFeatureMachine):
    """Stands for machines that split the samples themselves: refuses to without the groups."""

    def _abilities(self):
        return replace(super()._abilities(), splits_samples=True, fits_columns=False)

    def fit(self, X, y, *, groups=None):
        assert groups is not None
        assert len(groups) == len(y)
        return super().fit(X, y)


def test_groups_reach_machines_that_split_the_resample():
    X, y = make_gaussian(n=24, d=20, k=2, mu=1.0, random_state=0)
    settings = {"groups": np.arange(24) // 4, "n_resamples": 3, "random_state": 0}
    found = stability(NeedsGroups(), X, y, **settings)
    plain = stability(SupportFeatureMachine(), X, y, **settings)
    np.testing.assert_array_equal(found.frequency, plain.frequency)
    assert bootstrap_632(NeedsGroups(), X, y, **settings).error < 0.5


def test_classifiers_of_other_packages_select_by_their_weights():
    X, y = make_gaussian(n=40, d=20, k=2, mu=1.5, random_state=0)
    lasso = LogisticRegression(solver="liblinear", l1_ratio=1.0, C=0.3)
    found = stability(lasso, X, y, n_resamples=5, random_state=0)
    assert set(np.argsort(-found.frequency)[:2]) == {0, 1}
