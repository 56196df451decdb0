"""Errors that once reached users as tracebacks, and files that unpack to more than there is."""

from __future__ import annotations

import resource
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from tests.platforms import needs

HEADER = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }"
FEW_GIGABYTES = 3 * 2**30


def run_in_little_memory(*arguments):
    """The command in a process of its own: what it should refuse would fill this computer."""
    return subprocess.run(
        [sys.executable, "-m", "fewest", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=240,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (FEW_GIGABYTES,) * 2),
    )


@pytest.mark.parametrize(("seed", "C"), [(78, "1e14"), (100, "1e10"), (166, "1e5")])
def test_near_duplicate_columns_and_a_huge_cost(run, tmp_path, seed, C):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 50)), int(rng.integers(2, 12))
    nearly = 10.0 ** -rng.integers(7, 16)
    rng.integers(3, 16)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-8, 9, d)
    moved = X + nearly * rng.standard_normal(X.shape) * np.abs(X).max(axis=0)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    np.savez(tmp_path / "twins.npz", X=np.hstack([X, X * (1 + nearly), moved]), y=y)
    ran = run("select", tmp_path / "twins.npz", "--C", C, "--cv", 0)
    assert ran.code in (0, 2)
    assert "Traceback" not in ran.err


def test_a_header_of_very_many_values(run, tmp_path):
    path = tmp_path / "large.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", (HEADER % b"1000000, 1000000000").ljust(127) + b"\n")
        archive.writestr("y.npy", (HEADER % b"1000000,").ljust(127) + b"\n")
    ran = run("select", path)
    assert ran.code == 2
    assert "the array 'X' would take" in ran.says()


@needs("POSIX signals")
def test_a_value_in_the_last_cell_of_a_sheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook(write_only=False)
    book.active["A1"], book.active["XFD1048576"] = 1, 1
    book.save(tmp_path / "wide.xlsx")
    assert (tmp_path / "wide.xlsx").stat().st_size < 10_000
    ran = run_in_little_memory("select", tmp_path / "wide.xlsx", "--target", "1")
    assert ran.returncode == 2
    assert ran.stderr.startswith("fewest: error: ")
    assert "would take 1,024 GB of memory" in ran.stderr


def test_a_full_disk_under_a_checkpoint(run, mounted, tmp_path):
    # Some lines fit into pages that the log has already; those of so many subsets do not.
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "data.npz", X=rng.standard_normal((30, 300)), y=np.arange(30) % 2)
    with mounted("size=1m") as place:
        kept = place / "kept"
        command = ["rank", tmp_path / "data.npz", "--checkpoint", kept]
        assert run(*command, "--subsets", 1).code == 0
        filling = place / "filling"
        with pytest.raises(OSError, match="No space left"):
            filling.write_bytes(b"x" * 2**21)
        whole = (kept / "results.log").read_bytes()
        ran = run(*command)
        assert ran.code in (1, 2)
        assert "No space left on device" in ran.says()
        assert (kept / "results.log").read_bytes().startswith(whole)
        filling.unlink()
        assert run(*command).code == 0


def test_debug_shows_where(run):
    ran = run("select", "nothing.csv", "--debug")
    assert ran.code == 2
    assert ran.err.startswith("fewest: error: the file nothing.csv does not exist")
    assert "Traceback" in ran.err
