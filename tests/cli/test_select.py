"""`fewest select`: what it prints and writes is what the estimator says."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from fewest import SupportFeatureMachine, SupportFeatureMachineCV
from tests.tables.samples import NAMES, three_classes, two_classes, write_csv


def test_json_agrees_with_the_estimator(run, table):
    X, y = two_classes()
    machine = SupportFeatureMachine().fit(X, y)
    report = run("select", table, "--target", "group", "--method", "sfm", "--json", "-").json

    (written,) = report["answer"]["hyperplanes"]
    columns = [feature["column"] for feature in written["features"]]
    assert sorted(columns) == np.flatnonzero(machine.support_).tolist()
    assert report["answer"]["selected"] == [NAMES[column] for column in sorted(columns)]
    weights = [feature["weight"] for feature in written["features"]]
    np.testing.assert_allclose(weights, machine.coef_[0, columns] * X[:, columns].std(axis=0))
    assert np.all(np.diff(np.abs(weights)) <= 0)
    for feature in written["features"]:
        column = feature["column"]
        assert feature["name"] == NAMES[column]
        means = [X[y == label, column].mean() for label in ("healthy", "ill")]
        np.testing.assert_allclose(feature["class_means"], means)
    assert written["positive_class"] == "ill"
    np.testing.assert_allclose(written["intercept"], machine.intercept_[0])

    first = machine.result_.steps[0]
    certificate = written["certificate"]
    assert certificate["objective"] == pytest.approx(first.objective)
    assert certificate["lower_bound"] == pytest.approx(first.bound)
    assert certificate["relative_gap"] < 1e-7
    assert certificate["samples_on_wrong_side"] == np.sum(machine.result_.slack > 0)
    assert report["answer"]["training"]["n_errors"] == np.sum(machine.predict(X) != y)


@pytest.mark.parametrize("repeats", [1, 2])
def test_cross_validation_agrees_with_scikit_learn(run, table, repeats):
    X, y = two_classes()
    if repeats == 1:
        folds = StratifiedKFold(4, shuffle=True, random_state=7)
    else:
        folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=repeats, random_state=7)
    plain, balanced, selected = [], [], []
    for train, test in folds.split(X, y):
        machine = SupportFeatureMachine(0.5).fit(X[train], y[train])
        predicted = machine.predict(X[test])
        plain.append(np.mean(predicted != y[test]))
        balanced.append(1 - balanced_accuracy_score(y[test], predicted))
        selected.append([NAMES[column] for column in np.flatnonzero(machine.support_)])

    arguments = ("--C", 0.5, "--cv", 4, "--repeats", repeats, "--seed", 7, "--json", "-")
    report = run("select", table, "--target", "group", *arguments).json
    written = report["trust"]["validation"]
    np.testing.assert_allclose([fold["error"] for fold in written["folds"]], plain)
    np.testing.assert_allclose([fold["balanced_error"] for fold in written["folds"]], balanced)
    assert [fold["features"] for fold in written["folds"]] == selected
    assert written["over_folds"]["balanced_error"]["mean"] == pytest.approx(np.mean(balanced))
    assert written["over_folds"]["balanced_error"]["sd"] == pytest.approx(np.std(balanced, ddof=1))
    assert written["over_folds"]["n_features"]["mean"] == pytest.approx(
        np.mean([len(s) for s in selected])
    )
    for feature in report["answer"]["hyperplanes"][0]["features"]:
        assert feature["folds_selected"] == sum(feature["name"] in names for names in selected)


def test_options_reach_the_estimator(run, table):
    X, y = two_classes()
    options = ("--C", "inf", "--constraint", "mean_margin", "--class-weight", "none")
    options += ("--no-standardize", "--refit", "none", "--cv", 0)
    report = run("select", table, "--target", "group", *options, "--json", "-").json
    machine = SupportFeatureMachine(
        np.inf, constraint="mean_margin", class_weight=None, standardize=False, refit=None
    ).fit(X, y)
    features = report["answer"]["hyperplanes"][0]["features"]
    coefficients = {feature["column"]: feature["coefficient"] for feature in features}
    assert sorted(coefficients) == np.flatnonzero(machine.support_).tolist()
    for column, value in coefficients.items():
        assert value == pytest.approx(machine.coef_[0, column])
    assert report["question"]["parameters"]["C"] == "inf"
    assert report["question"]["parameters"]["refit"] is None
    assert report["trust"]["validation"] is None
    assert set(report["seconds"]) == {"reading", "fitting"}


def test_json_describes_the_run(run, table):
    report = run("select", table, "--target", "group", "--drop", "gene_0", "--json", "-").json
    assert (report["schema"], report["schema_version"]) == ("fewest.result", 1)
    assert report["command"] == "select"
    assert report["data"]["file"] == str(table)
    assert (report["data"]["n_samples"], report["data"]["n_features"]) == (40, 29)
    assert report["data"]["dropped"] == ["gene_0"]
    assert report["data"]["classes"] == [
        {"label": "healthy", "n_samples": 20, "is_small": False},
        {"label": "ill", "n_samples": 20, "is_small": False},
    ]
    packages = {"python", "fewest", "numpy", "scipy", "scikit-learn", "highspy", "numba"}
    assert set(report["versions"]) == packages
    assert all(report["versions"].values())
    assert all(seconds >= 0 for seconds in report["seconds"].values())


def test_printed_report(run, table):
    assert "relative gap" not in run("select", table, "--target", "group", "--C", 3).out
    ran = run("select", table, "--target", "group", "--C", 3, "--verbose")
    assert ran.code == 0
    assert ran.err == ""
    for part in (
        "40 samples, 30 features",
        "healthy (20), ill (20)",
        "gene_4",
        "gene_17",
        "mean healthy",
        "Training error",
        "Cross-validated error   balanced",
        "selected again in every fold",
        "proven lower bound",
        "relative gap",
        "selection: no training error",
        "reading",
        "fitting",
    ):
        assert part in ran.out
    table_lines = [line for line in ran.out.splitlines() if line.startswith("  gene_")]
    assert len({len(line) for line in table_lines}) == 1


def test_the_certificate_names_samples_on_the_wrong_side(run, tmp_path):
    path = write_csv(tmp_path / "overlap.csv", *two_classes(shift=0.5))
    soft = run("select", path, "--target", "group", "--C", 0.3, "--cv", 0, "--verbose").out
    assert "on the wrong side" in soft
    separable = write_csv(tmp_path / "apart.csv", *two_classes(shift=9.0))
    apart = run("select", separable, "--target", "group", "--cv", 0, "--verbose").out
    assert "no training error" in apart


def test_no_feature_selected(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((40, len(NAMES)))
    y = np.array(["a"] * 30 + ["b"] * 10)
    path = write_csv(tmp_path / "noise.csv", X, y)
    options = ("--constraint", "mean_margin", "--class-weight", "none", "--C", 0.01, "--cv", 0)
    ran = run("select", path, "--target", "group", *options)
    assert ran.code == 0
    assert "Raise --C" in ran.out


def test_three_classes_one_by_one(run, tmp_path):
    X, y = three_classes()
    machine = SupportFeatureMachine(multi_class="separate").fit(X, y)
    path = write_csv(tmp_path / "three.csv", X, y)
    options = ("--target", "group", "--multi-class", "separate")
    text = run("select", path, *options).out
    report = run("select", path, *options, "--json", "-").json
    assert [entry["positive_class"] for entry in report["answer"]["hyperplanes"]] == [1, 2, 3]
    assert report["answer"]["panel"] is None
    for row, written in enumerate(report["answer"]["hyperplanes"]):
        assert f"Class {row + 1} against the rest" in text
        columns = sorted(feature["column"] for feature in written["features"])
        assert columns == np.flatnonzero(machine.supports_[row]).tolist()
        first = machine.results_[row].steps[0]
        assert written["certificate"]["objective"] == pytest.approx(first.objective)
        for feature in written["features"]:
            rest = X[y != row + 1, feature["column"]].mean()
            assert feature["rest_mean"] == pytest.approx(rest)


def test_a_hyperplane_for_each_of_three_classes(run, tmp_path):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    options = ("--target", "group", "--constraint", "mean_margin", "--verbose")
    text = run("select", path, *options).out
    for label in (1, 2, 3):
        assert f"Class {label} against the rest: " in text
    assert "of 30 features, for 3 classes together\n" in text
    assert text.count("relative gap") == 3


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (np.array([0, 7]), [0, 7]),
        (np.array([True, False]), [False, True]),
        (np.array(["None", "01"]), ["01", "None"]),
        (np.array([1.0, 2.0]), [1.0, 2.0]),
    ],
)
def test_labels_stay_as_they_are(run, tmp_path, labels, expected):
    X, y = two_classes()
    path = write_csv(tmp_path / "labels.csv", X, labels[(y == "ill").astype(int)])
    classes = run("select", path, "--target", "group", "--json", "-").json["data"]["classes"]
    found = [entry["label"] for entry in classes]
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]


def test_long_and_odd_names_are_cut_and_escaped_in_the_table_only(run, tmp_path):
    X, y = two_classes(shift=9.0)
    names = list(NAMES)
    names[4] = "a\x1b[31m" + "b" * 100
    path = write_csv(tmp_path / "odd.csv", X[:, [4, 0]], y, [names[4], "gene_0"])
    ran = run("select", path, "--target", "group", "--json", tmp_path / "odd.json")
    assert "\x1b" not in ran.out
    assert "a\\x1b[31mbbb" in ran.out
    assert "b" * 40 not in ran.out
    assert json.loads((tmp_path / "odd.json").read_text())["answer"]["selected"] == [names[4]]


def test_quiet_prints_names_only(run, table):
    ran = run("select", table, "--target", "group", "--quiet")
    names = run("select", table, "--target", "group", "--json", "-").json["answer"]["selected"]
    assert ran.out.splitlines() == names
    assert ran.err.startswith("Better than guessing: ")


def test_json_file_and_text_together(run, table, tmp_path):
    ran = run("select", table, "--target", "group", "--json", tmp_path / "out.json")
    assert f"Written: {tmp_path / 'out.json'}" in ran.out
    assert "Selected:" in ran.out
    assert json.loads((tmp_path / "out.json").read_text())["answer"]["selected"]


def test_hard_machine_on_classes_that_overlap(run, tmp_path):
    X, y = two_classes(shift=0.0)
    path = write_csv(tmp_path / "overlap.csv", X[:, :2], y, NAMES[:2])
    ran = run("select", path, "--target", "group", "--C", "inf", "--json", tmp_path / "out.json")
    assert ran.code == 3
    assert ran.err.startswith("fewest: error: no hyperplane on the 2 features")
    assert "--C 1" in ran.err
    assert not (tmp_path / "out.json").exists()


def test_warnings_become_notes(run, table, monkeypatch):
    monkeypatch.setattr("fewest.cli.select.make_estimator", _hurried_machine)
    ran = run("select", table, "--target", "group", "--C", 2)
    assert "Note: Warning: the selection still changed after max_iter=1" in ran.out
    assert "Note: In a fold: Warning: the selection still changed" in ran.out
    assert ran.err == ""


def _hurried_machine(arguments, rules, **_):
    return SupportFeatureMachine(arguments.C, max_iter=1)


def test_the_default_chooses_its_cost(run, table):
    report = run("select", table, "--target", "group", "--json", "-").json
    X, y = two_classes()
    expected = SupportFeatureMachineCV(random_state=0).fit(X, y)
    assert report["question"]["estimator"] == "SupportFeatureMachineCV"
    assert float(report["question"]["chosen"]["C"]) == pytest.approx(expected.C_)
    selected = [NAMES[column] for column in np.flatnonzero(expected.support_)]
    assert report["answer"]["selected"] == selected
    assert "Chosen C: " in run("select", table, "--target", "group", "--cv", 0).out


@pytest.mark.parametrize("option", [("--C", 2), ("--max-features", 2), ("--certify",)])
def test_options_of_one_machine_ask_for_it(option, run, table):
    ran = run("select", table, "--target", "group", "--cv", 0, "--json", "-", *option)
    assert ran.json["question"]["estimator"] == "SupportFeatureMachine"


def test_certified_set_is_the_answer(run, table):
    ran = run("select", table, "--target", "group", "--certify")
    assert ran.code == 0
    proven = run("minimum", table, "--target", "group", "--json", "-").json
    assert f"Selected: {proven['trust']['minima'][0]['size']} of 30 features" in ran.out
    assert "Every fold looked for a smallest set of its own" in ran.out


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--C", 1), "--certify looks for sets that leave no training error."),
        (("--max-features", 3), "--certify finds the number of features."),
        (("--method", "weston"), "--certify belongs to --method sfm, not to weston"),
    ],
)
def test_what_does_not_go_with_a_proof(options, part, refused, table):
    assert part in refused(table, "--target", "group", "--certify", *options)
