"""The command as a real process: exit codes, pipes and Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.platforms import needs
from tests.tables.samples import two_classes

COMMAND = [sys.executable, "-m", "fewest"]


def run_process(*arguments, **keywords):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **keywords,
    )


def test_demo():
    done = run_process("demo")
    assert done.returncode == 0
    assert "Found 3 of the 3" in done.stdout
    assert done.stderr == ""


def test_csv(table, tmp_path):
    done = run_process(
        "select", "table.csv", "--target", "group", "--C", "3", "--json", "out.json", cwd=tmp_path
    )
    assert done.returncode == 0
    assert "gene_17" in done.stdout
    assert "gene_17" in json.loads((tmp_path / "out.json").read_text())["answer"]["selected"]


def test_error():
    done = run_process("select", "nothing.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("fewest: error: the file nothing.csv does not exist")


def test_characters_that_the_terminal_cannot_show(tmp_path):
    X, y = two_classes()
    np.savez(tmp_path / "table.npz", X=X[:, [4, 17]], y=y, feature_names=["β-actin", "γ"])
    done = run_process(
        "select", "table.npz", "--cv", 0, cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 0
    assert "\\u03b2-actin" in done.stdout


@needs("bash")
@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_pipe_that_closes_early(table, tmp_path, reader):
    command = " ".join([*COMMAND, "select", "table.csv", "--target", "group", "--json", "out.json"])
    done = subprocess.run(
        ["bash", "-c", f"{command} | {reader}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == (1 if reader == "head -1" else 0)
    assert (tmp_path / "out.json").exists()


@needs("POSIX signals")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c(table, tmp_path, jobs):
    arguments = ["select", table, "--target", "group", "--repeats", "100000", "--jobs", jobs]
    arguments += ["--json", tmp_path / "out.json"]
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background ignores Ctrl-C, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        for _ in range(600):  # until the answer is written, and the folds go on
            if (tmp_path / "out.json").exists():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    lost, last = errors.splitlines()
    assert lost.startswith("fewest: not finished: the cross-validation. What was found before is")
    assert last == "fewest: interrupted"
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["answer"]["selected"]
    assert "not finished" in {one["part"]: one["reason"] for one in found["left_out"]}["validation"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "table.csv"]
