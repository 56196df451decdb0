"""Weston's zero-norm SVM: margin, soft costs, and its relation to the Support Feature Machine."""

import numpy as np
import pytest

from fewest import NotSeparableError, SupportFeatureMachine, ZeroNormSVM
from fewest.datasets import make_gaussian, make_weston


def test_every_training_sample_keeps_the_margin():
    for seed in range(5):
        X, y = make_weston(n=80, n_noise=200, random_state=seed)
        machine = ZeroNormSVM().fit(X, y)
        assert (y * machine.decision_function(X)).min() == pytest.approx(1.0)


def test_first_program_is_the_one_norm_svm():
    from scipy.optimize import linprog

    X, y = make_weston(n=30, n_noise=20, random_state=0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    n, d = Z.shape
    signed = -y[:, None] * Z
    full = linprog(
        np.concatenate([np.ones(2 * d), [0.0]]),
        A_ub=np.hstack([signed, -signed, -y[:, None]]),
        b_ub=-np.ones(n),
        bounds=[(0, None)] * (2 * d) + [(None, None)],
    )
    result = ZeroNormSVM().fit(X, y).result_
    assert result.steps[0].objective == pytest.approx(full.fun)
    assert result.n_features_first >= result.n_features


def test_keeps_more_features_than_the_support_feature_machine_on_average():
    weston, sfm = [], []
    for seed in range(30):
        X, y = make_weston(n=100, n_noise=100, random_state=seed)
        weston.append(ZeroNormSVM().fit(X, y).support_.sum())
        sfm.append(SupportFeatureMachine(C=np.inf).fit(X, y).support_.sum())
    assert np.mean(weston) > np.mean(sfm) + 0.5


def test_soft_machine_on_classes_that_overlap():
    X, y = make_gaussian(n=200, d=20, k=5, mu=0.5, random_state=0)
    with pytest.raises(NotSeparableError, match="finite C"):
        ZeroNormSVM().fit(X, y)
    machine = ZeroNormSVM(C=0.3).fit(X, y)
    assert machine.score(X, y) > 0.75
    assert machine.result_.gap <= 1e-7


def test_large_C_equals_the_hard_machine():
    X, y = make_weston(n=50, n_noise=100, random_state=1)
    np.testing.assert_allclose(
        ZeroNormSVM(C=1e8).fit(X, y).coef_, ZeroNormSVM().fit(X, y).coef_, rtol=1e-6
    )
