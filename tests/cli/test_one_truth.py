"""One error, one p-value: the same in verdict, page, files and text, and on every computer."""

from __future__ import annotations

import json
import re
import sys
import time

import numpy as np
import pytest

from fewest.report import _plan
from tests.cli.test_verdict import check_no_claim

# Name, samples of the classes, features, how far the classes are apart; and options.
SEPARATE = ("--C", 2, "--multi-class", "separate", "--permutations", 19)
CASES = {
    "noise": ((14, 26), 40, 0.0, ("--C", 2, "--permutations", 19)),
    "signal": ((14, 26), 40, 2.0, ("--C", 2, "--permutations", 19)),
    "three": ((10, 14, 18), 30, 3.5, SEPARATE),
    "stand-in": ((14, 26), 30, 1.5, ()),  # of the method that chooses C
}


pytestmark = pytest.mark.usefixtures("little_work")


def write_case(path, sizes, n_features, distance):
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((len(y), n_features))
    for code in range(len(sizes)):
        X[y == code, code] += distance
    np.savez(path, X=X, y=np.array(["ill", "old", "well"])[y])
    return path


def read_page(path):
    """The text of a page, and the text of each of its cards."""
    html = path.read_text(encoding="utf-8")
    html = re.sub(r"(?s)<(style|script|svg)\b.*?</\1>", " ", html)
    text = re.sub(r"<[^>]+>", " ", html).replace("&nbsp;", " ")
    return re.sub(r"[\s\u00a0\u202f]+", " ", text)


def find_p(text):
    return set(re.findall(r"\bp = ([\d.e-]*\d)", text))


def find_errors(text):
    """What a text calls the error on samples left out."""
    patterns = (
        r"balanced error on samples left out ([\d.]+) %",
        r"Error on new samples ([\d.]+) %",
        r"The balanced error, [^,]*, is ([\d.]+) %",
        r"Cross-validated error balanced ([\d.]+) %",
    )
    return [found for pattern in patterns for found in re.findall(pattern, text)]


@pytest.mark.parametrize("case", CASES)
def test_every_place_has_the_same_numbers(run, tmp_path, case):
    *shape, options = CASES[case]
    data = write_case(tmp_path / "data.npz", *shape)
    page, result = tmp_path / "page.html", tmp_path / "result.json"
    ran = run("select", data, *options, "--report", page, "--json", result)
    assert ran.code == 0, ran.err
    shown, printed = read_page(page), re.sub(r"\s+", " ", ran.out)
    found = json.loads(result.read_text())["trust"]
    test, validation = found["permutation"], found["validation"]
    p_values = {one["statistic"]: f"{one['p_value']:.2g}" for one in test["comparisons"]}
    assert find_p(shown) == find_p(printed) == set(p_values.values())
    assert f"Chance p = {p_values['error']}" in shown
    errors = find_errors(shown)
    assert len(errors) == 3
    assert len(find_errors(printed)) == 3  # the verdict comes again after the page
    assert {*errors, *find_errors(printed)} == {f"{100 * validation['balanced_error']:.1f}"}
    assert f"{test['n_permutations']} random labellings" in shown
    assert f"did as well with {test['tested']}" in shown
    if test["is_of_method"]:
        error = test["comparisons"][-1]
        assert error["observed"] == pytest.approx(validation["balanced_error"])
    assert test["is_of_method"] == (case != "stand-in")
    assert ("stands in for the method shown" in shown) == (case == "stand-in")
    assert ("of the Support Feature Machine with C = 2, whose" in printed) == (case == "stand-in")
    if case == "noise":
        check_no_claim(shown)
        check_no_claim(printed)
        assert "Not shown to be better than chance" in shown
    else:
        assert "Confounding (age, sex, batch) was not tested: see --covariates" in printed
        assert "Confounding (age, sex, batch) was not tested" in shown


def test_training_errors_are_one_number(run, tmp_path):
    data = write_case(tmp_path / "data.npz", (14, 26), 40, 1.0)
    page, result = tmp_path / "page.html", tmp_path / "result.json"
    options = ("--C", 0.4, "--permutations", 1, "--cv", 0, "--verbose")
    ran = run("select", data, *options, "--report", page, "--json", result)
    answer = json.loads(result.read_text())["answer"]
    n_errors = answer["training"]["n_errors"]
    assert n_errors
    assert answer["hyperplanes"][0]["certificate"]["samples_on_wrong_side"] == n_errors
    assert f"Training error          {n_errors} of 40 samples\n" in ran.out
    assert f"selection: {n_errors} training samples on the wrong side" in ran.out
    shown = read_page(page)
    assert f"With them {n_errors} of the 40 samples of the fit are misclassified" in shown
    # Fewer features than any separating set has: the page says why.
    assert f"because it leaves {n_errors} training samples wrong" in shown


