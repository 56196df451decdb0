"""Weights in units of standard deviations: those of X as it was given, times its own deviations."""

import numpy as np
import pytest
from scipy import sparse

import fewest
from fewest import (
    FeatureSelectionConcave,
    Liknon,
    LiknonCV,
    PanelSizeCV,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest.datasets import make_gaussian
from fewest.filters import WeightedVoteClassifier

SCALES = np.logspace(-2, 2, 60)


@pytest.fixture(scope="module")
def data():
    X, y = make_gaussian(n=60, d=60, k=4, mu=1.5, random_state=0)
    return X * SCALES + 3.0, y


ESTIMATORS = [
    SupportFeatureMachine(C=1.0),
    SupportFeatureMachine(C=1.0, standardize=False),
    SupportFeatureMachine(max_features=3),
    UnionFeatureMachine(C=1.0),
    ZeroNormSVM(C=1.0),
    ZeroNormSVM(C=1.0, standardize=False),
    Liknon(C=1.0),
    Liknon(C=1.0, standardize=False),
    FeatureSelectionConcave(),
    SupportFeatureMachineCV(Cs=[0.5, 1.0], cv=2),
    PanelSizeCV(sizes=[1, 2], cv=2),
    LiknonCV(Cs=[0.01, 0.1], cv=3, n_splits=2, outcome="best", random_state=0),
    WeightedVoteClassifier(n_features=5),
]


@pytest.mark.parametrize("machine", ESTIMATORS, ids=lambda machine: repr(machine)[:60])
def test_it_is_the_weight_times_the_standard_deviation(machine, data):
    X, y = data
    machine.fit(X, y)
    assert machine.coef_.any()
    np.testing.assert_allclose(
        machine.standardized_coef_, machine.coef_ * X.std(axis=0), rtol=1e-9, atol=1e-15
    )


@pytest.mark.parametrize("multi_class", ["joint", "separate"])
def test_one_row_per_class(multi_class, data):
    X, y = data
    three = y + (X[:, 1] > np.median(X[:, 1])) * (y > 0)
    machine = SupportFeatureMachine(C=1.0, multi_class=multi_class).fit(X, three)
    assert machine.standardized_coef_.shape == (3, X.shape[1])
    np.testing.assert_allclose(machine.standardized_coef_, machine.coef_ * X.std(axis=0), rtol=1e-9)


@pytest.mark.parametrize("standardize", [True, False])
def test_samples_count_with_their_weights(standardize, data):
    """A sample of weight two is two samples, in the deviation too."""
    X, y = data
    weight = np.where(np.arange(len(y)) % 3 == 0, 2, 1)
    machine = SupportFeatureMachine(C=1.0, standardize=standardize)
    machine.fit(X, y, sample_weight=weight)
    deviation = np.repeat(X, weight, axis=0).std(axis=0)
    np.testing.assert_allclose(machine.standardized_coef_, machine.coef_ * deviation, rtol=1e-9)


def test_units_do_not_change_it(data):
    X, y = data
    metres = SupportFeatureMachine(C=1.0).fit(X, y)
    millimetres = SupportFeatureMachine(C=1.0).fit(X * 1000.0, y)
    np.testing.assert_allclose(
        metres.standardized_coef_, millimetres.standardized_coef_, rtol=1e-6, atol=1e-9
    )


def test_sparse_values_have_the_same(data):
    X, y = data
    full = np.where(X > 3.0, X, 0.0)
    dense = SupportFeatureMachine(C=1.0).fit(full, y)
    thin = SupportFeatureMachine(C=1.0).fit(sparse.csr_matrix(full), y)
    np.testing.assert_allclose(thin.standardized_coef_, dense.standardized_coef_, rtol=1e-6)


def test_model_files_keep_it(data, tmp_path):
    X, y = data
    for machine in (SupportFeatureMachine(C=1.0), SupportFeatureMachineCV(Cs=[1.0], cv=2)):
        machine.fit(X, y)
        fewest.save(machine, tmp_path / "model.fewest")
        loaded = fewest.load(tmp_path / "model.fewest")
        np.testing.assert_array_equal(loaded.standardized_coef_, machine.standardized_coef_)


def test_older_model_files_lack_it(data, tmp_path):
    X, y = data
    machine = SupportFeatureMachineCV(Cs=[1.0], cv=2).fit(X, y)
    del machine.standardized_coef_, machine.best_estimator_.standardized_coef_
    fewest.save(machine, tmp_path / "model.fewest")
    loaded = fewest.load(tmp_path / "model.fewest")
    assert not hasattr(loaded, "standardized_coef_")
    np.testing.assert_array_equal(loaded.predict(X), machine.predict(X))
