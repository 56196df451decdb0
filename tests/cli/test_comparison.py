"""`fewest select --compare` and `--learning-curve`."""

import json
import re

import numpy as np
import pandas
import pytest

from fewest.cli._comparison import _OTHERS, COMPARED
from fewest.cli._methods import METHODS
from fewest.datasets import make_gaussian
from fewest.significance._rivals import RIVALS

pytestmark = pytest.mark.usefixtures("little_work")


def write_table(path, n, **settings):
    X, y = make_gaussian(n=n, random_state=0, **settings)
    frame = pandas.DataFrame(X, columns=[f"g{column}" for column in range(X.shape[1])])
    frame.assign(diagnosis=np.where(y > 0, "ill", "well")).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("data") / "table.csv", 60, d=15, k=2, mu=1.2)


def test_names_are_those_of_the_methods():
    assert set(COMPARED) == set(RIVALS) | set(METHODS)
    assert set(_OTHERS) == set(RIVALS) - set(METHODS)


def test_methods_and_learning_curve_in_text_file_and_page(run, table, tmp_path):
    page, file = tmp_path / "page.html", tmp_path / "page.json"
    ran = run(
        *("select", table, "--target", "diagnosis", "--C", 2, "--cv", 3, "--learning-curve"),
        *("--compare", "sfm,t-test,l1,minimum", "--report", page, "--json", file),
    )
    assert ran.code == 0
    result = json.loads(file.read_text(encoding="utf-8"))
    compared, curve = result["comparison"], result["learning_curve"]
    names = [one["name"] for one in compared["methods"]]
    assert names == ["sfm", "t-test", "l1", "minimum"]  # the method itself comes once, and first
    first, ranked, *_ = compared["methods"]
    assert first["balanced_error"] == result["trust"]["validation"]["balanced_error"]
    assert ranked["fold_n_features"] == [
        fold["n_features"] for fold in result["trust"]["validation"]["folds"]
    ]
    assert [round(point["n_train"]) for point in curve["points"]] == [8, 12, 18, 26, 40]
    text = " ".join(page.read_text(encoding="utf-8").split())
    for shown in (ran.out, text):
        assert "Other methods on the same folds" in shown
        assert "Nothing was chosen by this table." in shown
        assert "Would more samples help?" in shown
    for one in compared["methods"]:
        line = next(line for line in ran.out.splitlines() if line.startswith(f"  {one['name']}  "))
        assert f"{100 * one['balanced_error']:.1f} %" in line
        assert f'<th scope="row">{one["name"]}' in text
    assert text.count('<section id="comparison"') == text.count('<section id="learning-curve"') == 1
    assert re.search(r"Expect about \d+\.\d % from such a choice", text)


def test_the_same_seed_gives_the_same_numbers(run, table):
    options = ("--target", "diagnosis", "--C", 2, "--cv", 2, "--seed", 4, "--json", "-")
    both = ("--compare", "l1,t-test", "--learning-curve")
    first, again = (run("select", table, *options, *both).json for _ in range(2))
    for part in ("comparison", "learning_curve"):
        assert first[part] == again[part]
        assert first[part] is not None


def test_without_the_options_there_is_nothing_of_it(run, table):
    ran = run("select", table, "--target", "diagnosis", "--C", 2, "--cv", 2, "--json", "-")
    assert ran.json["comparison"] is None
    assert ran.json["learning_curve"] is None


def test_methods_that_fail_are_listed(run, tmp_path):
    overlapping = write_table(tmp_path / "table.csv", 40, d=3, k=1, mu=0.2)
    options = ("--target", "diagnosis", "--C", 2, "--cv", 2)
    ran = run("select", overlapping, *options, "--compare", "minimum,t-test")
    assert ran.code == 0
    assert "minimum failed in 2 of 2 folds: no set of features separates" in ran.out
    assert re.search(r"  t-test  .* %", ran.out)
    signs = tmp_path / "signs.csv"
    signs.write_text("feature,sign\ng0,1\n", encoding="utf-8")
    ran = run("select", overlapping, *options, "--compare", "t-test,psvm", "--signs", signs)
    assert "t-test failed in 2 of 2 folds: it takes no rules about features" in ran.out
    assert "psvm failed in 2 of 2 folds: --signs belongs to" in ran.out


def test_a_curve_of_too_few_samples_is_a_note(run, tmp_path):
    small = write_table(tmp_path / "table.csv", 12, d=3, k=1, mu=2.0)
    options = ("--target", "diagnosis", "--C", 2, "--cv", 2, "--learning-curve", "--json", "-")
    ran = run("select", small, *options)
    assert ran.code == 0
    assert ran.json["learning_curve"] is None
    (left_out,) = [one for one in ran.json["left_out"] if one["part"] == "learning_curve"]
    assert "needs more samples" in left_out["reason"]
    assert any("No learning curve" in note for note in ran.json["notes"])


def test_nothing_to_compare_with(run, table):
    ran = run("select", table, "--target", "diagnosis", "--C", 2, "--cv", 2, "--compare", "sfm")
    assert "Nothing to compare: sfm is the method itself." in ran.out


def test_bad_options(refused, table):
    target = (table, "--target", "diagnosis")
    assert "knows sfm, sfm-cv, l1" in refused(*target, "--compare", "lasso")
    assert "(did you mean t-test?)" in refused(*target, "--compare", "ttest")
    assert "needs some of" in refused(*target, "--compare", ",")
    assert "--compare needs a cross-validation" in refused(*target, "--compare", "l1", "--cv", 0)
    message = refused(*target, "--learning-curve", "--cv", 0)
    assert "--learning-curve needs a cross-validation" in message
    message = refused(*target, "--method", "psvm", "--matrix", "--compare", "l1")
    assert "--compare does not go with --matrix" in message


def test_errors_of_several_repeats_are_said_to_be_means(run, tmp_path):
    """The verdict is of the first repeat only: two numbers for one method need a word."""
    table = write_table(tmp_path / "noisy.csv", 60, d=15, k=2, mu=0.5)
    asked = ("select", table, "--target", "diagnosis", "--C", 2, "--cv", 3, "--compare", "l1")
    files = ("--json", tmp_path / "r.json", "--report", tmp_path / "page.html")
    ran = run(*asked, "--repeats", 2, *files)
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    of_all = found["comparison"]["methods"][0]["balanced_error"]
    assert f"{100 * of_all:.1f} %" != re.search(r"left out (\S+ %)", ran.out)[1]
    assert "Errors are means over all 2 repeats" in ran.out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Errors here are means over all 2 repeats" in " ".join(page.split())
    assert "Errors are means over all" not in run(*asked).out
