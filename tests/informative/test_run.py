"""The whole job: curves against a plain loop, checkpoints, interrupts, parallel folds."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut

from fewest import RepetitiveSelector, SupportFeatureMachine
from fewest._estimators.splits import balanced_error
from fewest.datasets import make_brain
from fewest.informative import _run as run_module
from fewest.informative import informative_features
from fewest.informative._fold_run import run_fold


@pytest.fixture(scope="module")
def maps():
    return make_brain(4, 3, n_voxels=120, informative=0.3, strength=3.0, random_state=0)


@pytest.fixture(scope="module")
def found(maps):
    return informative_features(
        None, maps.X, maps.y, groups=maps.groups, every=2, n_permutations=8, random_state=0
    )


def test_curves_are_those_of_a_plain_loop(maps, found):
    splits = LeaveOneGroupOut().split(maps.X, maps.y, maps.groups)
    n_probes = 0
    for fold, (training, test) in zip(found.folds, splits, strict=True):
        np.testing.assert_array_equal(fold.test, test)
        selector = RepetitiveSelector().fit(maps.X[training], maps.y[training])
        np.testing.assert_array_equal(fold.sizes, np.sort(selector.sizes_))
        assert np.all(np.diff(fold.sizes) >= 0)
        for place, subset, error in zip(
            selector.ranking_, fold.subsets, fold.test_errors, strict=True
        ):
            np.testing.assert_array_equal(subset, selector.subsets_[place])
            scores = maps.X[np.ix_(test, subset)] @ selector.coefs_[place]
            predicted = np.where(scores + selector.intercepts_[place] > 0, 1, -1)
            assert error == balanced_error(maps.y[test], predicted)
        expected = np.append(np.concatenate([[0], np.cumsum(fold.sizes)])[::2], fold.n_removed)
        np.testing.assert_array_equal(fold.probe_removed, np.unique(expected))
        n_probes += len(fold.probe_errors)
    assert found.n_trained == sum(len(fold.subsets) for fold in found.folds)
    assert found.n_probes == n_probes


def test_averages_start_with_all_features_and_end_with_the_shortest_fold(maps, found):
    assert found.fraction[0] == 0.0
    assert found.fraction[-1] == pytest.approx(min(f.n_removed for f in found.folds) / 120)
    assert found.sizes[0] == np.mean([fold.sizes[0] for fold in found.folds])
    assert found.probe_error[0] == np.mean([fold.probe_errors[0] for fold in found.folds])
    assert found.band.fraction is found.fraction or len(found.band.lower) == len(found.fraction)
    assert found.folds[0].chance_errors.shape[1] == 8


def test_strong_signal_is_counted(found):
    assert found.probe_error[0] < 0.1
    # The papers' rule is an upper limit: on so few samples, a quarter is removed by chance.
    for estimate in (found.estimate, found.restricted.estimate, found.band.estimate):
        assert 0.3 < estimate < 0.45
    assert found.purity.estimate == pytest.approx(0.3, abs=0.06)
    assert found.estimate == found.sigmoid.estimate


def test_processes_and_checkpoints_change_nothing(maps, found, tmp_path):
    settings = {"groups": maps.groups, "every": 2, "n_permutations": 8, "random_state": 0}
    folder = tmp_path / "kept"
    first = informative_features(None, maps.X, maps.y, **settings, n_jobs=2, checkpoint=folder)
    assert sorted(path.name for path in folder.iterdir()) == [f"fold-00{k}" for k in range(1, 5)]
    again = informative_features(None, maps.X, maps.y, **settings, checkpoint=folder)
    for other in (first, again):
        for name in ("sizes", "selection_error", "probe_error"):
            np.testing.assert_array_equal(getattr(other, name), getattr(found, name))
        np.testing.assert_array_equal(other.band.lower, found.band.lower)
    with pytest.raises(ValueError, match="belongs to another run"):
        informative_features(None, maps.X + 1e-3, maps.y, **settings, checkpoint=folder)


def test_selector_order_average_and_no_probe(maps):
    selector = RepetitiveSelector(SupportFeatureMachine(C=1.0), n_subsets=3)
    found = informative_features(
        selector,
        maps.X,
        maps.y,
        groups=maps.groups,
        order="found",
        average="median",
        probe=None,
    )
    assert (found.probe_error, found.sigmoid, found.restricted, found.band) == (None,) * 4
    assert np.isnan(found.estimate)
    for fold in found.folds:
        training = np.setdiff1d(np.arange(len(maps.y)), fold.test)
        alone = RepetitiveSelector(SupportFeatureMachine(C=1.0), n_subsets=3)
        alone.fit(maps.X[training], maps.y[training])
        for ours, theirs in zip(fold.subsets, alone.subsets_, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert found.sizes[0] == np.median([fold.sizes[0] for fold in found.folds])
    assert not hasattr(selector, "subsets_")  # what the caller passed stays as it was


def test_labels_may_be_anything_and_folds_a_number(maps):
    words = np.where(maps.y > 0, "right", "left")
    found = informative_features(None, maps.X, words, cv=3, n_permutations=0, every=5)
    assert len(found.folds) == 3
    assert found.band is None


def _interrupted_after(count):
    done = []

    def run(*arguments):
        if len(done) == count:
            raise KeyboardInterrupt
        done.append(run_fold(*arguments))
        return done[-1]

    return run


def test_interrupted_run_keeps_what_is_there(maps, monkeypatch):
    settings = {"groups": maps.groups, "probe": None}
    monkeypatch.setattr(run_module, "run_fold", _interrupted_after(2))
    with pytest.warns(UserWarning, match="that of 2 of 4 folds"):
        found = informative_features(None, maps.X, maps.y, **settings)
    assert (len(found.folds), found.n_folds_planned) == (2, 4)
    monkeypatch.setattr(run_module, "run_fold", _interrupted_after(1))
    with pytest.raises(KeyboardInterrupt):
        informative_features(None, maps.X, maps.y, **settings)


def test_fewer_folds_than_asked_for_name_the_class(maps):
    words = np.where(maps.y > 0, "joy", "fear")
    rows = np.flatnonzero((maps.y < 0) | (np.cumsum(maps.y > 0) <= 3))
    with pytest.warns(UserWarning, match="3 folds instead of 5: class 'joy' has only 3 samples"):
        found = informative_features(None, maps.X[rows], words[rows], cv=5, probe=None)
    assert len(found.folds) == 3


def test_parameters_are_checked(maps):
    for name, value in (
        ("probe", "knn"),
        ("order", "random"),
        ("average", "max"),
        ("every", 0),
        ("n_permutations", -1),
    ):
        with pytest.raises(ValueError, match=f"{name} must be"):
            informative_features(None, maps.X, maps.y, groups=maps.groups, **{name: value})


def test_import_of_the_package_leaves_numba_alone():
    code = "import sys, fewest, fewest.machines.sfm, fewest.plotting; print('numba' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


@pytest.mark.slow
def test_soft_machine_uses_all_features_in_the_order_found(maps):
    """The size of a subset that leaves errors says little, so the order is that of finding."""
    soft = SupportFeatureMachine(C=0.3)
    how = {"groups": maps.groups, "every": 5, "n_permutations": 0}
    found = informative_features(soft, maps.X, maps.y, **how)
    by_size = informative_features(soft, maps.X, maps.y, order="size", **how)
    for fold, other in zip(found.folds, by_size.folds, strict=True):
        training = np.setdiff1d(np.arange(len(maps.y)), fold.test)
        selector = RepetitiveSelector(soft).fit(maps.X[training], maps.y[training])
        assert selector.training_errors_.max() > 0
        for ours, theirs in zip(fold.subsets, selector.subsets_, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert fold.stop_reason == "features used up"
        assert np.any(np.diff(fold.sizes) < 0)
        assert np.all(np.diff(other.sizes) >= 0)
    assert found.fraction[-1] == 1.0
    assert found.purity.estimate == pytest.approx(maps.informative.mean(), abs=0.1)


def test_hard_machine_is_ordered_by_size(maps, found):
    explicit = informative_features(
        None, maps.X, maps.y, groups=maps.groups, every=2, n_permutations=0, order="size"
    )
    for fold, other in zip(found.folds, explicit.folds, strict=True):
        np.testing.assert_array_equal(np.concatenate(fold.subsets), np.concatenate(other.subsets))
