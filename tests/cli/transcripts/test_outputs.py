"""Full disks and folders that cannot be written: an error that says so, and the old file stays."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.ordinary_user import as_ordinary_user
from tests.platforms import needs

FEWEST = f"{sys.executable} -m fewest"
OUTPUTS = {
    "select": "--cv 0 --json out.json",
    "path": "--values 3 --cv 0 --plot out.png",
    "rank": "--subsets 2 --csv out.csv",
}


def shell(script, folder, before=()):
    return subprocess.run(
        [*before, "bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        check=False,
    )


@needs("limits on the size of files")
@pytest.mark.parametrize("command", OUTPUTS)
def test_file_that_grows_too_large(table, tmp_path, command):
    """A limit of the system stops the writing in the middle."""
    options = OUTPUTS[command]
    output = tmp_path / options.split()[-1]
    output.write_text("old")
    limited = f"ulimit -f 0; exec {FEWEST} {command} table.csv --target group {options}"
    done = shell(limited, tmp_path)
    assert done.returncode == 1
    assert f"fewest: error: {output.name} could not be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([output.name, "table.csv"])


def test_disk_that_is_full(table, tmp_path):
    """A real file system of 16 KB, filled before the result is written."""
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    (tmp_path / "disk").mkdir()
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    mount = "mount -t tmpfs -o size=16k tmpfs disk"
    if shell(mount, tmp_path, alone).returncode:
        pytest.skip("no small file system can be mounted here")
    script = f"""{mount} && echo old > disk/out.json && head -c 12k /dev/zero > disk/ballast
        {FEWEST} select table.csv --target group --json disk/out.json; echo "code $?"
        cat disk/out.json; ls -A disk"""
    done = shell(script, tmp_path, alone)
    assert "disk/out.json could not be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.endswith("code 1\nold\nballast\nout.json\n")


@needs("/dev/full")
def test_standard_output_that_is_full(table, tmp_path):
    done = shell(f"{FEWEST} select table.csv --target group > /dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "fewest: error: standard output could not be written: No space left on device.\n"
        "Make room on the disk, or name another place.\n"
    )


def test_folder_that_cannot_be_written(start, finish, table, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    (folder / "out.json").write_text("old")
    folder.chmod(0o555)
    arguments = ("select", table.name, "--target", "group", "--json", "locked/out.json")
    seen = finish(start(*arguments, before=as_ordinary_user()))
    folder.chmod(0o755)
    assert seen.code == 2
    assert "nothing can be written to" in seen.text
    assert "Name a file in a folder that exists and that you may write to." in seen.text
    assert "Data " not in seen.text  # said before the long work
    assert (folder / "out.json").read_text() == "old"


def test_file_that_is_write_protected(start, finish, table, tmp_path):
    (tmp_path / "out.json").write_text("old")
    (tmp_path / "out.json").chmod(0o444)
    arguments = ("select", table.name, "--target", "group", "--json", "out.json")
    seen = finish(start(*arguments, before=as_ordinary_user()))
    assert seen.code == 2
    assert "is write-protected" in seen.text.replace("\n", " ")
    assert (tmp_path / "out.json").read_text() == "old"


@needs("/proc")
def test_folder_of_the_system(show, table):
    seen = show("select", table.name, "--target", "group", "--json", "/proc/out.json")
    assert seen.code == 2
    assert "nothing can be written to /proc" in seen.text
