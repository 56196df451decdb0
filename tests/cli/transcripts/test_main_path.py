"""What a user sees at a terminal: emphasis, a bar with the time left, and the result."""

from __future__ import annotations

import json
import re

import pytest

from tests.tables.samples import two_classes, write_csv

_BAR = r"{}:\s+\d+%\|.*\[\d\d:\d\d<(\d\d:\d\d|\?)"
_HEADER, _DIM = "\x1b[1;36m", "\x1b[2m"

SHIFT = 2.3  # no single feature separates the classes
COMMANDS = {
    "select": (["--C", "3", "--cv", "3"], "cross-validation", "Selected: 2 of 30 features"),
    "path": (["--values", "4", "--cv", "2"], "cross-validation", "cross-validated"),
    "rank": (["--subsets", "3"], "repetitive selection", "disjoint subset"),
    "informative": (["--cv", "2", "--permutations", "0"], "informative features", "t-tests"),
    "minimum": ([], "pairs", "features, certified"),
    "diagnose": (["--permutations", "9", "--cv", "2"], "permutations", "chance"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_file(show, table, command, tmp_path):
    options, bar, result = COMMANDS[command]
    write_csv(table, *two_classes(shift=SHIFT))
    seen = show(command, table.name, "--target", "group", *options, "--json", "out.json")
    assert seen.code == 0
    assert re.search(_BAR.format(bar), seen.raw)
    assert "%|" not in seen.text  # it is gone at the end
    assert seen.text.startswith("Data      table.csv: 40 samples, 30 features")
    assert result in seen.text
    assert f"{_DIM}Time: reading" in seen.raw
    if command != "diagnose":  # it has no table
        assert _HEADER in seen.raw
    assert "Written: out.json" in seen.text.splitlines()[-3:]
    assert json.loads((tmp_path / "out.json").read_text())["data"]["n_samples"] == 40


def test_demo(show):
    seen = show("demo")
    assert seen.code == 0
    assert "Found 3 of the 3 truly informative features" in seen.text


def test_time_left_is_estimated(start, table):
    child = start("select", table.name, "--target", "group", "--repeats", "2000")
    child.expect(r"cross-validation:\s+\d+%\|.*/10000 \[\d\d:\d\d<\d+:\d\d")


def test_choice_of_C_has_a_bar(show, table):
    seen = show("select", table.name, "--target", "group", "--method", "sfm-cv", "--cv", "0")
    assert seen.code == 0
    assert "choice of C:" in seen.raw
    assert "Chosen C:" in seen.text


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"]
)
def test_no_emphasis_where_it_is_not_wanted(show, table, environment):
    seen = show("select", table.name, "--target", "group", "--C", "3", "--cv", "0", **environment)
    assert seen.code == 0
    assert "\x1b[" not in seen.raw
    assert "gene_17" in seen.text


def test_quiet_prints_names_only(show, table):
    seen = show("select", table.name, "--target", "group", "--C", "3", "--quiet")
    *names, verdict = seen.raw.splitlines()
    assert verdict.startswith("Better than guessing: ")
    assert sorted(names) == ["gene_17", "gene_4"]
