"""The command in a real pseudo-terminal, as a user sees it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.platforms import require

pexpect = pytest.importorskip("pexpect")

_WIDTH = 100
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Transcript:
    """All that came to the terminal, and the exit code."""

    raw: str
    code: int

    @property
    def text(self) -> str:
        """What stays on the screen: without codes, and with the last state of every line."""
        lines = _CODES.sub("", self.raw).replace("\r\n", "\n").split("\n")
        return "\n".join(line.rsplit("\r", 1)[-1] for line in lines)


def _spawn(command: list[str], folder: Path, **environment: str) -> Any:
    require("pseudo-terminals")
    usual = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return pexpect.spawn(
        command[0],
        command[1:],
        cwd=str(folder),
        env=usual | {"TERM": "xterm-256color", "COLUMNS": str(_WIDTH)} | environment,
        dimensions=(50, _WIDTH),
        encoding="utf-8",
        timeout=120,
        echo=False,
    )


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Start `fewest` as a process of its own in a terminal, in the test's folder."""
    children = []

    def call(*arguments: Any, before: Sequence[str] = ()) -> Any:
        command = [*before, sys.executable, "-m", "fewest", *map(str, arguments)]
        children.append(_spawn(command, tmp_path))
        return children[-1]

    yield call
    for child in children:
        child.close(force=True)


@pytest.fixture
def finish() -> Callable[[Any], Transcript]:
    """Wait for the end of a process, and return what was shown since the last look."""

    def call(child: Any) -> Transcript:
        child.expect(pexpect.EOF)
        raw = child.before
        child.close()
        code = child.exitstatus
        return Transcript(raw, -child.signalstatus if code is None else code)

    return call


@pytest.fixture(scope="package")
def session() -> Iterator[Any]:
    """A process in a terminal that runs `fewest` when told to."""
    folder = Path(__file__).parent
    child = _spawn([sys.executable, str(folder / "session.py")], folder)
    yield child
    child.close(force=True)


@pytest.fixture
def show(session: Any, tmp_path: Path) -> Callable[..., Transcript]:
    """Run `fewest` in a terminal from start to end, in the test's folder."""

    def call(*arguments: Any, **environment: str) -> Transcript:
        wanted = {"folder": str(tmp_path), "environment": environment, "arguments": arguments}
        session.sendline(json.dumps(wanted))
        session.expect(r"\[exit code (\d+)\]\r\n")
        return Transcript(session.before, int(session.match.group(1)))

    return call


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """Classes that mean nothing: every command has long to work on them."""
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.npz"
    np.savez(path, X=rng.standard_normal((60, 20000)), y=np.arange(60) % 2)
    return path
