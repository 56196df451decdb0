"""A way to run the command in this process, and places that are full or read-only."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fewest.cli import main


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str

    def says(self) -> str:
        """Its error, which has to be a sentence."""
        assert self.err.startswith("fewest: error: "), self.err
        assert "Traceback" not in self.err
        return " ".join(self.err.split())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `fewest` with these arguments; errors that nobody catches fail the test."""

    def call(*arguments: Any) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def mounted(tmp_path: Path) -> Callable[..., Any]:
    """A folder on a small file system of its own, as root can have it."""
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a file system")

    @contextmanager
    def mount(options: str) -> Iterator[Path]:
        place = tmp_path / "mounted"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "fewest-test", str(place)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("no file system can be mounted here")
        try:
            yield place
        finally:
            subprocess.run(["umount", "-l", str(place)], check=True)

    return mount
