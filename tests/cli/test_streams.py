"""Standard error that is closed or full, very large values, and processes that are ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from fewest._run import files
from tests.platforms import needs
from tests.tables.samples import two_classes, write_csv

_WRITER = """
import sys, time
from fewest.cli._streams import cleaning_up_when_terminated
from fewest._run import files
real = files.os.fsync
def wait(number):
    print("writing", flush=True)
    time.sleep(600)
files.os.fsync = wait
with cleaning_up_when_terminated():
    files.atomic_write(sys.argv[1], "new")
"""


def shell(command: str, **options):
    return subprocess.run(["bash", "-c", command], capture_output=True, timeout=240, **options)


@needs("bash")
@needs("/dev/full")
@pytest.mark.parametrize(
    "arguments", ["rank {} --target group --subsets 2 --quiet", "select nothing.csv"]
)
def test_standard_error_that_is_full_or_closed_changes_nothing(table, tmp_path, arguments):
    command = f"{sys.executable} -m fewest {arguments.format(table)}"
    usual = shell(command, cwd=tmp_path)
    for elsewhere in ("2>/dev/full", "2>&-"):
        found = shell(f"{command} {elsewhere}", cwd=tmp_path)
        assert (found.returncode, found.stdout) == (usual.returncode, usual.stdout), elsewhere
        assert found.stderr == b""


def test_very_large_values_give_no_warning_with_a_source_path(run, tmp_path):
    X, y = two_classes()
    X[:2, 3] = -1.7e308, 1.7e308
    path = write_csv(tmp_path / "t.csv", X, y)
    with np.errstate(all="warn"):
        ran = run("select", path, "--target", "group")
    assert ran.code == 2
    assert "so large that their squares overflow: rescale them" in ran.err
    assert "RuntimeWarning" not in ran.err


@needs("POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_temporary_files_of_processes_that_were_ended(tmp_path, number):
    target = tmp_path / "result.json"
    target.write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(target)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    process.send_signal(number)
    process.wait(timeout=60)
    process.stdout.close()
    assert target.read_text() == "old"
    if number == signal.SIGTERM:  # it cleans up itself
        assert process.returncode == 128 + signal.SIGTERM
        assert os.listdir(tmp_path) == ["result.json"]
        return
    assert len(os.listdir(tmp_path)) == 2
    files.atomic_write(tmp_path / "another.json", "x")  # no concern of this one
    assert len(os.listdir(tmp_path)) == 3
    files.atomic_write(target, "new")
    assert sorted(os.listdir(tmp_path)) == ["another.json", "result.json"]


@needs("POSIX signals")
def test_temporary_files_of_living_processes_are_left_alone(tmp_path):
    target = tmp_path / "result.json"
    mine = files._temporary_beside(target)
    mine.write_text("at work")
    with files.whole_folder(tmp_path / "folder") as folder:
        (folder / "a").write_text("")
    files.atomic_write(target, "new")
    assert mine.exists()


def test_a_read_only_place_is_called_that(tmp_path, monkeypatch):
    class ReadOnly:
        f_flag = getattr(os, "ST_RDONLY", 1)

    monkeypatch.setattr(os, "ST_RDONLY", 1, raising=False)
    monkeypatch.setattr(os, "statvfs", lambda _: ReadOnly, raising=False)
    target = tmp_path / "a.txt"
    target.write_text("")
    with pytest.raises(OSError, match="is on a read-only file system"):
        files.check_writable(target)
    with pytest.raises(OSError, match="is on a read-only file system"):
        files.check_new_folder(tmp_path / "b")


def test_cleaning_up_does_not_hide_why_writing_failed(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    def also_fail(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(files.os, "fsync", fail)
    monkeypatch.setattr(files.Path, "unlink", also_fail)
    with pytest.raises(OSError, match="No space left"):
        files.atomic_write(tmp_path / "a.txt", "content")
