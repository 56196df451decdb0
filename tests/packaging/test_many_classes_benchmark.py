"""The benchmark of many classes: its data, its folds, and that nobody is given less than others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchmarks import many_classes, many_classes_cache, many_classes_peers
from benchmarks.many_classes_data import Fold, ManyClasses, make_codes


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Four classes in 40 features, and a folder for what is kept."""
    monkeypatch.setattr(many_classes_cache, "FOLDER", tmp_path / "kept")
    X, y, informative = make_codes(4, n_per_class=15, n_features=40, length=6, strength=2.0)
    return ManyClasses("small", X, y, sizes=(2, 4), informative=informative)


def test_codes_are_planted():
    X, y, informative = make_codes(12, n_per_class=50, n_features=300, strength=1.5)
    assert X.shape == (600, 300)
    assert len(informative) == 12
    means = np.array([X[y == label].mean(axis=0) for label in range(12)])
    words = np.sign(means[:, informative])
    np.testing.assert_allclose(means[:, informative], 1.5 * words, atol=0.7)
    for one in range(12):
        for other in range(one):
            assert np.sum(words[one] != words[other]) >= 3
    assert np.all(np.ptp(words, axis=0) == 2)
    noise = np.delete(means, informative, axis=1)
    assert np.abs(noise).max() < 0.8
    again, _, _ = make_codes(12, n_per_class=50, n_features=300, strength=1.5)
    np.testing.assert_array_equal(X, again)
    other, _, _ = make_codes(12, n_per_class=50, n_features=300, strength=1.5, seed=1)
    assert not np.array_equal(X, other)


def test_folds_are_standardised_by_their_training_part(small):
    X = np.column_stack([np.ones(60), small.X])
    folds = list(ManyClasses("with a constant", X, small.y, repeats=2).folds())
    assert len(folds) == 10
    for fold in folds:
        np.testing.assert_array_equal(fold.names, np.arange(1, 41))
        np.testing.assert_allclose(fold.X.mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(fold.X.std(axis=0), 1.0)
        assert np.abs(fold.X_left_out.mean(axis=0)).max() > 0.01
        np.testing.assert_array_equal(np.bincount(fold.y), 12)
        np.testing.assert_array_equal(np.bincount(fold.y_left_out), 3)


def test_one_norm_on_a_growing_set_is_one_norm_on_all_features(small):
    fold = next(small.folds())
    path = many_classes_peers._L1Path(fold.X, fold.y)
    smallest = path.smallest_cost()
    for C in (0.99 * smallest, 2.0 * smallest, 8.0 * smallest):
        model = LogisticRegression(l1_ratio=1.0, C=C, solver="saga", tol=1e-8, max_iter=20_000)
        size = np.abs(model.fit(fold.X, fold.y).coef_).max(axis=0)
        clear = np.flatnonzero(size > 1e-2)
        found = path.largest_first(C)
        assert set(clear) <= set(found) <= set(np.flatnonzero(size > 0))


def test_one_norm_chooses_as_many_as_asked(small):
    fold = next(small.folds())
    chosen = many_classes_peers.by_l1(fold.X, fold.y, (2, 4))
    assert [len(set(chosen[k])) for k in (2, 4)] == [2, 4]


@pytest.mark.parametrize("name", ["fastcan", "wilcoxon", "abess", "mrmr"])
def test_peers_find_planted_features(name):
    pytest.importorskip({"wilcoxon": "scanpy"}.get(name, name))
    X, y, informative = make_codes(4, n_per_class=30, n_features=40, length=6, strength=2.0)
    chosen = getattr(many_classes_peers, f"by_{name}")(
        (X - X.mean(axis=0)) / X.std(axis=0), y, (2, 4)
    )
    assert [len(set(chosen[k])) for k in (2, 4)] == [2, 4]
    assert set(chosen[4]) <= set(informative)


def test_missing_peers_are_named(monkeypatch, capsys):
    monkeypatch.setattr(many_classes_peers, "find_spec", lambda name: name == "sklearn" or None)
    assert list(many_classes_peers.peers()) == ["L1 multinomial"]
    assert "fastcan: skipped, fastcan is not installed" in capsys.readouterr().out


def test_choices_are_kept_by_data_and_size(small):
    calls = []

    def choose(X, y, sizes):
        calls.append(sizes)
        return {k: np.arange(k) for k in sizes}

    first, second, *_ = small.folds()
    for fold, sizes in ((first, (2, 4)), (first, (2, 4)), (first, (3,)), (second, (2, 4))):
        chosen, seconds = many_classes_cache.keep("mine", choose, fold, sizes)
        assert {k: list(v) for k, v in chosen.items()} == {k: list(range(k)) for k in sizes}
        assert seconds >= 0.0
    assert calls == [(2, 4), (3,), (2, 4)]


def test_difference_to_the_best_at_each_size():
    rivals = np.array([[[0.5, 0.9], [0.7, 0.9]], [[0.8, 0.1], [0.8, 0.3]]])
    difference, error = many_classes.subtract_best(np.array([[0.9, 0.9], [0.7, 1.0]]), rivals)
    np.testing.assert_allclose(difference, [0.0, 0.05], atol=1e-12)
    np.testing.assert_allclose(error, [0.1, 0.05])


def test_score_sees_the_chosen_features_only(small):
    fold = next(small.folds())
    spoilt = Fold(**{**fold.__dict__, "X_left_out": fold.X_left_out.copy()})
    rest = np.setdiff1d(np.arange(40), small.informative)
    spoilt.X_left_out[:, rest] = 1e6
    good = many_classes.score(fold, small.informative)
    assert many_classes.score(spoilt, small.informative) == good > 0.8
    assert many_classes.score(fold, rest[:4]) < 0.6


def test_the_table(small, capsys):
    many_classes.compare(small, {"L1 multinomial": many_classes_peers.by_l1})
    lines = capsys.readouterr().out.splitlines()
    assert "small: 60 samples, 40 features, 4 classes" in lines
    for name in (
        many_classes.OURS,
        many_classes.SEPARATE,
        "L1 multinomial",
        "own decision of ours",
    ):
        (line, *_) = (one for one in lines if one.startswith(f"  {name}"))
        scores = [float(word) for word in line[30:].split()[:2]]
        assert all(0.2 < one <= 1.0 for one in scores)
        assert scores[1] > 0.5