def test_rank_is_about_its_rank_1(run, tmp_path):
    for seed in range(30):  # a ranking whose smallest subset is not the one found first
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((24, 12)), np.arange(24) % 2
        X[:, :6] += 0.8 * y[:, None]
        data = tmp_path / "data.npz"
        np.savez(data, X=X, y=y)
        found = run("rank", data, "--C", 2, "--subsets", 3, "--json", "-").json["alternatives"]
        if found["ranking"][0] > 1:
            break
    first = found["subsets"][found["ranking"][0] - 1]
    page = tmp_path / "page.json"
    ran = run("rank", data, "--C", 2, "--subsets", 3, "--report", page, "--permutations", 1)
    assert ran.code == 0, ran.err
    content = json.loads(page.read_text())
    assert content["answer"]["selected"] == first["features"]
    training = content["answer"]["training"]["error"]
    assert training == pytest.approx(first["training_error"])
    assert any("rank 1, the smallest subset" in note for note in content["notes"])
    assert content["trust"]["validation"]["n_judged"] == 24


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", [("select", "--C", 2), ("select", "--cv", 3)])
def test_a_slow_computer_makes_the_same_page(run, tmp_path, monkeypatch, command):
    """As long as the clock does not end a part, which the page then says."""
    for part in _plan.MOST_SECONDS:
        monkeypatch.setitem(_plan.MOST_SECONDS, part, 1e9)
    monkeypatch.setattr(_plan, "_AND_SECONDS", 1e9)
    data = write_case(tmp_path / "data.npz", (14, 22), 30, 0.7)
    page, result = tmp_path / "page.html", tmp_path / "result.json"
    found = []
    for factor in (1.0, 1e4):
        slow_down(monkeypatch, factor)
        ran = run(*command, data, "--report", page, "--json", result)
        assert ran.code == 0, ran.err
        html = re.sub(r'<dd class="clock">[^<]*</dd>', "", page.read_text(encoding="utf-8"))
        found.append((html, without_clock(json.loads(result.read_text()))))
    assert found[0][1] == found[1][1]
    assert found[0][0] == found[1][0]


@pytest.mark.filterwarnings("ignore")
def test_a_page_says_which_parts_the_clock_has_ended(run, tmp_path, monkeypatch):
    data, page = write_case(tmp_path / "data.npz", (14, 22), 30, 0.7), tmp_path / "page.json"
    slow_down(monkeypatch, 1e4)
    run("select", data, "--C", 2, "--cv", 3, "--report", page)
    notes = " ".join(json.loads(page.read_text())["notes"])
    assert re.search(r"The clock has ended .*the search for the smallest set after", notes)
    assert "may give other numbers" in notes


def slow_down(monkeypatch, factor):
    """Let every clock of the package run faster, as if the computer were so much slower."""
    clock = time.perf_counter if factor == 1.0 else lambda: factor * real()
    real = time.perf_counter
    monkeypatch.setattr(time, "perf_counter", clock)
    for name, module in list(sys.modules.items()):
        if name.startswith("fewest") and hasattr(module, "perf_counter"):
            monkeypatch.setattr(module, "perf_counter", clock)


def without_clock(value):
    """The content of a file without the fields that are times."""
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if name not in ("seconds", "created")}
        return {name: without_clock(one) for name, one in kept.items()}
    return [without_clock(one) for one in value] if isinstance(value, list) else value


def test_time_before_and_limits(run, tmp_path):
    data = write_case(tmp_path / "data.npz", (14, 22), 30, 0.7)
    page = tmp_path / "page.json"
    ran = run("select", data, "--C", 2, "--report", page, "--permutations", 7)
    said = r"^Page      7 permutations of the classes \(about \d+ s\); all else at most \d+ s$"
    assert re.search(said, ran.out, re.M)
    assert ran.out.index("Training error") < ran.out.index("Page  ")
    content = json.loads(page.read_text())
    assert content["trust"]["permutation"]["n_permutations"] == 7
    assert content["notes"] == []
    ran = run("select", data, "--C", 2, "--report", page, "--report-seconds", 2)
    assert "as far as 2 s allow" in ran.out
    notes = json.loads(page.read_text())["notes"]
    assert any("depends on the speed of the computer" in note for note in notes)


def test_an_interrupted_page_does_not_lose_the_result(run, tmp_path, monkeypatch):
    def interrupt(*arguments, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr("fewest.report._make.find_permutation", interrupt)
    data = write_case(tmp_path / "data.npz", (14, 22), 30, 2.0)
    page, result = tmp_path / "page.html", tmp_path / "result.json"
    ran = run("select", data, "--C", 2, "--report", page, "--json", result)
    assert ran.code == 130
    assert "Training error" in ran.out
    assert json.loads(result.read_text())["answer"]["selected"]
    assert not page.exists()
