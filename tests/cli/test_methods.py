"""`fewest select --method`: every method says the same as its estimator."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import Liknon, SupportFeatureMachine, ZeroNormSVM
from fewest.machines.sfm_cv import SupportFeatureMachineCV
from tests.tables.samples import NAMES, three_classes, two_classes, write_csv


@pytest.mark.parametrize(
    ("method", "options", "machine"),
    [
        ("sfm", (), SupportFeatureMachine(2.0)),
        ("sfm-cv", (), SupportFeatureMachineCV(random_state=0)),
        ("weston", (), ZeroNormSVM(np.inf)),
        ("weston", ("--C", 5, "--refit", "margin"), ZeroNormSVM(5.0, refit="margin")),
        ("liknon", (), Liknon(1.0, class_weight="balanced")),
        (
            "liknon",
            ("--C", 0.1, "--class-weight", "none", "--no-standardize"),
            Liknon(0.1, standardize=False),
        ),
    ],
)
def test_agrees_with_the_estimator(run, table, method, options, machine):
    X, y = two_classes()
    machine.fit(X, y)
    arguments = ("--target", "group", "--method", method, *options, "--cv", 0, "--json", "-")
    report = run("select", table, *arguments).json
    assert report["question"]["options"]["method"] == method
    assert report["answer"]["selected"] == [
        NAMES[column] for column in np.flatnonzero(machine.support_)
    ]
    (written,) = report["answer"]["hyperplanes"]
    for feature in written["features"]:
        expected = machine.coef_[0, feature["column"]]
        assert feature["coefficient"] == pytest.approx(expected, rel=1e-6)
    assert written["certificate"]["relative_gap"] < 1e-7
    assert report["answer"]["training"]["n_errors"] == np.sum(machine.predict(X) != y)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("sfm", "Support Feature Machine, C = 2"),
        ("sfm-cv", "Support Feature Machine, C by cross-validation"),
        ("weston", "Zero-norm support vector machine, C = inf"),
        ("liknon", "Liknon (one-norm support vector machine), C = 1"),
        ("psvm", "Potential Support Vector Machine, C = inf, epsilon = 1"),
    ],
)
def test_the_report_names_the_method(run, table, method, name):
    ran = run("select", table, "--target", "group", "--method", method)
    assert (ran.code, ran.err) == (0, "")
    assert f"Method    {name}\n" in ran.out
    assert "Cross-validated error   balanced" in ran.out


def test_the_chosen_cost_is_reported_and_the_given_one_ignored(run, table):
    arguments = ("select", table, "--target", "group", "--method", "sfm-cv", "--C", 77)
    report = run(*arguments, "--json", "-").json
    X, y = two_classes()
    expected = SupportFeatureMachineCV(random_state=0).fit(X, y).C_
    written = report["question"]["chosen"]["C"]
    assert (np.inf if written == "inf" else written) == pytest.approx(expected)
    assert "C" not in report["question"]["parameters"]
    text = run(*arguments).out
    assert "Chosen C: " in text
    assert "Note: --C is ignored: --method sfm-cv chooses C." in text
    fixed = run("select", table, "--target", "group", "--method", "sfm", "--json", "-").json
    assert fixed["question"]["chosen"] == {}


def test_samples_inside_the_margin_are_no_errors(run, table):
    X, y = two_classes()
    machine = Liknon(0.1, class_weight="balanced").fit(X, y)
    arguments = ("--target", "group", "--method", "liknon", "--C", 0.1, "--cv", 0)
    (plane,) = run("select", table, *arguments, "--json", "-").json["answer"]["hyperplanes"]
    certificate = plane["certificate"]
    assert certificate["samples_inside_margin"] == np.sum(machine.result_.slack > 0) > 0
    assert certificate["samples_on_wrong_side"] == np.sum(machine.predict(X) != y)
    assert "inside the margin" in run("select", table, *arguments, "--verbose").out


@pytest.mark.parametrize("method", ["sfm-cv", "weston", "liknon", "psvm"])
def test_three_classes(run, tmp_path, method):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    ran = run("select", path, "--target", "group", "--method", method, "--cv", 3)
    assert ran.code == 0
    assert "for 3 classes together\n" in ran.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--method", "sfm-cv", "--max-features", 3),
            "--max-features belongs to --method sfm or weston or liknon, not to sfm-cv",
        ),
        (
            ("--method", "psvm", "--multi-class", "joint"),
            "--multi-class joint belongs to --method sfm or sfm-cv or weston or liknon, not to",
        ),
        (
            ("--max-features", 3, "--multi-class", "separate"),
            "--max-features needs one program for all classes",
        ),
        (("--method", "liknon", "--C", "inf"), "--method liknon needs a finite --C"),
        (
            ("--method", "liknon", "--constraint", "class_means"),
            "--constraint belongs to --method sfm or sfm-cv, not to liknon",
        ),
        (
            ("--method", "weston", "--constraint", "mean_margin"),
            "--constraint belongs to --method sfm or sfm-cv, not to weston",
        ),
        (("--method", "lasso"), "invalid choice: 'lasso'"),
        (("--epsilon", "1"), "--epsilon belongs to --method psvm"),
        (("--matrix",), "--matrix belongs to --method psvm"),
        (("--refit", "support"), "--refit support belongs to --method psvm"),
        (("--method", "psvm", "--epsilon=-1"), "must be a number of at least zero, not '-1'"),
        (
            ("--method", "psvm", "--refit", "margin"),
            "--refit margin belongs to --method sfm or sfm-cv or weston or liknon, not",
        ),
        (
            ("--method", "psvm", "--class-weight", "none"),
            "not to psvm, which weighs all samples alike",
        ),
        (("--method", "psvm", "--no-standardize"), "not to psvm, which scales every feature"),
    ],
)
def test_options_that_make_no_sense(refused, table, options, message):
    assert message in refused(table, "--target", "group", *options)


def test_weston_on_classes_that_overlap(run, tmp_path):
    X, y = two_classes(shift=0.0)
    path = write_csv(tmp_path / "overlap.csv", X[:, :2], y, NAMES[:2])
    ran = run("select", path, "--target", "group", "--method", "weston")
    assert ran.code == 3
    assert "--C 10" in ran.err
