"""A disk that is full or fails loses no result, and is no fault of the arguments."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from fewest._run.files import atomic_write
from tests.platforms import needs

COMMAND = [sys.executable, "-m", "fewest"]
FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def fail_writing(monkeypatch):
    """Let the writing of a file fail: of names that end so, and only after so many were written."""

    def fail(error, ending="", n_before=0):
        written = []

        def write(path, content):
            if str(path).endswith(ending) and len(written) >= n_before:
                raise error
            written.append(path)
            atomic_write(path, content)

        monkeypatch.setattr("fewest.cli._output.atomic_write", write)

    return fail


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_result_that_cannot_be_written_is_printed(run, table, tmp_path, fail_writing, quiet):
    file = tmp_path / "r.json"
    file.write_text("old")
    fail_writing(FULL)
    ran = run("select", table, "--target", "group", "--C", 3, "--json", file, *quiet)
    assert ran.code == 1
    assert {"gene_4", "gene_17"} <= set(ran.out.split())
    lost, *_, said, advice = ran.err.splitlines()  # with --quiet, the verdict is there too
    assert lost.endswith("the cross-validation. What was found before is above.")
    assert said.endswith("r.json could not be written: No space left on device.")
    assert advice == "Make room on the disk, or name another place."
    assert file.read_text() == "old"


@needs("POSIX signals")
def test_a_real_limit_of_the_disk(table, tmp_path):
    import resource

    (tmp_path / "r.json").write_text("old")
    ran = subprocess.run(
        [*COMMAND, "select", table, "--target", "group", "--C", "3", "--json", "r.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert ran.returncode == 1
    assert "Selected: 2 of " in ran.stdout
    assert "and in r.json" not in ran.stderr
    assert "r.json could not be written: File too large." in ran.stderr
    assert (tmp_path / "r.json").read_text() == "old"


def test_a_file_that_holds_less_is_not_said_to_hold_all(run, table, tmp_path, fail_writing):
    fail_writing(FULL, n_before=1)
    asked = ("panel", table, "--target", "group", "--features", "gene_4", "--cv", 2)
    few = ("--repeats", 1, "--permutations", 9, "--random", 2, "--stand-ins", 1, "--points")
    ran = run(*asked, *few, "--json", tmp_path / "r.json")
    assert ran.code == 1
    assert "Balanced error" in ran.out
    assert "and in" not in ran.err


@pytest.mark.parametrize(
    ("number", "code"),
    [
        *((errno.ENOSPC, 1), (errno.EFBIG, 1), (errno.EIO, 1)),
        *((errno.EACCES, 2), (errno.EROFS, 2), (errno.ENOENT, 2)),
    ],
)
def test_a_wrong_place_is_bad_input_and_a_full_one_is_not(
    run, table, tmp_path, fail_writing, number, code
):
    fail_writing(OSError(number, os.strerror(number)))
    ran = run("select", table, "--target", "group", "--cv", 0, "--json", tmp_path / "r.json")
    assert ran.code == code
    assert f"could not be written: {os.strerror(number)}." in ran.err
    assert ("Make room on the disk" in ran.err) == (code == 1)


def test_a_disk_that_is_full_before_the_work(run, table, tmp_path, monkeypatch):
    def full(*_):
        raise FULL

    monkeypatch.setattr("fewest._run.files.Path.mkdir", full)
    ran = run("select", table, "--target", "group", "--json", tmp_path / "r.json")
    assert (ran.code, ran.out) == (1, "")
    assert "No space left on device" in ran.err


@needs("/dev/full")
def test_full_standard_output(table):
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run(
            [*COMMAND, "select", table, "--target", "group", "--cv", "0"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=240,
        )
    assert ran.returncode == 1
    assert "standard output could not be written: No space left on device." in ran.stderr


def test_the_test_of_a_page_that_cannot_be_written_is_not_lost(run, table, tmp_path, fail_writing):
    fail_writing(FULL, ending=".html")
    asked = ("select", table, "--target", "group", "--C", 3, "--cv", 3, "--permutations", 9)
    ran = run(*asked, "--report", tmp_path / "p.html", "--json", tmp_path / "r.json")
    assert ran.code == 1
    assert "not finished: the page. What was found before is above and in " in ran.err
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["trust"]["permutation"]["n_permutations"] == 9
    assert "Not finished" not in ran.out.rpartition("Page ")[2]
