"""Displays compute what scikit-learn's own functions compute, with selection inside the folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.plotting import (
    HeatMapDisplay,
    HeldOutConfusionDisplay,
    HeldOutRocDisplay,
    PathDisplay,
    StabilityDisplay,
    WeightsDisplay,
)
from fewest.significance import run_held_out


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=40, d=60, k=2, mu=1.2, random_state=0)


@pytest.fixture
def ax():
    return Figure().subplots()


def test_weights_are_coefficients_in_standard_deviations(data, ax):
    X, y = data
    machine = SupportFeatureMachine().fit(X, y)
    display = WeightsDisplay.from_estimator(machine, X, ax=ax)
    expected = machine.coef_[0] * X.std(axis=0)
    assert [abs(w) for w in display.weights] == sorted(np.abs(display.weights), reverse=True)
    for name, weight in zip(display.feature_names, display.weights, strict=True):
        assert weight == pytest.approx(expected[int(name)])
    assert display.ax_ is ax
    assert display.figure_ is ax.figure


def test_weights_of_several_machines_are_refused(ax):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 10))
    X[np.arange(60), y] += 4
    machine = SupportFeatureMachine().fit(X, y)
    with pytest.raises(ValueError, match="3 linear functions, one per class"):
        WeightsDisplay.from_estimator(machine, X, ax=ax)


def test_heat_map_keeps_the_names_of_a_frame(data, ax):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
    machine = SupportFeatureMachine().fit(frame, y)
    display = HeatMapDisplay.from_estimator(machine, frame, y, ax=ax)
    assert display.feature_names == machine.get_feature_names_out().tolist()
    np.testing.assert_array_equal(display.X, X[:, machine.get_support()])


def test_heat_map_of_no_feature(data, ax):
    X, y = data
    machine = SupportFeatureMachine().fit(X, y)
    machine.supports_[:] = False
    with pytest.raises(ValueError, match="selected no feature"):
        HeatMapDisplay.from_estimator(machine, X, y, ax=ax)


def test_held_out_predictions_are_those_of_cross_val_predict(data, ax):
    X, y = data
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    machine = SupportFeatureMachine()
    display = HeldOutConfusionDisplay.from_estimator(machine, X, y, random_state=0, ax=ax)
    np.testing.assert_array_equal(display.y_pred, cross_val_predict(machine, X, y, cv=folds))
    display = HeldOutRocDisplay.from_estimator(
        machine, X, y, random_state=0, ax=Figure().subplots()
    )
    decisions = cross_val_predict(machine, X, y, cv=folds, method="decision_function")
    np.testing.assert_allclose(display.decisions[:, 0], decisions)
    assert display.positives == [1]


def test_noise_is_shown_as_noise(ax):
    """A machine that separates its own samples perfectly must not look good."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2000)), np.arange(40) % 2
    machine = SupportFeatureMachine(C=np.inf).fit(X, y)
    assert machine.score(X, y) == 1.0
    display = HeldOutConfusionDisplay.from_estimator(machine, X, y, ax=ax)
    assert balanced_accuracy_score(display.y_true, display.y_pred) < 0.7


def test_groups_stay_together(data, ax):
    X, y = data
    groups = np.arange(40) // 4
    machine = SupportFeatureMachine()
    display = HeldOutConfusionDisplay.from_estimator(
        machine, X, y, cv=LeaveOneGroupOut(), groups=groups, ax=ax
    )
    expected = cross_val_predict(machine, X, y, cv=LeaveOneGroupOut(), groups=groups)
    np.testing.assert_array_equal(display.y_pred, expected)


def test_a_curve_a_class(ax):
    y = np.array(["a", "b", "c"] * 5)
    decisions = np.eye(3)[np.arange(15) % 3]
    display = HeldOutRocDisplay.from_predictions(y, decisions, ax=ax)
    assert display.positives == ["a", "b", "c"]
    assert len(ax.get_legend_handles_labels()[1]) == 3


def test_decisions_of_the_wrong_shape(ax):
    with pytest.raises(ValueError, match="one column for two classes"):
        HeldOutRocDisplay.from_predictions(list("abc"), np.zeros((3, 2)), ax=ax)


