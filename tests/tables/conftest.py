"""Shared fixtures: one good file, and a way to see why another one is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fewest.tables import InputError, read_table
from tests.tables.samples import two_classes, write_csv


@pytest.fixture
def refused() -> Callable[..., str]:
    """Read a file and return the error message; it is short and names no command-line option."""

    def call(
        path: Path, target: str | None = "group", drop: tuple[str, ...] = (), **how: str
    ) -> str:
        with pytest.raises(InputError) as caught:
            read_table(path, target, drop, **how)
        message = str(caught.value)
        assert message.count("\n") <= 1
        assert "--" not in message
        return message

    return call


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A CSV file with two classes that two features separate."""
    return write_csv(tmp_path / "table.csv", *two_classes())
