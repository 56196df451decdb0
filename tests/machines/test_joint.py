"""More than two classes by one program: what users see."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss

import fewest
from fewest import (
    Liknon,
    NotSeparableError,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    ZeroNormSVM,
)
from fewest._estimators import joint

CODES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.fixture(scope="module")
def data():
    """Four classes that two features tell apart, two by two; no class alone by one of them."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c", "d"], 20)
    X = rng.standard_normal((80, 200))
    X[:, :2] += 8.0 * CODES[np.repeat(np.arange(4), 20)]
    return X, y


@pytest.mark.parametrize(
    "machine",
    [
        SupportFeatureMachine(C=np.inf),
        SupportFeatureMachine(),
        ZeroNormSVM(),
        ZeroNormSVM(C=2.0),
        SupportFeatureMachine(max_features=2),
        Liknon(C=0.02, refit="margin"),
    ],
)
def test_two_features_serve_four_classes(data, machine):
    X, y = data
    machine = clone(machine).fit(X, y)
    assert np.flatnonzero(machine.support_).tolist() == [0, 1]
    assert machine.coef_.shape == machine.supports_.shape == (4, 200)
    assert machine.score(X, y) == 1.0
    assert len(machine.results_) == 1
    assert machine.results_[0].gap <= 1e-7
    assert machine.results_[0].steps[0].bound <= machine.results_[0].steps[0].objective * (1 + 1e-9)


def test_probabilities_agree_with_the_decision(data):
    X, y = data
    rng = np.random.default_rng(1)
    noisy = X + 4.0 * rng.standard_normal(X.shape)
    machine = SupportFeatureMachine(max_features=2).fit(noisy[::2], y[::2])
    shares = machine.predict_proba(noisy[1::2])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        machine.classes_[shares.argmax(axis=1)], machine.predict(noisy[1::2])
    )
    assert log_loss(y[1::2], shares) < np.log(4)  # better than guessing
    colder = machine.decision_function(noisy[1::2]) / (machine.temperature_ / 4)
    colder = np.exp(colder - colder.max(axis=1, keepdims=True))
    assert log_loss(y[1::2], shares) < log_loss(y[1::2], colder / colder.sum(1, keepdims=True))


def test_two_classes_have_a_panel_too(data):
    X, y = data
    y = np.where(np.isin(y, ["a", "b"]), "one", "two")
    machine = SupportFeatureMachine(max_features=1).fit(X, y)
    assert np.flatnonzero(machine.support_).tolist() == [0]
    assert machine.coef_.shape == (1, 200)
    assert machine.score(X, y) == 1.0
    assert machine.predict_proba(X).shape == (80, 2)


def test_every_class_has_its_features(data):
    X, y = data
    machine = SupportFeatureMachine(max_features=6, min_per_class=1).fit(X, y)
    chosen = np.flatnonzero(machine.support_)
    means = np.array([X[y == label][:, chosen].mean(axis=0) for label in machine.classes_])
    assert set(means.argmax(axis=0)) == {0, 1, 2, 3}
    assert len(chosen) <= 6
    assert {0, 1} <= set(chosen.tolist())


def test_very_many_samples_decide_on_the_last_program(data, monkeypatch):
    X, y = data
    monkeypatch.setattr(joint, "_ENOUGH", 40)
    machine = SupportFeatureMachine(max_features=2).fit(X, y)
    assert np.flatnonzero(machine.support_).tolist() == [0, 1]
    assert machine.results_[0].slack.shape == (80,)
    assert np.count_nonzero(machine.results_[0].steps[0].alpha.any(axis=1)) <= 40


def test_the_pairs_that_cannot_be_separated_are_named(data):
    X, y = data
    X = X[:, :2].copy()
    X[y == "d"] = X[y == "c"]
    with pytest.raises(NotSeparableError):
        SupportFeatureMachine(C=np.inf).fit(X, y)
    with pytest.raises(NotSeparableError, match="'c' and 'd'"):
        ZeroNormSVM().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"multi_class": "ovo"}, "multi_class"),
        ({"max_features": 0}, "max_features"),
        ({"max_features": 2, "multi_class": "separate"}, "joint"),
        ({"max_features": 2, "reweight": "both"}, "reweight"),
        ({"max_features": 2, "constraint": "mean_margin"}, "constraint"),
        ({"min_per_class": 1}, "max_features"),
        ({"min_per_class": 1, "max_features": 3}, "more than max_features=3"),
    ],
)
def test_bad_parameters(data, parameters, reason):
    with pytest.raises(ValueError, match=reason):
        SupportFeatureMachine(**parameters).fit(*data)


def test_weights_and_order_of_samples(data):
    X, y = data
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    machine = SupportFeatureMachine(C=0.5, refit=None)
    weighted = clone(machine).fit(X, y, sample_weight=weight)
    repeated = clone(machine).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.support_, repeated.support_)
    order = np.random.default_rng(1).permutation(len(y))
    turned = clone(machine).fit(X[order], y[order])
    plain = clone(machine).fit(X, y)
    np.testing.assert_allclose(turned.coef_, plain.coef_, atol=1e-6)


def test_the_search_for_a_cost(data):
    X, y = data
    machine = SupportFeatureMachineCV([0.05, 1.0], cv=3, random_state=0).fit(X, y)
    assert np.flatnonzero(machine.support_).tolist() == [0, 1]
    assert machine.n_subsets_ == 1
    assert machine.predict_proba(X).shape == (80, 4)


def test_repetitions_find_the_next_features(data):
    X, y = data
    X = np.hstack([X, X[:, :2] + 0.3 * np.random.default_rng(0).standard_normal((80, 2))])
    found = RepetitiveSelector(SupportFeatureMachine(C=np.inf), n_subsets=2).fit(X, y)
    assert [sorted(one.tolist()) for one in found.subsets_] == [[0, 1], [200, 201]]


def test_files_keep_all(data, tmp_path):
    X, y = data
    for machine in (SupportFeatureMachine(max_features=2), Liknon(C=0.02), ZeroNormSVM()):
        machine.fit(X, y)
        fewest.save(machine, tmp_path / "model.fewest")
        again = fewest.load(tmp_path / "model.fewest")
        np.testing.assert_array_equal(again.predict(X), machine.predict(X))
        np.testing.assert_allclose(again.predict_proba(X), machine.predict_proba(X))
        assert again.results_[0].steps[0].bound == machine.results_[0].steps[0].bound


@pytest.mark.parametrize("machine", [ZeroNormSVM(C=1.0), Liknon(), SupportFeatureMachine()])
def test_panels_without_refit_have_the_weights_of_the_full_cost(machine):
    """The program that finds candidates would not pay for any feature of weak data."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.standard_normal((80, 300)) + 0.3 * y[:, None] * (np.arange(300) < 10)
    fitted = clone(machine).set_params(max_features=3, refit=None).fit(X, y)
    assert np.count_nonzero(fitted.coef_) >= 2
    assert fitted.score(X, y) > 0.6
