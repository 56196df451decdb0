"""Ctrl-C in the middle of each long command: one line, exit code 130, no file in parts."""

from __future__ import annotations

import json
import time

import pytest

LONG = {
    "select": ["--repeats", "500"],
    "select in processes": ["--repeats", "500", "--jobs", "2"],
    "select with sfm-cv": ["--method", "sfm-cv"],
    "path": ["--values", "2000"],
    "rank": [],
    "informative": [],
    "minimum": ["--max-seconds", "inf"],
    "diagnose": ["--permutations", "5000"],
}


@pytest.mark.parametrize("run", LONG)
def test_ctrl_c(start, finish, noise, tmp_path, run):
    (tmp_path / "out.json").write_text("old")
    command = run.split()[0]
    child = start(command, noise.name, *LONG[run], "--json", "out.json")
    child.expect(r"\d+%\|")  # in the middle of the work
    time.sleep(0.2)
    child.sendintr()
    seen = finish(child)
    assert seen.code == 130
    assert seen.text.rstrip().endswith("fewest: interrupted")
    assert "Traceback" not in seen.text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["noise.npz", "out.json"]
    left = (tmp_path / "out.json").read_text()
    if command in ("rank", "informative") and left != "old":
        # These two keep what is finished; that is a whole result of its own.
        assert json.loads(left)["command"] == command
    else:
        assert left == "old"


def test_ctrl_c_while_libraries_load(start, finish, noise):
    child = start("select", noise.name, "--repeats", "500")
    time.sleep(0.4)
    child.sendintr()
    seen = finish(child)
    assert seen.code in (130, -2)  # before the first line of the command, Python itself ends
