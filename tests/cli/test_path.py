"""`fewest path`: table, JSON and figure against C."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from fewest import Liknon, SupportFeatureMachine
from fewest._estimators.splits import balanced_error
from fewest.machines.transvariation import transvariation_C
from fewest.report import _costs
from tests.tables.samples import NAMES, three_classes, two_classes, write_csv

SHORT = ("--values", 4, "--cv", 3)


@pytest.fixture
def overlap(tmp_path):
    """Two classes that share some ground, so that C matters."""
    return write_csv(tmp_path / "overlap.csv", *two_classes(shift=1.2))


@pytest.fixture
def path(run, overlap):
    """Run `fewest path` on that file."""

    def call(*arguments):
        return run("path", overlap, "--target", "group", *SHORT, *arguments)

    return call


def _machine(method, C, refit="none"):
    if method == "liknon":
        return Liknon(C, class_weight="balanced", refit=None if refit == "none" else refit)
    return SupportFeatureMachine(C)


@pytest.mark.filterwarnings("ignore:no feature was selected")
@pytest.mark.parametrize(
    ("method", "refit"), [("sfm", "margin"), ("liknon", "none"), ("liknon", "margin")]
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_agrees_with_the_estimators(path, method, refit, jobs):
    X, y = two_classes(shift=1.2)
    settings = ("--method", method, "--refit", refit, "--seed", 3, "--jobs", jobs)
    written = path(*settings, "--json", "-").json
    assert written["question"]["options"]["method"] == method
    assert "C" not in written["question"]["parameters"]
    report = written["costs"]
    assert (len(report["points"]), report["n_folds"]) == (4, 3)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=3).split(X, y))
    for value in report["points"]:
        machine = _machine(method, value["C"], refit).fit(X, y)
        assert value["features"] == [NAMES[column] for column in np.flatnonzero(machine.support_)]
        assert value["n_features"] == len(value["features"])
        predicted = machine.predict(X)
        assert value["training_error"] == pytest.approx(np.mean(predicted != y))
        assert value["training_balanced_error"] == pytest.approx(balanced_error(y, predicted))
        errors, counts = [], []
        for train, test in folds:
            machine.fit(X[train], y[train])
            errors.append(balanced_error(y[test], machine.predict(X[test])))
            counts.append(machine.support_.sum())
        assert value["balanced_error"]["mean"] == pytest.approx(np.mean(errors))
        assert value["balanced_error"]["sd"] == pytest.approx(np.std(errors, ddof=1))
        assert value["fold_n_features"]["mean"] == pytest.approx(np.mean(counts))
    means = [value["balanced_error"]["mean"] for value in report["points"]]
    assert means[report["chosen"]] == pytest.approx(min(means))


def test_costs_of_liknon_may_come_from_the_transvariation(path):
    report = path("--method", "liknon", "--grid", "transvariation", "--json", "-").json
    X, y = two_classes(shift=1.2)
    expected = transvariation_C(X, y, 4, largest=None)
    np.testing.assert_allclose([value["C"] for value in report["costs"]["points"]], expected)
    assert report["question"]["options"]["grid"] == "transvariation"


@pytest.mark.filterwarnings("ignore:no feature was selected")
@pytest.mark.parametrize("method", ["sfm", "liknon"])
def test_breakpoints_span_the_whole_path(path, method):
    report = path("--method", method, "--grid", "breakpoints", "--cv", 0, "--json", "-").json
    Cs = [value["C"] for value in report["costs"]["points"]]
    assert np.all(np.diff(Cs) > 0)
    np.testing.assert_allclose(np.diff(np.log(Cs)), np.log(Cs[-1] / Cs[0]) / 3)
    X, y = two_classes(shift=1.2)
    # Beyond both ends the first linear program has the same solution, or none at all.
    first = {
        C: _machine(method, C).fit(X, y).result_.steps[0]
        for C in (Cs[0] / 10, Cs[0], Cs[-1], 10 * Cs[-1])
    }
    outside, low, high, beyond = first.values()
    np.testing.assert_array_equal(high.features, beyond.features)
    np.testing.assert_allclose(high.w, beyond.w)
    if method == "sfm":
        np.testing.assert_array_equal(outside.features, low.features)
        np.testing.assert_allclose(outside.w, low.w)
    else:
        assert (outside.n_features, low.n_features > 0) == (0, True)


def test_printed_table(path):
    ran = path()
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    header = next(place for place, line in enumerate(lines) if line.startswith("  C "))
    assert lines[header].split() == (
        ["C", "features", "training", "cross-validated", "sd", "features", "in", "folds"]
    )
    rows = lines[header + 1 : header + 5]
    assert all(line.count("%") == 3 for line in rows)
    assert sum(line.endswith("*") for line in rows) == 1
    assert len({len(line.rstrip(" *")) for line in rows}) == 1
    assert "Method    Support Feature Machine\n" in ran.out
    assert "optimistic" in ran.out


def test_without_cross_validation(path, tmp_path):
    ran = path("--cv", 0, "--plot", tmp_path / "out.png")
    assert ran.code == 0
    assert "cross-validat" not in ran.out
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert path("--cv", 0, "--json", "-").json["costs"]["chosen"] is None


def test_quiet_prints_the_table_only(path):
    ran = path("--quiet")
    assert len(ran.out.splitlines()) == 5
    assert ran.err.startswith("Not tested against chance: ")


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml"), ("a.pdf", b"%PDF")]
)
def test_figure_and_json_files(path, tmp_path, name, start):
    ran = path("--plot", tmp_path / name, "--json", tmp_path / "a.json")
    assert ran.code == 0
    assert (tmp_path / name).read_bytes().startswith(start)
    assert len(json.loads((tmp_path / "a.json").read_text())["costs"]["points"]) == 4
    assert f"Drawn: {tmp_path / name}" in ran.out
    assert f"Written: {tmp_path / 'a.json'}" in ran.out
    assert sorted(os.listdir(tmp_path)) == sorted(["overlap.csv", name, "a.json"])


def test_figure_beside_json_on_standard_output(path, tmp_path):
    assert path("--plot", tmp_path / "a.png", "--json", "-").json["costs"]["points"]
    assert (tmp_path / "a.png").exists()


def test_a_single_value(path, tmp_path):
    report = path("--values", 1, "--plot", tmp_path / "a.png", "--json", "-").json
    assert len(report["costs"]["points"]) == 1


def test_three_classes(run, tmp_path):
    three = write_csv(tmp_path / "three.csv", *three_classes())
    ran = run("path", three, "--target", "group", *SHORT)
    assert ran.code == 0
    ran = run("path", three, "--target", "group", "--method", "liknon", *SHORT)
    assert ran.code == 0


def test_one_feature_that_separates_leaves_one_value(run, tmp_path):
    y = np.array(["a", "b"])[np.arange(20) % 2]
    X = np.where(y == "b", 1.0, -1.0)[:, None]
    file = write_csv(tmp_path / "one.csv", X, y, ["x"])
    report = run("path", file, "--target", "group", *SHORT, "--json", "-").json
    (value,) = report["costs"]["points"]
    assert (value["C"], value["n_features"], value["training_error"]) == (1.0, 1, 0.0)


@pytest.mark.filterwarnings("ignore:no feature was selected")
def test_equal_means(run, tmp_path):
    X = np.array([[0.0], [1.0], [0.0], [1.0]] * 3)
    y = np.array(["a", "a", "b", "b"] * 3)
    file = write_csv(tmp_path / "equal.csv", X, y, ["x"])
    ran = run("path", file, "--target", "group", *SHORT)
    assert ran.code == 2
    assert "equal in every feature" in ran.err
    # Liknon has an answer for every C, and it is the same one: no feature.
    liknon = run("path", file, "--target", "group", "--method", "liknon", *SHORT, "--json", "-")
    assert [value["n_features"] for value in liknon.json["costs"]["points"]] == [0]


def test_a_fold_that_cannot_be_fitted_is_a_note(path, monkeypatch):
    def fail_in_folds(jobs, **settings):
        if settings["what"] == "cross-validation":
            raise ValueError("too few")
        return original(jobs, **settings)

    original = _costs.judge_in_parallel
    monkeypatch.setattr(_costs, "judge_in_parallel", fail_in_folds)
    ran = path()
    assert ran.code == 0
    assert "Note: No cross-validation: a fold could not be fitted: too few." in ran.out


def test_progress_bar(path, monkeypatch, capsys):
    monkeypatch.setattr("fewest.cli._output.Output.show_progress", True)
    errors = path().err
    assert "path" in errors
    assert "cross-validation" in errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--values", 0), "must be 1 or more"),
        (("--cv", 1), "must be 2 or more"),
        (("--method", "weston"), "invalid choice"),
        (("--C", 1), "unrecognized arguments"),
        (("--method", "liknon", "--constraint", "class_means"), "belongs to --method sfm"),
        (("--grid", "transvariation"), "belongs to --method liknon"),
        (("--plot", "figure.jpg"), "the name must end in .png, .svg or .pdf"),
        (("--plot", "-"), "the name must end in"),
        (("--plot", "nowhere/figure.png"), "does not exist"),
    ],
)
def test_bad_options(path, monkeypatch, tmp_path, options, message):
    monkeypatch.chdir(tmp_path)
    ran = path(*options)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("fewest: error: ")
    assert message in ran.err
    assert os.listdir(tmp_path) == ["overlap.csv"]


def test_figure_without_matplotlib(path, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = path("--plot", tmp_path / "a.png")
    assert (ran.code, ran.out) == (2, "")
    assert 'pip install "fewest[plot]"' in ran.err
    assert path().code == 0  # the table needs none


def test_files_that_would_replace_each_other(run, path, tmp_path):
    ran = path("--plot", tmp_path / "a.png", "--json", tmp_path / "a.png")
    assert ran.code == 2
    assert "--json and --plot name the same file" in ran.err
    data = write_csv(tmp_path / "data.png", *two_classes())
    before = data.read_bytes()
    ran = run("path", data, "--target", "group", "--plot", data)
    assert "--plot" in ran.err
    assert "would replace the data" in ran.err
    assert data.read_bytes() == before


def test_disk_full_at_the_end(path, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fewest._run.files.os.fsync", full)
    ran = path("--plot", tmp_path / "a.png")
    assert ran.code == 1
    assert "could not be written: No space left on device" in ran.err
    assert os.listdir(tmp_path) == ["overlap.csv"]


def test_interrupt(path, tmp_path, monkeypatch):
    def interrupt(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr("fewest.report._costs.judge_in_parallel", interrupt)
    ran = path("--plot", tmp_path / "a.png")
    assert (ran.code, ran.err) == (130, "fewest: interrupted\n")
    assert os.listdir(tmp_path) == ["overlap.csv"]
