"""The benchmark of panel sizes: its data, its judge, and that every method gets the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC

from benchmarks import many_classes_cache, panel_sizes, panel_sizes_peers
from benchmarks.many_classes_data import ManyClasses
from benchmarks.panel_sizes_data import load_all, make_blocks, make_few
from fewest import SupportFeatureMachine

SIZES = (1, 2, 5)


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.setattr(many_classes_cache, "FOLDER", tmp_path / "kept")
    X, y = make_few(n=50, d=30, seed=0)
    return ManyClasses("small", X, y, sizes=SIZES, repeats=2)


def test_ours_is_the_machine_with_max_features(small):
    fold = next(small.folds())
    chosen = panel_sizes.by_machine(fold.X, fold.y, SIZES)
    for k in SIZES:
        support = SupportFeatureMachine(max_features=k).fit(fold.X, fold.y).support_
        assert chosen[k].tolist() == np.flatnonzero(support).tolist()


def test_the_judge_is_one_linear_svm(small):
    fold = next(small.folds())
    machine = SVC(kernel="linear", C=1.0, class_weight="balanced").fit(fold.X[:, [0, 3]], fold.y)
    right = balanced_accuracy_score(fold.y_left_out, machine.predict(fold.X_left_out[:, [0, 3]]))
    assert panel_sizes.score(fold, np.array([0, 3])) == pytest.approx(1.0 - right)


def test_peers_choose_k_different_features(small):
    fold = next(small.folds())
    for name in ("t-test", "mRMR", "RFE, linear SVM", "L1 path"):
        choose = panel_sizes_peers.PEERS[name][0]
        for k, features in choose(fold.X, fold.y, SIZES).items():
            assert len(np.unique(features)) == len(features) == k


def test_mrmr_chooses_what_the_package_does(small):
    mrmr = pytest.importorskip("mrmr")
    pandas = pytest.importorskip("pandas")
    fold = next(small.folds())
    table, labels = pandas.DataFrame(fold.X), pandas.Series(fold.y)
    expected = mrmr.mrmr_classif(table, labels, K=5, n_jobs=1, show_progress=False)
    chosen = panel_sizes_peers.by_mrmr(fold.X, fold.y, (5,))
    assert chosen[5].tolist() == list(expected)


def test_the_difference_is_to_the_best_other_at_each_size(monkeypatch):
    ours, one, two = np.zeros((10, 2)), np.full((10, 2), 0.1), np.full((10, 2), 0.2)
    one[:, 1], ours[5:, 0] = 0.3, 0.1  # the second repeat is worse
    found = {panel_sizes.OURS: ours, "one": one, "two": two}
    best, difference, error = panel_sizes.subtract_best(found)
    assert best == ["one", "two"]
    np.testing.assert_allclose(difference, [-0.05, -0.2])
    np.testing.assert_allclose(error, [0.05, 0.0])


def test_the_table_is_printed(small, capsys, monkeypatch):
    monkeypatch.setattr(panel_sizes, "SIZES", SIZES)
    methods = {panel_sizes.OURS: panel_sizes.by_machine, "t-test": panel_sizes_peers.by_t_test}
    found = panel_sizes.compare(small, methods)
    panel_sizes.summarize("means", [found, found])
    assert found[panel_sizes.OURS].shape == (10, 3)
    assert found[panel_sizes.OURS].mean() < 0.4
    assert "ours minus it" in capsys.readouterr().out


def test_generated_data_are_among_the_data_sets():
    (data,) = load_all(("blocks",), repeats=1)
    assert data.X.shape == (80, 1000)
    np.testing.assert_array_equal(data.X, make_blocks(seed=101)[0])
    assert len(list(data.folds())) == 5
