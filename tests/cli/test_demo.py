"""`fewest demo`: repeatable, honest, and it finds what is there."""

from __future__ import annotations

import json
import sys

import pytest

from tests.platforms import needs


@pytest.mark.usefixtures("without_pandas")
def test_finds_the_informative_features(run):
    ran = run("demo")
    assert ran.code == 0
    assert "72 samples, 7000 features" in ran.out
    assert "Found 3 of the 3 truly informative features, and 0 others" in ran.out
    assert ran.out.rstrip().endswith(
        "fewest select mydata.csv --target CLASS_COLUMN --report mydata.html"
    )


@needs("POSIX permissions")  # the script is found by its right to run
def test_says_how_to_call_it_again(run, monkeypatch, tmp_path):
    called = tmp_path / "bin" / "fewest"
    monkeypatch.setattr(sys, "argv", [str(called)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert f"Now your own data: {called} select" in run("demo").out
    program = tmp_path / "fewest"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert "Now your own data: fewest select" in run("demo").out


def test_json_and_repeatability(run, tmp_path):
    first = run("demo", "--json", "-").json
    run("demo", "--json", tmp_path / "demo.json", "--quiet")
    second = json.loads((tmp_path / "demo.json").read_text())
    for report in (first, second):
        del report["seconds"], report["created"], report["question"]["call"]
    assert first == second
    assert first["data"]["file"] is None
    assert first["truth"]["informative"] == first["answer"]["selected"]
    assert 0 < first["trust"]["validation"]["balanced_error"] < 0.2


def test_another_seed_gives_other_data(run):
    assert run("demo", "--seed", 1, "--quiet").out != run("demo", "--quiet").out
