"""Options about classes in every command that reads a table, and what every result says of them."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.cli._parser import build_parser, subcommands
from tests.tables.samples import write_csv

NAMES = [f"gene_{column}" for column in range(12)]
SIZES = {"a": 12, "b": 11, "c": 12, "d": 4}
# A short run of every command that reads a table with classes.
COMMANDS = {
    "select": ["--cv", 2, "--method", "sfm"],
    "rank": ["--subsets", 2, "--C", 1],
    "minimum": ["--max-errors", 20, "--max-size", 2, "--max-seconds", 2, "--jobs", 1],
    "path": ["--values", 2, "--cv", 2],
    "informative": ["--every", 3, "--permutations", 2, "--cv", 2, "--C", 1],
    "panel": [
        *("--features", "gene_0,gene_1", "--permutations", 9),
        *("--random", 2, "--repeats", 1, "--stand-ins", 0),
    ],
    "diagnose": ["--permutations", 9, "--cv", 0],
}
STATUS = {"better", "not shown", "not tested"}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Four classes, one of them small, with a feature for each of the first three."""
    y = np.repeat(list(SIZES), list(SIZES.values()))
    X = np.random.default_rng(1).standard_normal((len(y), len(NAMES)))
    for column, label in enumerate("abc"):
        X[y == label, column] += 3.0
    return write_csv(tmp_path_factory.mktemp("classes") / "four.csv", X, y, NAMES)


def test_no_command_is_missing():
    commands = subcommands(build_parser())
    reading = {
        name
        for name, parser in commands.items()
        if any("--one-vs-rest" in action.option_strings for action in parser._actions)
    }
    assert reading == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--only", "a", "c"], {"a": 12, "c": 12}),
        (["--one-vs-rest", "b"], {"b": 11, "rest": 28}),
        (["--only", "a", "b", "d", "--one-vs-rest", "d"], {"d": 4, "rest": 23}),
    ],
    ids=["only", "one-vs-rest", "both"],
)
def test_classes_are_those_that_were_asked_for(run, table, command, options, expected):
    ran = run(command, table, "--target", "group", *COMMANDS[command], "--json", "-", *options)
    assert ran.code == 0, ran.err
    report = ran.json
    found = {one["label"]: one["n_samples"] for one in report["data"]["classes"]}
    assert found == expected
    assert report["verdict"]["status"] in STATUS
    assert report["verdict"]["text"]
    flagged = any("Few samples in d (4)" in note for note in report["data"]["notes"])
    assert flagged == ("d" in expected)
    small = [one["label"] for one in report["data"]["classes"] if one["is_small"]]
    assert small == [label for label, number in expected.items() if number < 10]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--only", "--one-vs-rest"])
def test_a_class_that_is_not_there(run, table, command, option):
    labels = ["a", "x"] if option == "--only" else ["x"]
    ran = run(command, table, "--target", "group", *COMMANDS[command], option, *labels)
    assert ran.code == 2
    assert "has no class 'x' in 'group'" in ran.err
    assert option in ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_small_classes_are_flagged_before_the_work(run, table, command):
    ran = run(command, table, "--target", "group", *COMMANDS[command], "--only", "b", "d")
    assert ran.code == 0, ran.err
    (line,) = [line for line in ran.out.splitlines() if "Few samples in" in line]
    assert line.startswith("Note      Few samples in d (4): ")


def test_a_single_sample(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((21, 12))
    y = np.array(["a"] * 10 + ["b"] * 10 + ["c"])
    X[y == "b", 0] += 5
    path = write_csv(tmp_path / "one.csv", X, y, NAMES)
    ran = run("select", path, "--target", "group", "--cv", 2)
    assert "A single sample cannot be left out to test the rest: c." in ran.out
    assert "No cross-validation: class 'c' is too small" in ran.out


def test_predictions_flag_them_too(run, table, tmp_path):
    model = tmp_path / "m.fewest"
    run("select", table, "--target", "group", "--method", "sfm", "--cv", 0, "--model", model)
    ran = run("predict", model, table, "--target", "group")
    assert "Few samples in d (4)" in ran.out
    assert "Few samples" not in run("predict", model, table, "--drop", "group").out
