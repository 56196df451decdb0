"""Shared fixtures: one good file, and a way to run the command in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fewest.cli import main
from tests.tables.samples import two_classes, write_csv


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `fewest` with these arguments."""

    def call(*arguments: Any) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages with few permutations and short searches: their limits are counts."""
    monkeypatch.setattr("fewest.report._plan.TEST_SECONDS", 2.0)
    monkeypatch.setattr("fewest.report._trust._MOST_LOOKS", 100)
    monkeypatch.setattr("fewest.report._front._MOST_LOOKS", 100)


@pytest.fixture
def refused(run: Callable[..., Ran]) -> Callable[..., str]:
    """Run `fewest select` and return its error message; it must be short and come alone."""

    def call(*arguments: Any) -> str:
        ran = run("select", *arguments)
        assert ran.code == 2
        assert ran.out == ""
        assert ran.err.startswith("fewest: error: ")
        assert ran.err.count("\n") <= 2
        assert "Traceback" not in ran.err
        return ran.err

    return call


@pytest.fixture
def without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if pandas had never been installed."""

    class Blocked:
        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> None:
            if name.partition(".")[0] == "pandas":
                raise ModuleNotFoundError(name)

    for name in [name for name in sys.modules if name.partition(".")[0] == "pandas"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Blocked, *sys.meta_path])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A CSV file with two classes that two features separate."""
    return write_csv(tmp_path / "table.csv", *two_classes())
