"""`fewest select` with more than two classes: one panel, errors class by class, confused pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold

from fewest import SupportFeatureMachine
from fewest.report._confusion import describe_classes, find_confused
from tests.tables.samples import NAMES, three_classes, write_csv


@pytest.fixture
def overlapping():
    """Three classes with errors between them; the first one is small."""
    X, y = three_classes()
    X[:, 6] -= 2.5 * (y == 3)
    kept = np.flatnonzero((y != 1) | (np.arange(len(y)) < 24))
    return X[kept], y[kept]


def predict_held_out(X, y, n_folds=3):
    predicted = np.empty_like(y)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    for train, test in folds.split(X, y):
        predicted[test] = SupportFeatureMachine().fit(X[train], y[train]).predict(X[test])
    return predicted


def test_json_has_one_panel(run, tmp_path):
    X, y = three_classes()
    machine = SupportFeatureMachine().fit(X, y)
    path = write_csv(tmp_path / "three.csv", X, y)
    answer = run(
        *("select", path, "--target", "group", "--method", "sfm", "--cv", 0, "--json", "-")
    ).json["answer"]
    assert answer["hyperplanes"] == []
    panel = answer["panel"]
    assert panel["classes"] == [1, 2, 3]
    np.testing.assert_allclose(panel["intercepts"], machine.intercept_)
    columns = [feature["column"] for feature in panel["features"]]
    assert sorted(columns) == np.flatnonzero(machine.support_).tolist()
    for feature in panel["features"]:
        raw = machine.coef_[:, feature["column"]]
        np.testing.assert_allclose(feature["coefficients"], raw)
        weights = np.array(feature["weights"])
        assert weights.max() == pytest.approx(-weights.min())
        np.testing.assert_allclose(
            np.diff(weights), np.diff(raw * X[:, feature["column"]].std()), atol=1e-12
        )
        high = [
            label for label, one in zip([1, 2, 3], weights, strict=True) if one >= weights.max() / 2
        ]
        assert feature["speaks_for"] == high
    (result,) = machine.results_
    assert panel["certificate"]["objective"] == pytest.approx(result.steps[0].objective)
    assert panel["certificate"]["lower_bound"] == pytest.approx(result.steps[0].bound)


def test_errors_of_every_class_agree_with_scikit_learn(run, tmp_path, overlapping):
    X, y = overlapping
    confusion = confusion_matrix(y, predict_held_out(X, y))
    path = write_csv(tmp_path / "overlap.csv", X, y)
    arguments = ("select", path, "--target", "group", "--method", "sfm", "--cv", 3)
    found = run(*arguments, "--json", "-").json["trust"]["validation"]
    assert found["confusion"] == confusion.tolist()
    assert [one["label"] for one in found["classes"]] == [1, 2, 3]
    assert [one["n_judged"] for one in found["classes"]] == np.bincount(y)[1:].tolist()
    wrong = confusion.sum(axis=1) - np.diag(confusion)
    assert wrong.sum() > 0
    assert [one["n_errors"] for one in found["classes"]] == wrong.tolist()
    assert [one["is_small"] for one in found["classes"]] == [True, False, False]
    text = run(*arguments).out
    for label, n, bad in zip([1, 2, 3], confusion.sum(axis=1), wrong, strict=True):
        (line,) = [line for line in text.splitlines() if line.startswith(f"  {label}  ")]
        assert line.split()[:3] == [str(label), str(n), str(bad)]
        assert line.endswith("few samples") == (n < 10)
    shares = confusion / confusion.sum(axis=1, keepdims=True)
    for one, other in combinations(range(3), 2):
        if shares[one, other] < shares[other, one]:
            one, other = other, one
        if confusion[one, other]:
            count, n = confusion[one, other], confusion[one].sum()
            assert f"  {count} of {n} {one + 1} predicted as {other + 1}" in text
        if confusion[other, one]:
            assert f", and {confusion[other, one]} of {confusion[other].sum()} the other" in text


def test_text_has_one_panel_and_one_proof(run, tmp_path):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    given = ("select", path, "--target", "group", "--method", "sfm", "--cv", 3)
    assert "proven lower bound" not in run(*given).out
    text = run(*given, "--verbose").out
    assert "for 3 classes together" in text
    assert text.count("proven lower bound") == 1
    assert "against the rest" not in text
    (line,) = [line for line in text.splitlines() if line.startswith("  gene_5")]
    assert line.split()[2] == "2"  # it is larger in this class alone


def test_no_pair_is_confused(run, tmp_path):
    X, y = three_classes()
    X[:, 5] += 30.0 * y
    path = write_csv(tmp_path / "apart.csv", X, y)
    text = run("select", path, "--target", "group", "--method", "sfm").out
    assert "No two classes were confused." in text


@pytest.mark.parametrize("method", ["sfm", "weston", "liknon"])
def test_at_most_so_many_features(run, tmp_path, method):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    options = ("--target", "group", "--cv", 0, "--method", method, "--max-features", 1, "--C", 1)
    report = run("select", path, *options, "--json", "-").json
    assert report["answer"]["n_selected"] == 1
    assert report["question"]["parameters"]["max_features"] == 1


def test_nothing_selected(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((45, len(NAMES)))
    path = write_csv(tmp_path / "noise.csv", X, np.arange(45) % 3)
    ran = run("select", path, "--target", "group", "--method", "liknon", "--C", 1e-4, "--cv", 0)
    assert ran.code == 0
    assert "Selected: 0 of 30 features" in ran.out
    assert "Raise --C" in ran.out


def test_many_classes_are_cut_to_the_worst(run, tmp_path, monkeypatch):
    monkeypatch.setattr("fewest.cli._panel_text._MOST_CLASSES", 2)
    path = write_csv(tmp_path / "three.csv", *three_classes())
    text = run("select", path, "--target", "group", "--method", "sfm", "--cv", 3).out
    assert "and 1 more with smaller errors" in text


def test_confused_pairs_count_small_classes_as_large_ones():
    confusion = np.array([[90, 10, 0], [0, 98, 2], [0, 5, 5]])
    pairs = find_confused(confusion, ["a", "b", "c"])
    assert [(one.one, one.other) for one in pairs] == [("b", "c"), ("a", "b")]
    assert pairs[0].share == pytest.approx((2 / 100 + 5 / 10) / 2)
    assert (pairs[0].n_one_as_other, pairs[0].n_other_as_one) == (2, 5)


def test_a_class_that_was_never_judged_has_no_error():
    confusion, right = np.array([[3, 0], [0, 0]]), np.zeros(3)
    (_, empty) = describe_classes(confusion, ["a", "b"], right, right.astype(int), None)
    assert (empty.n_judged, empty.error, empty.interval) == (0, None, None)


def test_two_classes_have_no_such_table(run, table):
    assert "class by class" not in run("select", table, "--target", "group").out
