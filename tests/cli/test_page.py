"""`--report`: a page from every command, said to be impossible before the long work."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from fewest._estimators import held_out
from fewest.exceptions import NotSeparableError

pytestmark = pytest.mark.usefixtures("little_work")


def content_of(path):
    return json.loads(path.read_text())


@pytest.fixture
def numbers(run, table, tmp_path):
    """Run a command on the table with a report as JSON; its content."""

    def call(command, *options):
        path = tmp_path / "page.json"
        ran = run(command, table, "--target", "group", *options, "--report", path)
        assert ran.code == 0, ran.err
        assert f"Report: {path}" in ran.out
        return content_of(path)

    return call


def test_select_writes_what_it_prints(run, table, tmp_path):
    page, report = tmp_path / "page.json", tmp_path / "report.json"
    arguments = ["select", table, "--target", "group", "--C", 2, "--seed", 3, "--json", report]
    ran = run(*arguments, "--report", page)
    assert ran.code == 0
    found, printed = content_of(page), content_of(report)
    # One schema: what the command knows is in both, word by word.
    assert found.keys() == printed.keys()
    for part in ("schema", "schema_version", "command", "data", "question", "versions"):
        assert found[part] == printed[part]
    assert {**found["answer"], "samples": printed["answer"]["samples"]} == printed["answer"]
    assert found["trust"]["validation"] == printed["trust"]["validation"]
    assert found["trust"]["minima"]
    assert printed["trust"]["minima"] == []
    assert found["question"]["seed"] == 3
    command = shlex.split(found["question"]["call"])
    assert command == ["fewest", *map(str, arguments), "--report", str(page)]
    assert found["data"]["target"] == "group"


def test_the_page_itself(run, table, tmp_path):
    path = tmp_path / "page.html"
    ran = run("select", table, "--target", "group", "--report", path, "--quiet")
    assert ran.code == 0
    assert "Report" not in ran.out
    text = path.read_text(encoding="utf-8")
    assert text.lstrip().startswith("<!DOCTYPE html>")
    for section in ("asked", "answer", "trust", "alternatives", "heat-map", "costs", "informative"):
        assert f'<section id="{section}"' in text


def test_without_folds_there_is_no_error(numbers):
    found = numbers("select", "--cv", 0)
    assert found["trust"]["validation"] is None
    assert {"part": "validation", "reason": "it was not asked for"} in found["left_out"]


def test_the_page_says_why_there_is_no_cross_validation(numbers, monkeypatch):
    def fail(*arguments):
        raise NotSeparableError("not in this fold")

    monkeypatch.setitem(held_out.judge_in_parallel.__kwdefaults__, "judge", fail)
    monkeypatch.setattr("fewest.report._make.run_held_out", None)  # it is not tried again
    found = numbers("select", "--C", "inf")
    reasons = [one["reason"] for one in found["left_out"] if one["part"] == "validation"]
    assert reasons == ["a fold could not be fitted: not in this fold"]


def test_path_shows_its_curve(numbers):
    found = numbers("path", "--values", 4, "--cv", 3)
    assert len(found["costs"]["points"]) == 4
    assert found["costs"]["chosen"] is not None
    assert any("optimistic" in note for note in found["notes"])
    # The same samples chose C: a test with this C would not be honest.
    assert found["trust"]["permutation"] is None


def test_path_without_folds(numbers):
    found = numbers("path", "--values", 3, "--cv", 0)
    assert found["costs"]["chosen"] is None
    assert any("largest C" in note for note in found["notes"])


def test_rank_shows_its_subsets(numbers):
    found = numbers("rank", "--subsets", 2)
    assert [subset["number"] for subset in found["alternatives"]["subsets"]] == [1, 2]
    assert found["trust"]["validation"]["n_folds"] == 5


def test_informative_keeps_its_folds_and_seed(numbers):
    found = numbers("informative", "--cv", 3, "--seed", 7, "--permutations", 0)
    assert found["question"]["seed"] == 7
    assert found["trust"]["validation"]["n_folds"] == 3


def test_minimum_shows_its_proof(numbers):
    found = numbers("minimum")
    (minimum,) = found["trust"]["minima"]
    assert minimum["certified"]
    assert minimum["size"] == found["answer"]["n_selected"]


def test_diagnose_shows_its_words(numbers):
    found = numbers("diagnose", "--permutations", 19)
    assert found["trust"]["permutation"]["n_permutations"] == 19
    assert found["trust"]["diagnostics"]["headline"]


@pytest.mark.filterwarnings("ignore")
def test_informative_shows_its_curves(numbers):
    found = numbers("informative", "--cv", 2)
    assert len(found["informative"]["folds"]) == 2
    assert found["informative"]["fraction"]


def test_potential_machine(numbers):
    found = numbers("select", "--method", "psvm", "--epsilon", 2)
    assert found["question"]["estimator"] == "PotentialSVC"
    assert found["trust"]["validation"]["n_errors"] >= 0


def test_refused_names(refused, table, tmp_path):
    message = refused(table, "--target", "group", "--report", tmp_path / "page.pdf")
    assert "the name must end in .html or .json" in message


def test_refused_folder_before_reading(refused, tmp_path):
    message = refused("nothing.csv", "--report", tmp_path / "nowhere" / "page.html")
    assert "--report" in message
    assert "does not exist" in message


def test_refused_to_replace_the_data_or_another_result(run, table, tmp_path):
    data = tmp_path / "data.json"
    data.write_text(table.read_text())
    ran = run("select", data, "--target", "group", "--report", data)
    assert ran.code == 2
    assert "would replace the data" in ran.err
    both = tmp_path / "both.json"
    ran = run("select", table, "--target", "group", "--report", both, "--json", both)
    assert ran.code == 2
    assert "--json and --report name the same file" in ran.err
    assert not both.exists()


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_refused_without_the_package(refused, table, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    message = refused(table, "--target", "group", "--report", tmp_path / "page.html")
    assert f"need {package}" in message
    assert "pip install" in message


def test_json_output_stays_as_it_was_but_for_the_test(run, table, tmp_path):
    plain = run("select", table, "--target", "group", "--json", "-").json
    ran = run(
        "select", table, "--target", "group", "--json", "-", "--report", tmp_path / "page.json"
    )
    with_page, page = ran.json, content_of(tmp_path / "page.json")
    assert with_page["trust"].pop("permutation") == page["trust"]["permutation"]
    assert plain["trust"].pop("permutation") is None
    assert with_page.pop("verdict") == page["verdict"] != plain.pop("verdict")
    for report in (plain, with_page):
        del report["seconds"], report["created"], report["question"]["call"]
    assert plain == with_page
