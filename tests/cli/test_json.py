"""`--json -`: nothing but JSON on standard output, and nothing on standard error."""

from __future__ import annotations

import json

import pytest

_OPTIONS = {
    "select": ["--cv", 2],
    "path": ["--values", 3, "--cv", 2],
    "rank": ["--subsets", 2],
    "informative": ["--cv", 2, "--permutations", 0],
    "minimum": [],
    "diagnose": ["--permutations", 5, "--cv", 2],
}


@pytest.mark.parametrize("quiet", [(), ("--quiet",)], ids=["", "quiet"])
@pytest.mark.parametrize("command", _OPTIONS)
def test_file(run, table, command, quiet):
    ran = run(command, table, "--target", "group", *_OPTIONS[command], *quiet, "--json", "-")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["schema"], found["schema_version"]) == ("fewest.result", 1)
    assert found["command"] == command


def test_demo(run):
    ran = run("demo", "--json", "-")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["truth"]["n_found"] == 3
