"""Each repetition is the estimator, trained from scratch on the features that are left."""

import numpy as np
import pytest
from scipy import sparse

from fewest import (
    Liknon,
    LiknonCV,
    NotSeparableError,
    RepetitiveSelector,
    SupportFeatureMachine,
    ZeroNormSVM,
)
from fewest.datasets import make_gaussian, make_weston


def cold_run(estimator, X, y, n_subsets):
    """Features and objectives of repetitions that know nothing of each other."""
    left, subsets, objectives = np.arange(X.shape[1]), [], []
    for _ in range(n_subsets):
        try:
            machine = estimator.fit(X[:, left], y)
        except NotSeparableError:
            break
        found = np.flatnonzero(machine.support_)
        if not len(found):
            break
        subsets.append(left[found].tolist())
        objectives.append(sum(result.steps[0].objective for result in machine.results_))
        left = np.delete(left, found)
    return subsets, objectives


def assert_same_as_cold(estimator, X, y, n_subsets=10**6):
    selector = RepetitiveSelector(estimator, n_subsets=n_subsets).fit(X, y)
    subsets, objectives = cold_run(estimator, X, y, n_subsets)
    assert [subset.tolist() for subset in selector.subsets_] == subsets
    assert selector.objectives_ == pytest.approx(objectives, rel=1e-6)
    assert np.all(selector.gaps_ < 1e-6)
    return selector


@pytest.mark.parametrize("seed", range(12))
def test_hard_machines_until_inseparable(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(10, 30)), int(rng.integers(60, 400))
    X, y = make_gaussian(n=n, d=d, k=d // 4, mu=0.8, random_state=seed)
    selector = assert_same_as_cold(SupportFeatureMachine(C=np.inf, refit=None), X, y)
    assert selector.stop_reason_ == "inseparable"
    assert len(selector.subsets_) > 3


@pytest.mark.parametrize("seed", range(12))
def test_soft_machines(seed):
    X, y = make_gaussian(n=40, d=300, k=30, mu=0.5, random_state=seed)
    assert_same_as_cold(SupportFeatureMachine(C=(0.5, 1.0, 5.0)[seed % 3], refit=None), X, y, 15)


@pytest.mark.parametrize(
    "estimator",
    [
        SupportFeatureMachine(C=np.inf, constraint="mean_margin", refit="margin"),
        ZeroNormSVM(),
        ZeroNormSVM(C=2.0),
        Liknon(C=1.0),
    ],
)
def test_other_machines(estimator):
    X, y = make_weston(n=40, n_noise=200, random_state=5)
    assert_same_as_cold(estimator, X, y, 8)


def test_more_than_two_classes_set_aside_what_any_class_selects():
    X, y = make_gaussian(n=60, d=200, k=20, mu=1.5, random_state=3)
    y = np.where(X[:, 0] > 0.8, 2, y)
    selector = assert_same_as_cold(SupportFeatureMachine(C=1.0, refit=None), X, y, 4)
    assert selector.coefs_[0].shape == (3, len(selector.subsets_[0]))
    assert selector.intercepts_.shape == (4, 3)


def test_any_selecting_classifier_will_do():
    X, y = make_gaussian(n=40, d=60, k=10, mu=1.0, random_state=0)
    selector = RepetitiveSelector(LiknonCV(n_Cs=5, random_state=0), n_subsets=2).fit(X, y)
    first, second = selector.subsets_
    assert not set(first) & set(second)
    assert np.isnan(selector.coefs_[0]).all()
    assert LiknonCV(n_Cs=5, random_state=0).fit(X, y).support_[first].all()


@pytest.mark.parametrize("layout", ["F", "float32", "csr", "csc", "view"])
def test_every_layout_of_X_gives_the_same_subsets(layout):
    X, y = make_gaussian(n=24, d=150, k=30, mu=1.0, random_state=1)
    X = X.astype(np.float32).astype(float)
    given = {
        "F": np.asfortranarray(X),
        "float32": X.astype(np.float32),
        "csr": sparse.csr_array(X),
        "csc": sparse.csc_array(X),
        "view": np.repeat(X, 2, axis=1)[:, ::2],
    }[layout]
    before = given.copy()
    there = RepetitiveSelector().fit(X, y)
    here = RepetitiveSelector().fit(given, y)
    assert all(map(np.array_equal, here.subsets_, there.subsets_))
    assert here.objectives_ == pytest.approx(there.objectives_, rel=1e-6)
    assert abs(given - before).max() == 0
