"""Folders appear whole or not at all."""

from __future__ import annotations

import os
import stat

import pytest

from fewest._run.files import check_new_folder, whole_folder


def content(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def fill(folder, text="new"):
    (folder / "one.txt").write_text(text)
    (folder / "two.txt").write_text(text)


@pytest.mark.parametrize("exists", [False, True])
def test_appears_at_the_end(tmp_path, exists):
    target = tmp_path / "found"
    if exists:
        target.mkdir()
    with whole_folder(target) as folder:
        fill(folder)
        assert folder != target
        assert folder.parent == tmp_path  # on the same disk
        assert not exists or not list(target.iterdir())
    assert content(target) == {"one.txt": "new", "two.txt": "new"}
    assert os.listdir(tmp_path) == ["found"]


def test_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        with whole_folder(tmp_path / "found"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "found").stat().st_mode) == 0o750


def test_replaces_what_it_may(tmp_path):
    (tmp_path / "found").mkdir()
    fill(tmp_path / "found", "old")
    with whole_folder(tmp_path / "found", replaceable={"one.txt", "two.txt"}) as folder:
        (folder / "three.txt").write_text("new")
    assert content(tmp_path / "found") == {"three.txt": "new"}
    assert os.listdir(tmp_path) == ["found"]


def test_keeps_what_it_may_not_replace(tmp_path):
    (tmp_path / "found").mkdir()
    fill(tmp_path / "found", "old")
    with pytest.raises(FileExistsError, match="is not empty"):
        check_new_folder(tmp_path / "found")
    with (
        pytest.raises(FileExistsError, match="holds two.txt, which would be lost"),
        whole_folder(tmp_path / "found", replaceable={"one.txt"}),
    ):
        pass
    assert content(tmp_path / "found") == {"one.txt": "old", "two.txt": "old"}


@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["writing", "first rename", "second rename"])
def test_failure_keeps_the_old_folder(tmp_path, monkeypatch, step, failure):
    (tmp_path / "found").mkdir()
    fill(tmp_path / "found", "old")
    rename, calls = os.rename, []

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) == (1 if step == "first rename" else 2):
            raise failure
        rename(*arguments)

    with (  # noqa: PT012
        pytest.raises(type(failure)),
        whole_folder(tmp_path / "found", replaceable={"one.txt", "two.txt"}) as folder,
    ):
        fill(folder)
        if step == "writing":
            raise failure
        monkeypatch.setattr("fewest._run.files.os.rename", fail)
    assert content(tmp_path / "found") == {"one.txt": "old", "two.txt": "old"}
    assert os.listdir(tmp_path) == ["found"]


def test_a_file_is_in_the_way(tmp_path):
    (tmp_path / "found").write_text("text")
    with pytest.raises(FileExistsError, match="is a file, not a folder"):
        check_new_folder(tmp_path / "found")


def test_the_folder_above_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere does not exist"):
        check_new_folder(tmp_path / "nowhere" / "found")
