"""The number of features by cross-validation."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from fewest import (
    FeatureSelectionConcave,
    Liknon,
    PanelFront,
    PanelSizeCV,
    SupportFeatureMachine,
    ZeroNormSVM,
)
from fewest._estimators import joint
from fewest._estimators.probabilities import fit_temperature, pair_scores
from fewest.datasets import make_gaussian
from fewest.plotting import plot_panel_sizes

SIZES = [1, 2, 4, 7]


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=60, d=80, k=4, mu=0.9, random_state=0)


@pytest.fixture(scope="module")
def fitted(data):
    return PanelSizeCV(sizes=SIZES, cv=4).fit(*data)


def test_errors_are_those_of_one_machine_per_split_and_size(data, fitted):
    X, y = data
    errors = np.empty((4, len(SIZES)))
    for split, (train, test) in enumerate(StratifiedKFold(4).split(X, y)):
        for place, size in enumerate(SIZES):
            machine = SupportFeatureMachine(max_features=size).fit(X[train], y[train])
            decided = machine.predict(X[test])
            errors[split, place] = 1.0 - balanced_accuracy_score(y[test], decided)
    front = fitted.front_
    np.testing.assert_allclose(front.errors, errors)
    np.testing.assert_allclose(front.mean_errors, errors.mean(axis=0))
    np.testing.assert_allclose(front.standard_errors, errors.std(axis=0, ddof=1) / 2.0)
    assert len(np.unique(errors)) > 3


def test_panels_are_those_of_the_machines_on_all_samples(data, fitted):
    for size, panel in zip(SIZES, fitted.panels_, strict=True):
        machine = SupportFeatureMachine(max_features=size).fit(*data)
        assert np.flatnonzero(machine.support_).tolist() == panel.tolist()
        assert len(panel) == size
        if size == fitted.max_features_:
            np.testing.assert_allclose(machine.coef_, fitted.coef_)
    assert fitted.support_.sum() == fitted.max_features_


def test_the_temperature_is_that_of_panels_chosen_without_the_samples(data, fitted):
    X, y = data
    decisions = np.empty(len(y))
    for train, test in StratifiedKFold(4).split(X, y):
        machine = SupportFeatureMachine(max_features=fitted.max_features_).fit(X[train], y[train])
        decisions[test] = machine.decision_function(X[test])
    codes = (y == fitted.classes_[1]).astype(int)
    wanted = fit_temperature(pair_scores(decisions), codes)
    assert fitted.best_estimator_.temperature_ == pytest.approx(wanted, rel=1e-3)
    risk = 1.0 / (1.0 + np.exp(-fitted.decision_function(X) / wanted))
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], risk, atol=1e-3)


def test_the_smallest_size_within_one_standard_error_of_the_best(data, fitted):
    errors = fitted.front_.errors
    best = int(np.argmin(errors.mean(axis=0)))
    behind = errors - errors[:, [best]]
    allowed = behind.std(axis=0, ddof=1) / np.sqrt(len(errors))
    good = np.flatnonzero(behind.mean(axis=0) <= allowed + 1e-12)
    assert fitted.max_features_ == SIZES[good[0]]
    bold = PanelSizeCV(sizes=SIZES, cv=4, one_standard_error=False).fit(*data)
    assert bold.best_score_ == pytest.approx(1.0 - errors.mean(axis=0).min())
    by_loss = PanelSizeCV(sizes=SIZES, cv=4, criterion="log_loss", one_standard_error=False)
    by_loss.fit(*data)
    assert by_loss.cv_results_["rank_test_log_loss"][by_loss.best_index_] == 1


def test_one_first_program_per_split(data, monkeypatch):
    counted = []
    solve = joint.solve_joint
    monkeypatch.setattr(joint, "solve_joint", lambda *a, **k: counted.append(1) or solve(*a, **k))
    PanelSizeCV(sizes=range(1, 9), cv=3).fit(*data)
    assert len(counted) == 3 + 2  # the splits; all samples, for the panels and for the machine


@pytest.mark.parametrize("inner", [None, ZeroNormSVM(C=1.0), Liknon(C=0.5)])
def test_three_classes_and_other_machines(inner):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 15)
    X = rng.standard_normal((45, 40))
    X[:, 3] += 3.0 * (y == "a")
    X[:, 8] += 3.0 * (y == "c")
    machine = PanelSizeCV(inner, sizes=[1, 2, 3], cv=3).fit(X, y)
    assert machine.max_features_ == 2
    assert np.flatnonzero(machine.support_).tolist() == [3, 8]
    assert machine.coef_.shape == (3, 40)
    assert machine.score(X, y) > 0.8


def test_sparse_values_give_the_same(data, fitted):
    X, y = data
    thin = PanelSizeCV(sizes=SIZES, cv=4).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.front_.errors, fitted.front_.errors)


def test_groups_stay_together(data):
    X, y = data
    groups = np.arange(60) // 2
    X, y = np.repeat(X[::2], 2, axis=0), np.repeat(y[::2], 2)  # pairs of the same sample
    blind = PanelSizeCV(sizes=[20], cv=3, random_state=0).fit(X, y)
    told = PanelSizeCV(sizes=[20], cv=3, random_state=0).fit(X, y, groups=groups)
    assert blind.best_score_ > told.best_score_


def test_by_default_one_to_twenty_or_to_all_features(data):
    X, y = data
    assert PanelSizeCV(cv=2).fit(X[:, :5], y).front_.sizes.tolist() == [1, 2, 3, 4, 5]
    assert PanelSizeCV(cv=2).fit(X, y).front_.sizes.tolist() == list(range(1, 21))


def test_rules_hold_for_panels_of_every_size(data):
    X, y = data
    inner = SupportFeatureMachine(include=[8, 9], exclude=[0])
    machine = PanelSizeCV(inner, cv=2).fit(X[:, :12], y)
    assert machine.front_.sizes.tolist() == list(range(2, 13))
    for size, panel in zip(machine.front_.sizes, machine.panels_, strict=True):
        assert {8, 9} <= set(panel.tolist())
        assert 0 not in panel
        assert len(panel) == min(size, 11)
    groups = np.arange(12) // 2
    inner = SupportFeatureMachine(feature_groups=groups, one_per_group=True)
    machine = PanelSizeCV(inner, sizes=[1, 4], cv=2).fit(X[:, :12], y)
    for size, panel in zip([1, 4], machine.panels_, strict=True):
        assert len(set(groups[panel])) == len(panel) == size
        alone = SupportFeatureMachine(
            max_features=size, feature_groups=groups, one_per_group=True
        ).fit(X[:, :12], y)
        assert np.flatnonzero(alone.support_).tolist() == panel.tolist()


def test_names_are_shown():
    panels = (np.array([1]), np.arange(8))
    names = np.array([f"gene{number}" for number in range(9)])
    front = PanelFront(np.array([1, 8]), np.array([[0.3, 0.2]]), 0, panels, names)
    lines = str(front).splitlines()
    assert lines[1].startswith(">  1")
    assert lines[1].endswith("nan  gene1")
    assert lines[2].endswith("gene5 and 2 more")


def test_the_figure_shows_means_spread_and_choice(fitted):
    ax = plot_panel_sizes(fitted.front_, ax=Figure().subplots())
    lines = {line.get_marker(): line for line in ax.get_lines()}
    np.testing.assert_allclose(lines["o"].get_ydata(), fitted.front_.mean_errors)
    assert lines["D"].get_xdata() == [fitted.max_features_]
    (bars,) = ax.containers
    tops = np.array([segment[1, 1] for segment in bars.lines[2][0].get_segments()])
    np.testing.assert_allclose(tops, fitted.front_.mean_errors + fitted.front_.standard_errors)
    assert len(ax.get_lines()) >= 4 + 2  # one per split


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        (PanelSizeCV(sizes=[0, 1]), "sizes must be whole numbers"),
        (PanelSizeCV(sizes=[]), "sizes must be whole numbers"),
        (PanelSizeCV(sizes=[1.5]), "sizes must be whole numbers"),
        (PanelSizeCV(sizes=[1, 99]), "X has 80 feature"),
        (PanelSizeCV(criterion="auc"), "criterion"),
        (PanelSizeCV(one_standard_error=2), "one_standard_error"),
        (PanelSizeCV(ZeroNormSVM()), "finite value"),
        (PanelSizeCV(SupportFeatureMachine(multi_class="separate")), "no panels"),
        (PanelSizeCV(FeatureSelectionConcave()), "no panels"),
        (
            PanelSizeCV(SupportFeatureMachine(min_per_class=1), sizes=[1, 2]),
            "min_per_class=1 for each of 2",
        ),
        (
            PanelSizeCV(SupportFeatureMachine(include=[8, 9]), sizes=[1, 2]),
            "include names 2 features",
        ),
    ],
)
def test_bad_input(data, machine, reason):
    with pytest.raises(ValueError, match=reason):
        machine.fit(*data)