def test_stability_counts_the_folds(data, ax):
    X, y = data
    machine = SupportFeatureMachine()
    display = StabilityDisplay.from_estimator(machine, X, y, cv=4, random_state=0, ax=ax)
    folds = StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)
    expected = sum(clone(machine).fit(X[train], y[train]).get_support() for train, _ in folds)
    np.testing.assert_array_equal(display.counts, expected)
    assert display.n_folds == 4


def test_path_is_the_mean_over_folds(data, ax):
    X, y = data
    display = PathDisplay.from_estimator(
        SupportFeatureMachine(), X, y, Cs=[3.0, 0.3], cv=3, random_state=0, ax=ax
    )
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    assert display.Cs.tolist() == [0.3, 3.0]
    for C, error, size in zip(display.Cs, display.errors, display.n_features, strict=True):
        trained = [SupportFeatureMachine(C).fit(X[train], y[train]) for train, _ in folds]
        errors = [
            1 - balanced_accuracy_score(y[test], machine.predict(X[test]))
            for machine, (_, test) in zip(trained, folds, strict=True)
        ]
        assert error == pytest.approx(np.mean(errors))
        assert size == pytest.approx(np.mean([m.support_.sum() for m in trained]))


def test_one_cross_validation_serves_all_displays(data):
    X, y = data
    machine = SupportFeatureMachine()
    held_out = run_held_out(machine, X, y, cv=4, random_state=0)
    for display in (HeldOutConfusionDisplay, HeldOutRocDisplay, StabilityDisplay):
        own = display.from_estimator(machine, X, y, cv=4, random_state=0, ax=Figure().subplots())
        shared = display.from_held_out(held_out, ax=Figure().subplots())
        assert {**vars(own), "ax_": 0, "figure_": 0}.keys() == vars(shared).keys()
        for name, value in vars(own).items():
            if name not in ("ax_", "figure_"):
                np.testing.assert_array_equal(value, getattr(shared, name))


def test_displays_of_a_frame_name_its_columns(data, ax):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
    machine = SupportFeatureMachine()
    display = StabilityDisplay.from_estimator(machine, frame, y, cv=3, random_state=0, ax=ax)
    plain = StabilityDisplay.from_estimator(
        machine, X, y, cv=3, random_state=0, ax=Figure().subplots()
    )
    assert display.feature_names == list(frame.columns)
    np.testing.assert_array_equal(display.counts, plain.counts)


def test_curves_need_decision_values(data, ax):
    with pytest.raises(ValueError, match="a curve needs decision values"):
        HeldOutRocDisplay.from_estimator(KNeighborsClassifier(), *data, ax=ax)


def test_samples_must_be_tested_once(data, ax):
    held_out = run_held_out(SupportFeatureMachine(), *data, cv=4).first(2)
    for display in (HeldOutConfusionDisplay, HeldOutRocDisplay):
        with pytest.raises(ValueError, match="every sample exactly once"):
            display.from_held_out(held_out, ax=ax)


class NeedsGroups(SupportFeatureMachine):
    """Stands for machines that split the samples themselves: refuses to without the groups."""

    def _abilities(self):
        return replace(super()._abilities(), splits_samples=True, fits_columns=False)

    def fit(self, X, y, *, groups=None):
        assert groups is not None
        assert len(groups) == len(y) < 40
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("display", "further"),
    [
        (HeldOutConfusionDisplay, {}),
        (HeldOutRocDisplay, {}),
        (StabilityDisplay, {}),
        (PathDisplay, {"Cs": [1.0]}),
    ],
)
def test_groups_reach_machines_that_split_once_more(display, further, data, ax):
    groups = np.arange(40) // 4
    found = display.from_estimator(
        NeedsGroups(), *data, groups=groups, random_state=0, ax=ax, **further
    )
    settings = {"groups": groups, "random_state": 0, "ax": Figure().subplots(), **further}
    plain = display.from_estimator(SupportFeatureMachine(), *data, **settings)
    for name in ("y_pred", "decisions", "counts", "errors"):
        if hasattr(plain, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))
