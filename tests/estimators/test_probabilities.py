"""Probabilities of all selecting classifiers, against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, log_expit
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import brier_score_loss

from fewest import Liknon, SupportFeatureMachine, SupportFeatureMachineCV, ZeroNormSVM
from fewest.datasets import make_gaussian
from fewest.machines.fsv import FeatureSelectionConcave
from fewest.machines.union import UnionFeatureMachine

MACHINES = [
    SupportFeatureMachine(),
    SupportFeatureMachine(C=np.inf),
    SupportFeatureMachine(max_features=2),
    SupportFeatureMachineCV(cv=3, n_Cs=3),
    UnionFeatureMachine(),
    ZeroNormSVM(C=1.0),
    Liknon(C=0.1),
    FeatureSelectionConcave(),
]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda one: repr(one).replace("\n", ""))
def test_two_classes(machine):
    X, y = make_gaussian(n=60, d=80, k=3, mu=1.5, random_state=0)
    fitted = clone(machine).fit(X, y)
    shares = fitted.predict_proba(X)
    temperature = getattr(fitted, "best_estimator_", fitted).temperature_
    np.testing.assert_allclose(shares[:, 1], expit(fitted.decision_function(X) / temperature))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        fitted.classes_[(shares[:, 1] > 0.5).astype(int)], fitted.predict(X)
    )


@pytest.mark.parametrize(
    "machine",
    [
        SupportFeatureMachine(multi_class="separate"),
        ZeroNormSVM(multi_class="separate", C=1.0),
        UnionFeatureMachine(),
        FeatureSelectionConcave(),
        SupportFeatureMachineCV(cv=3, n_Cs=3),
    ],
    ids=lambda one: type(one).__name__,
)
def test_many_classes(machine):
    X, y = make_blobs(90, n_features=20, centers=3, cluster_std=4.0, random_state=0)
    fitted = clone(machine).fit(X, y)
    shares = fitted.predict_proba(X)
    assert shares.shape == (90, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.classes_[shares.argmax(axis=1)], fitted.predict(X))


def test_the_temperature_of_a_machine_without_refit_is_that_of_its_own_decisions():
    """With Platt's doubt, no other temperature makes the classes more likely."""
    X, y = make_gaussian(n=80, d=30, k=3, mu=0.7, random_state=1)
    fitted = Liknon(C=0.1).fit(X, y)
    margins = np.where(y == fitted.classes_[1], 1.0, -1.0) * fitted.decision_function(X)
    doubt = 1.0 / (np.where(y > 0, np.sum(y > 0), np.sum(y <= 0)) + 2.0)

    def loss(temperature):
        scaled = margins / temperature
        return -np.mean((1.0 - doubt) * log_expit(scaled) + doubt * log_expit(-scaled))

    around = [loss(fitted.temperature_ * factor) for factor in (0.8, 0.99, 1.0, 1.01, 1.25)]
    assert int(np.argmin(around)) == 2


def test_folds_that_select_anew_are_more_careful():
    """Features chosen from 2,000 by 40 samples look better than they are."""
    X, y = make_gaussian(n=440, d=2000, k=2, mu=0.5, random_state=0)
    train, new = slice(0, 40), slice(40, None)
    plain = SupportFeatureMachine().fit(X[train], y[train])
    careful = SupportFeatureMachineCV(cv=5).fit(X[train], y[train])
    losses = [
        brier_score_loss(y[new], one.predict_proba(X[new])[:, 1], pos_label=one.classes_[1])
        for one in (plain, careful)
    ]
    assert losses[1] < losses[0]
    assert losses[1] < 0.3
