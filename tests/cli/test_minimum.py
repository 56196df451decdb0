"""`fewest minimum`: report, JSON, and what it refuses."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from fewest import SupportFeatureMachine, error_front, minimum_features
from fewest.report import make_report
from tests.minimum.errors_oracle import tossed
from tests.minimum.oracle import brute_force
from tests.tables.samples import NAMES, three_classes, write_csv


@pytest.fixture
def hidden(tmp_path):
    """A table in which three of 30 columns separate."""
    X = np.random.default_rng(0).standard_normal((22, 30))
    y = np.where(X[:, 7] + X[:, 11] - X[:, 20] > 0, "ill", "healthy")
    return write_csv(tmp_path / "hidden.csv", X, y)


def test_report(run, hidden):
    ran = run("minimum", hidden, "--target", "group")
    assert ran.code == 0
    assert ran.err == ""
    assert "22 samples, 30 features" in ran.out
    assert "Smallest set: 3 features, certified" in ran.out
    assert "hold in exact arithmetic" in ran.out


def test_all_solutions_as_json(run, hidden):
    ran = run("minimum", hidden, "--target", "group", "--solutions", "all", "--json", "-")
    (report,) = ran.json["trust"]["minima"]
    assert (report["size"], report["lower_bound"]) == (3, 3)
    assert report["certified"]
    assert report["verified"]
    assert report["complete"]
    assert len(report["sets"]) == report["n_found"]
    assert [NAMES[column] for column in (7, 11, 20)] in [
        subset["features"] for subset in report["sets"]
    ]
    assert [step["size"] for step in report["searched"]] == [1, 2, 3]
    assert all(len(leaf["samples"]) == len(leaf["shares"]) for leaf in report["ruled_out"])


def test_json_file_and_quiet(run, hidden, tmp_path):
    file = tmp_path / "out.json"
    ran = run("minimum", hidden, "--target", "group", "--quiet", "--json", file)
    names = ran.out.split()
    assert json.loads(file.read_text())["trust"]["minima"][0]["sets"][0]["features"] == names
    assert len(names) == 3


def test_limits(run, hidden):
    ran = run("minimum", hidden, "--target", "group", "--max-size", 1, "--jobs", 1)
    assert "proven: at least 2" in ran.out
    assert "there may be more" in ran.out


def test_classes_that_overlap(run, tmp_path):
    X = np.ones((8, 2))
    X[:, 1] = [0, 1, 2, 3, 0, 1, 2, 3]
    path = write_csv(tmp_path / "same.csv", X, np.repeat(["a", "b"], 4), ["u", "v"])
    ran = run("minimum", path, "--target", "group")
    assert ran.code == 3
    assert "no set of features separates the classes without error" in ran.err


def test_more_than_two_classes(run, tmp_path):
    X, y = three_classes()
    path = write_csv(tmp_path / "three.csv", X, y)
    ran = run("minimum", path, "--target", "group", "--solutions", "all", "--json", "-")
    assert ran.code == 0
    (report,) = ran.json["trust"]["minima"]
    assert (report["size"], report["certified"], report["verified"]) == (2, True, True)
    assert report["positive_class"] is None
    assert report["inseparable"] == []
    size, subsets = brute_force(X, y)
    assert size == 2
    assert sorted(subset["columns"] for subset in report["sets"]) == [[*one] for one in subsets]


def test_text_and_page_of_many_classes(run, tmp_path):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    page = tmp_path / "page.html"
    ran = run("minimum", path, "--target", "group", "--report", page)
    assert ran.code == 0
    assert "Classes   1 (15), 2 (15), 3 (15)\n" in ran.out
    assert "Smallest set: 2 features for every two of the 3 classes, certified\n" in ran.out
    shown = " ".join(page.read_text().split())
    assert "2 features can separate each two of the classes without error" in shown


def test_which_of_many_classes_overlap(run, tmp_path):
    X, y = three_classes()
    X[np.flatnonzero(y == 3)[:5]] = X[np.flatnonzero(y == 2)[:5]]
    path = write_csv(tmp_path / "three.csv", X, y)
    ran = run("minimum", path, "--target", "group")
    assert ran.code == 3
    assert "no set of features separates these classes without error: 2 and 3." in ran.err
    assert "Merge such classes, or leave their samples out." in ran.err
    page = make_report(SupportFeatureMachine().fit(X, y), X, y, parts=("minimum",)).html
    shown = " ".join(re.sub("<[^>]*>", "", page).split())
    assert "No set of features separates 2 from 3 without error; this is proven." in shown


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--solutions", "some", "must be a whole number, not 'some'"),
        ("--max-seconds", "0", "must be a number above zero, or inf; not '0'"),
        ("--max-size", "0", "must be 1 or more, not '0'"),
    ],
)
def test_usage_errors(run, hidden, option, value, message):
    ran = run("minimum", hidden, "--target", "group", option, value)
    assert ran.code == 2
    assert message in ran.err


@pytest.fixture
def noisy(tmp_path):
    """A table of 18 samples whose classes are drawn by coin."""
    X, y, wanted = tossed()
    return write_csv(tmp_path / "noisy.csv", X, y, NAMES[: X.shape[1]]), wanted


def test_sets_that_leave_errors(run, noisy):
    path, wanted = noisy
    ran = run("minimum", path, "--target", "group", "--max-errors", wanted[3])
    assert ran.code == 0
    assert "Smallest set: 3 features with at most 2 errors, certified" in ran.out
    assert "wrong samples, counted from 1" in ran.out
    ran = run("minimum", path, "--target", "group", "--max-errors", wanted[3], "--json", "-")
    (found,) = ran.json["trust"]["minima"]
    assert (found["size"], found["max_errors"], found["verified"]) == (3, 2, True)
    assert all(len(one["wrong"]) <= 2 for one in found["sets"])


def test_no_features_are_needed_where_a_class_may_be_wrong(run, noisy):
    path, wanted = noisy
    ran = run("minimum", path, "--target", "group", "--max-errors", wanted[0])
    assert "Smallest set: 0 features with at most 7 errors, certified" in ran.out


def test_front(run, noisy, tmp_path):
    path, wanted = noisy
    figure = tmp_path / "front.svg"
    ran = run("minimum", path, "--target", "group", "--front", 3, "--plot", figure)
    assert ran.code == 0
    assert "Fewest training errors for each number of features" in ran.out
    lines = [line.split() for line in ran.out.splitlines() if line.startswith("  at most")]
    assert [[line[2], line[3], line[4]] for line in lines] == [
        [str(size), str(errors), "proven"] for size, errors in enumerate(wanted)
    ]
    assert "<svg" in figure.read_text()
    ran = run("minimum", path, "--target", "group", "--front", 3, "--json", "-")
    found = ran.json["trust"]["error_front"]
    assert [point["errors"] for point in found["points"]] == wanted
    assert found["verified"]
    assert [len(point["sets"][0]["wrong"]) for point in found["points"]] == wanted
    ran = run("minimum", path, "--target", "group", "--front", 2, "--quiet")
    assert ran.out.split() == found["points"][2]["sets"][0]["features"]


def test_errors_that_no_set_avoids(run, tmp_path):
    X = np.ones((8, 2))
    X[:, 1] = [0, 1, 2, 3, 0, 1, 2, 3]
    path = write_csv(tmp_path / "same.csv", X, np.repeat(["a", "b"], 4), ["u", "v"])
    ran = run("minimum", path, "--target", "group", "--max-errors", 3)
    assert ran.code == 3
    assert "every set of features leaves more than 3 samples wrong (proven)" in ran.err
    assert "--front 3" in ran.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--plot", "a.png"), "--plot draws the front of features and errors"),
        (("--front", "2", "--max-errors", "1"), "Leave out --max-errors and --max-size"),
        (("--front", "2", "--report", "a.html"), "--report shows sets that leave no error"),
        (("--max-errors", "1", "--report", "a.html"), "Use --json, or --plot with --front"),
    ],
)
def test_options_that_exclude_each_other(run, hidden, options, message):
    ran = run("minimum", hidden, "--target", "group", *options)
    assert ran.code != 0
    assert message in ran.err


def test_errors_of_three_classes_are_refused(run, tmp_path):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    for options in (("--front", 2), ("--max-errors", 1)):
        ran = run("minimum", path, "--target", "group", *options)
        assert ran.code != 0
        assert "counts errors of two classes only, and y has 3" in ran.err


def test_a_page_of_errors_alone_is_refused():
    X, y, _ = tossed()
    for result in (error_front(X, y, max_features=1), minimum_features(X, y, max_errors=6)):
        with pytest.raises(ValueError, match="sets that leave errors have no page of their own"):
            make_report(result, X, y)
