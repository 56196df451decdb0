"""Panels of k features by ridge least squares: against brute force and closed forms."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import f
from sklearn.feature_selection import f_classif
from sklearn.linear_model import Ridge

from fewest._solvers.columns import scale_columns
from fewest._solvers.joint import ridge
from fewest._solvers.joint.ridge import PanelChooser
from fewest._solvers.joint.smooth import Rivalry


def draw(seed, n=40, d=9, n_classes=2):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % (n_classes + 1) % n_classes)  # unequal classes
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.4 * rng.standard_normal((d, d)))
    X[:, :4] += rng.standard_normal((n_classes, 4))[codes]
    return X, codes


def measure_misfit(X, codes, features, ridge, weight=None):
    """The criterion of a set, by scikit-learn's ridge regression."""
    weight = np.ones(len(codes)) if weight is None else weight / weight.mean()
    Z = scale_columns(X, sample_weight=weight).take(np.asarray(features))
    Y = (codes[:, None] == np.unique(codes)).astype(float)
    Y /= np.sqrt(weight @ Y / len(codes))
    alpha = ridge * len(features)
    model = Ridge(alpha=alpha).fit(Z, Y, sample_weight=weight)
    rest = weight @ (Y - model.predict(Z)) ** 2
    return float(rest.sum() + alpha * np.sum(model.coef_**2))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_no_other_set_fits_better(seed, size, n_classes):
    X, codes = draw(seed, d=8, n_classes=n_classes)
    chooser = PanelChooser(scale_columns(X), codes)
    chosen = chooser.choose(size)
    misfit = {
        subset: measure_misfit(X, codes, subset, chooser.ridge)
        for subset in combinations(range(X.shape[1]), size)
    }
    assert len(chosen) == size
    assert misfit[tuple(chosen)] == pytest.approx(min(misfit.values()), rel=1e-9)


def test_the_order_of_joining_alone_would_miss_a_pair(monkeypatch):
    """Two features of little use alone cancel each other's noise; exchanges find them."""
    rng = np.random.default_rng(3)
    codes = np.arange(400) % 2
    y, noise = 2.0 * codes - 1.0, 3.0 * rng.standard_normal(400)
    X = np.column_stack([y + 1.6 * rng.standard_normal(400), noise + 0.6 * y, noise - 0.6 * y])
    chooser = PanelChooser(scale_columns(X), codes)
    assert chooser.choose(2).tolist() == [1, 2]
    monkeypatch.setattr(ridge, "_EXCHANGES", 0)
    assert 0 in chooser.choose(2)


def test_one_feature_is_that_of_the_largest_f_statistic():
    for seed in range(10):
        X, codes = draw(seed, d=200, n_classes=2 + seed % 3)
        chosen = PanelChooser(scale_columns(X), codes).choose(1)
        assert chosen.tolist() == [np.argmax(f_classif(X, codes)[0])]


@pytest.mark.parametrize("strength", [0.0, 0.8, 4.0, 40.0])
def test_the_ridge_is_the_noise_per_signal_of_the_best_feature(strength):
    """The median of the best of 200 columns of noise, from scipy's F distribution, is no signal."""
    codes = np.arange(50) % 3
    X = np.random.default_rng(1).standard_normal((50, 200))
    X[:, 7] += strength * codes
    of_noise, best = f.isf(1.0 - 0.5 ** (1 / 200), 2, 47), f_classif(X, codes)[0].max()
    by_chance, explained = (2 * F / (2 * F + 47) for F in (of_noise, best))
    signal = np.clip((explained - by_chance) / (1 - by_chance), 0.05, 0.95)
    chooser = PanelChooser(scale_columns(X), codes, class_cost=np.array([1.0, 2.0, 3.0]))
    assert chooser.ridge == pytest.approx(10.0 * (1 - signal) / signal)


def test_weights_count_like_repeated_samples():
    X, codes = draw(1)
    weight = np.random.default_rng(0).integers(1, 4, len(codes)).astype(float)
    columns = scale_columns(X, sample_weight=weight)
    chooser = PanelChooser(columns, codes, weight=weight)
    chosen = chooser.choose(3)
    misfit = {
        subset: measure_misfit(X, codes, subset, chooser.ridge, weight)
        for subset in combinations(range(X.shape[1]), 3)
    }
    assert tuple(chosen) == min(misfit, key=misfit.get)


def test_a_class_that_counts_more_is_told_apart_first():
    codes = np.arange(90) % 3
    X = np.random.default_rng(0).standard_normal((90, 30))
    X[:, 4] += 1.2 * (codes == 0)
    X[:, 7] += 1.2 * (codes == 2)
    for cost, first in (([1.0, 0.1, 0.1], 4), ([0.1, 0.1, 1.0], 7)):
        chooser = PanelChooser(scale_columns(X), codes, class_cost=np.array(cost))
        assert chooser.choose(1).tolist() == [first]


def test_features_that_are_always_in_and_those_that_do_not_vary():
    X, codes = draw(2)
    X[:, 5] = 1.0
    chooser = PanelChooser(scale_columns(X), codes)
    always = np.array([6, 8])
    rest = {
        subset: measure_misfit(X, codes, (*subset, 6, 8), chooser.ridge)
        for subset in combinations([0, 1, 2, 3, 4, 7], 2)
    }
    assert chooser.choose(4, always).tolist() == sorted((*min(rest, key=rest.get), 6, 8))
    assert chooser.choose(20).tolist() == [0, 1, 2, 3, 4, 6, 7, 8]


@pytest.mark.parametrize("seed", range(4))
def test_one_feature_per_group(seed):
    X, codes = draw(seed, d=8)
    groups = np.array([0, 0, 1, 1, 1, -1, -1, 2])
    chooser = PanelChooser(scale_columns(X), codes)
    chosen = chooser.choose(3, rivalry=Rivalry(np.ones(8), groups))
    misfit = {
        subset: measure_misfit(X, codes, subset, chooser.ridge)
        for subset in combinations(range(8), 3)
        if len({groups[j] if groups[j] >= 0 else ("alone", j) for j in subset}) == 3
    }
    assert tuple(chosen) == min(misfit, key=misfit.get)
    assert len(chooser.choose(8, rivalry=Rivalry(np.ones(8), groups))) == 5


def test_a_dear_feature_has_to_help_more():
    rng = np.random.default_rng(0)
    codes = np.arange(200) % 2
    X = rng.standard_normal((200, 20)) + codes[:, None] * np.r_[1.0, 0.8, np.zeros(18)]
    chooser = PanelChooser(scale_columns(X), codes)
    price = np.ones(20)
    assert chooser.choose(1, rivalry=Rivalry(price)).tolist() == [0]
    price[0] = 5.0
    assert chooser.choose(1, rivalry=Rivalry(price)).tolist() == [1]


def test_sparse_values_and_a_small_memory_give_the_same(monkeypatch):
    X, codes = draw(4, d=50)
    X[np.abs(X) < 0.7] = 0.0
    expected = PanelChooser(scale_columns(X), codes).choose(6)
    thin = PanelChooser(scale_columns(sparse.csr_array(X)), codes)
    assert thin.choose(6).tolist() == expected.tolist()
    monkeypatch.setattr(ridge, "_KEPT_VALUES", 60)
    chooser = PanelChooser(scale_columns(X), codes)
    assert chooser.choose(6).tolist() == expected.tolist()
    assert len(chooser._rows) <= 2
