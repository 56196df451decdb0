"""One small table as it is, and what both ways in make of a file that may be damaged."""

from __future__ import annotations

import contextlib
import ctypes
import io
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fewest.cli import _app
from fewest.tables import InputError, Table, read_table
from fuzzing.outcome import Failure, require

TARGET = "group"
NAMES = [f"gene_{number}" for number in range(6)]
# Code 3 says that no hyperplane separates the classes. 4 is for errors that nobody foresaw: those
# are findings.
_CLEAR = (0, 2, 3)
_MOST_LINES = 6
# Half of the time of a short command goes into its parser, which is the same each time.
_app.build_parser = cache(_app.build_parser)


def small_table() -> tuple[np.ndarray, np.ndarray]:
    """16 samples, six features; the second one tells the classes apart."""
    rng = np.random.default_rng(0)
    y = np.array(["healthy", "ill"])[np.arange(16) % 2]
    X = rng.standard_normal((16, len(NAMES)))
    X[:, 1] += 4.0 * (y == "ill")
    return X, y


def check_file(path: Path, rng: random.Random, **options: Any) -> None:
    """Read the file by the library and by a command: both succeed sanely, or say what is wrong."""
    table = _read_twice(path, options)
    command = rng.choice((["select", "--cv", "0", "--C", "1"], ["rank", "--subsets", "2"]))
    arguments = [command[0], str(path), *command[1:], "--quiet", "--target", TARGET]
    if options.get("transpose"):
        arguments.append("--transpose")
    code, _ = run_command(arguments)
    if table is None:
        require(code == 2, f"the library refuses the file, {arguments} ends with {code}")


def run_command(arguments: list[str]) -> tuple[int, str]:
    """Exit code and output of a command in this process; unclear ends are failures."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _app.main(arguments)
    said = err.getvalue()
    if code not in _CLEAR or "Traceback" in said:
        raise Failure("traceback", f"fewest {' '.join(arguments)}: exit code {code}\n{said}")
    if code:
        require(said.startswith("fewest: error: "), f"exit code {code}, but it says {said!r}")
        message = said.splitlines()
        require(len(message) <= _MOST_LINES, f"{len(message)} lines of error: {said[:2000]}")
        require(max(map(len, message)) < 2000, f"an error too long to read: {said[:2000]}")
    return code, out.getvalue()


def _read_twice(path: Path, options: dict[str, Any]) -> Table | None:
    """The table, or None if it is refused; values may not depend on what memory held before."""
    found = []
    for filling in (0x11, 0x77):
        _fill_memory(filling)
        try:
            found.append(read_table(path, TARGET, **options))
        except InputError as error:
            require(str(error), "an error without a message")
            found.append(None)
    _fill_memory(0)
    one, two = found
    if one is None or two is None:
        require(one is two, "read once, refused once")
        return None
    _check_sane(one)
    same = np.array_equal(_dense(one.X), _dense(two.X)) and np.array_equal(one.y, two.y)
    require(same, "read twice, the values differ: they come from memory that was never written")
    return one


def _check_sane(table: Table) -> None:
    X = _dense(table.X)
    require(X.ndim == 2, f"X has {X.ndim} dimensions")
    require(X.dtype.kind in "fiub", f"X has the type {X.dtype}")
    require(np.isfinite(X).all(), "X is not finite")
    require(len(table.y) == len(X), f"{len(table.y)} classes for {len(X)} samples")
    require(len(table.feature_names) == X.shape[1], "names and columns differ in number")
    require(len(np.unique(np.asarray(table.y))) >= 2, "fewer than two classes")


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def _fill_memory(byte: int) -> None:
    """Let the allocator fill memory with this byte (glibc's M_PERTURB), where it can."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(-6, byte)
