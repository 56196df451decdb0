"""Temporary files, and places where nothing can be written."""

from __future__ import annotations

import os

import pytest

from fewest._run import files
from tests.platforms import needs


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
