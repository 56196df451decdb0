"""Files are written completely or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from fewest._run.files import atomic_write, check_writable
from tests.ordinary_user import as_ordinary_user
from tests.platforms import needs


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "out.txt"
    for text in ("first", "zweite Fassung, länger"):
        atomic_write(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert os.listdir(tmp_path) == ["out.txt"]


@needs("POSIX permissions")
def test_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        atomic_write(tmp_path / "out.txt", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
def test_failure_keeps_the_old_file(tmp_path, monkeypatch, step, failure):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail(*arguments):
        raise failure

    monkeypatch.setattr(f"fewest._run.files.os.{step}", fail)
    with pytest.raises(type(failure)):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_text_that_cannot_be_encoded_keeps_the_old_file(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        atomic_write(path, "new \ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


@needs("POSIX permissions")  # elsewhere a right of its own
def test_links_are_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "real.txt")
    atomic_write(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "real.txt").read_text() == "text"


def test_folders_are_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        atomic_write(tmp_path, "text")


@needs("device files")
def test_devices_are_refused():
    with pytest.raises(OSError, match="not an ordinary file"):
        atomic_write("/dev/null", "text")


def test_check_leaves_nothing_behind(tmp_path):
    check_writable(tmp_path / "out.txt")
    assert os.listdir(tmp_path) == []


def test_check_finds_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    def read_only(*arguments, **keywords):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("pathlib.Path.mkdir", read_only)
    with pytest.raises(OSError, match="nothing can be written to .* \\(Read-only file system\\)"):
        check_writable(tmp_path / "out.txt")


def test_check_finds_missing_permissions(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    script = """if True:
        from fewest._run.files import check_writable
        for name in ("out.txt", "other.txt"):
            try:
                check_writable(name)
            except OSError as error:
                print(error)
    """
    done = subprocess.run(
        [*as_ordinary_user(), sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    tmp_path.chmod(0o755)
    protected, locked = done.stdout.splitlines()
    assert protected == f"the file {path} is write-protected"
    assert locked == f"nothing can be written to {tmp_path} (Permission denied)"


def test_bytes_are_written_as_they_are(tmp_path):
    atomic_write(tmp_path / "out.bin", b"\x89PNG\r\n\xff")
    assert (tmp_path / "out.bin").read_bytes() == b"\x89PNG\r\n\xff"
    assert os.listdir(tmp_path) == ["out.bin"]
