"""All pairs of conditions, against the same done by hand with scikit-learn."""

import re
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from fewest import NotSeparableError, SupportFeatureMachine, SupportFeatureMachineCV
from fewest.neuro.analyses import all_pairs


def by_hand(estimator, X, y, groups):
    errors, supports = [], []
    for train, test in LeaveOneGroupOut().split(X, y, groups):
        machine = estimator.fit(X[train], y[train])
        errors.append(np.mean(machine.predict(X[test]) != y[test]))
        supports.append(machine.support_.copy())
    return np.array(errors), np.array(supports)


@pytest.mark.parametrize("estimator", [None, SupportFeatureMachine(C=0.5)])
def test_every_pair_is_as_by_hand(trials, estimator):
    found = all_pairs(estimator, trials.X, trials.y, groups=trials.groups)
    assert found.conditions == ("anger", "fear", "joy")
    assert [(p.first, p.second) for p in found.pairs] == list(combinations(found.conditions, 2))
    machine = SupportFeatureMachine(C=np.inf) if estimator is None else estimator
    for pair in found.pairs:
        rows = np.isin(trials.y, [pair.first, pair.second])
        errors, supports = by_hand(machine, trials.X[rows], trials.y[rows], trials.groups[rows])
        seen = pair.performance
        np.testing.assert_allclose(seen.errors, errors)
        np.testing.assert_array_equal(seen.sizes, supports.sum(axis=1))
        np.testing.assert_array_equal(seen.selected_in, supports.sum(axis=0))
        np.testing.assert_array_equal(seen.left_out, [0, 1, 2, 3])
        assert seen.error == pytest.approx(errors.mean())
        assert seen.error_sd == pytest.approx(errors.std(ddof=1))
        assert seen.n_features_sd == pytest.approx(supports.sum(axis=1).std(ddof=1))


def test_machines_that_choose_inside_keep_groups_together(trials):
    machine = SupportFeatureMachineCV(cv=LeaveOneGroupOut())
    pair = all_pairs(machine, trials.X, trials.y, groups=trials.groups).pairs[0]
    rows = np.isin(trials.y, [pair.first, pair.second])
    X, y, groups = trials.X[rows], trials.y[rows], trials.groups[rows]
    for train, test in LeaveOneGroupOut().split(X, y, groups):
        machine.fit(X[train], y[train], groups=groups[train])
        place = groups[test][0]
        assert pair.performance.sizes[place] == machine.support_.sum()
        assert pair.performance.errors[place] == np.mean(machine.predict(X[test]) != y[test])


def test_the_planted_condition_is_the_easy_one(trials):
    found = all_pairs(
        None, trials.X, trials.y, groups=trials.groups, conditions=["joy", "anger", "fear"]
    )
    errors, features = found.errors(), found.features()
    assert max(errors[0, 1:]) < errors[1, 2]
    assert max(features[0, 1:]) < features[1, 2]
    np.testing.assert_array_equal(errors, errors.T)
    assert np.isnan(np.diag(errors)).all()
    assert found.error == pytest.approx(np.nanmean(errors))
    assert found.n_features == pytest.approx(np.nanmean(features))


def test_error_is_balanced(trials):
    """A group with four samples of one class and one of the other: each class counts one half."""
    joy = np.flatnonzero(trials.y == "joy")[3:]  # one of them is left in the first group
    kept = np.concatenate([joy, np.flatnonzero(trials.y == "fear")])
    X, y, groups = trials.X[kept], trials.y[kept], trials.groups[kept]
    found = all_pairs(None, X, y, groups=groups).pairs[0].performance
    machine = SupportFeatureMachine(C=np.inf).fit(X[groups > 0], y[groups > 0])
    wrong = machine.predict(X[groups == 0]) != y[groups == 0]
    by_class = [wrong[y[groups == 0] == name].mean() for name in ("joy", "fear")]
    assert np.sum(y[groups == 0] == "joy") != np.sum(y[groups == 0] == "fear")
    assert found.errors[0] == pytest.approx(np.mean(by_class))


def test_parallel_sparse_and_other_machines(trials):
    plain = all_pairs(None, trials.X, trials.y, groups=trials.groups)
    for X, n_jobs in ((trials.X, 2), (sparse.csc_array(trials.X), None)):
        other = all_pairs(None, X, trials.y, groups=trials.groups, n_jobs=n_jobs)
        np.testing.assert_allclose(other.errors(), plain.errors())
        np.testing.assert_allclose(other.features(), plain.features())
    svm = LinearSVC(penalty="l1", dual=False, C=0.1, random_state=0)
    pair = all_pairs(svm, trials.X, trials.y, groups=trials.groups).pairs[0]
    assert 0 < pair.performance.n_features < trials.X.shape[1]


def test_table(trials):
    text = str(
        all_pairs(None, trials.X, trials.y, groups=trials.groups, conditions=["joy", "fear"])
    )
    lines = text.splitlines()
    assert lines[0].split() == ["features", "error"]
    assert re.fullmatch(r" +joy vs\. fear +\d+\.\d ± \d+\.\d +0\.\d\d ± 0\.\d\d", lines[1])
    assert lines[2].split()[:3] == ["all", "pairs", "(mean)"]


def test_a_bar_is_shown_on_request(trials, capsys):
    rows = np.isin(trials.y, ["joy", "fear"])
    all_pairs(None, trials.X[rows], trials.y[rows], groups=trials.groups[rows], verbose=1)
    assert "leave one group out" in capsys.readouterr().err


def test_messages(trials):
    X, y, groups = trials.X, trials.y, trials.groups
    with pytest.raises(ValueError, match="at least two classes, but y .* one class: .joy."):
        all_pairs(None, X, np.full(len(y), "joy"), groups=groups)
    with pytest.raises(ValueError, match="groups must name the participant or run"):
        all_pairs(None, X, y, groups=None)
    with pytest.raises(ValueError, match="conditions name sadness, but y holds anger, fear, joy"):
        all_pairs(None, X, y, groups=groups, conditions=["joy", "sadness"])
    with pytest.raises(ValueError, match="at least 2 different classes of y; got joy, joy"):
        all_pairs(None, X, y, groups=groups, conditions=["joy", "joy"])
    with pytest.raises(ValueError, match="group 0 has samples of one class only"):
        all_pairs(None, X[2:], y[2:], groups=np.where(np.arange(len(y)) < 4, 0, 1)[2:])
    with pytest.raises(ValueError, match="does not say which features it uses"):
        all_pairs(KNeighborsClassifier(), X, y, groups=groups)
    with pytest.raises(NotSeparableError, match="anger and fear, without group 0: .*C=1.0"):
        all_pairs(None, X[:, :2], y, groups=groups)
