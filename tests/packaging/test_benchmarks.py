"""What `make bench` keeps and compares, and how `make size` counts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import PurePosixPath

import pytest

from benchmarks import record, timing
from benchmarks.code_size import count_code_lines, count_rooms
from tests.conftest import ROOT


@pytest.fixture
def rows(monkeypatch):
    """Rows as three benchmarks print them."""
    monkeypatch.setattr(timing, "rows", [])
    timing.row("hard fit / one X.T @ v, C order", "12.5", "at most 15")
    timing.row("linprog / hard fit", "250", "at least 50")
    timing.row("  (one hard fit, seconds)", "0.0123")
    timing.row("peak memory above X, float64", "4.0% of X", "at most 25 %")
    timing.row("  features selected by LinearSVC L1 and by us", "70 and 12")
    timing.row("  relative difference of the two objectives", "1.5e-10")
    return timing.rows


def changed(rows, **values):
    """The rows with other values in those whose name begins so."""
    starts = {start.replace("_", " "): value for start, value in values.items()}
    for row in rows:
        for start, value in starts.items():
            if row["name"].startswith(start):
                row = {**row, "measured": value}
        yield row


def test_rows_are_printed_and_kept(rows, capsys):
    timing.row("a / b", "1.0", "below 2")
    assert capsys.readouterr().out == f"  {'a / b':<66}{'1.0':>16}   below 2\n"
    assert rows[-1] == {"name": "a / b", "measured": "1.0", "asked": "below 2"}


def test_only_ratios_are_compared(rows):
    assert record.ratios(rows) == {
        "hard fit / one X.T @ v, C order": 12.5,
        "linprog / hard fit": 250.0,
        "peak memory above X, float64": 4.0,
    }


def test_runs_are_kept_one_by_one(rows, tmp_path):
    folder = tmp_path / "bench"
    assert record.last_run(folder) is None
    path = record.save(rows, folder)
    kept = json.loads(path.read_text())
    assert kept["rows"] == rows
    assert kept["commit"] in path.name
    assert record.last_run(folder) == kept
    (folder / "9999-01-01-000000-later.json").write_text('{"date": "later"}')
    assert record.last_run(folder) == {"date": "later"}


def test_comparison_marks_what_is_beyond_noise(rows):
    before = list(changed(rows, hard="25.0", linprog="100", peak="3.0% of X"))
    better, much_better, noise = record.compare(rows, before)
    assert better.split()[-4:] == ["12.5", "25", "0.50", "BETTER"]
    assert much_better.split()[-4:] == ["250", "100", "2.50", "BETTER"]
    assert noise.split()[-3:] == ["4", "3", "1.33"]
    worse = [line.split()[-1] for line in record.compare(before, rows)]
    assert worse == ["WORSE", "WORSE", "0.75"]


def test_comparison_without_a_wish_or_a_predecessor(rows):
    plain = [{**row, "asked": ""} for row in rows]
    (line,) = record.compare(plain[:1], list(changed(rows[:1], hard="1.0")))
    assert line.endswith("CHANGED")
    (line,) = record.compare(rows[:1], rows[1:])
    assert line.endswith("new")
    (line,) = record.compare(rows[:1], list(changed(rows[:1], hard="0.0")))
    assert line.split()[-2:] == ["inf", "WORSE"]


SOURCE = '''"""A module."""

# A comment.
import os  # another


class Thing:
    """Of two

    lines."""

    text = """one
    two"""

    def f(self):
        """What it does."""
        return os.path.join(
            "a",

            "b",
        )
'''


def test_code_lines():
    assert count_code_lines(SOURCE) == 9
    assert count_code_lines('"""Nothing but a docstring."""\n\n# and a comment\n') == 0


def test_lines_are_counted_per_room():
    sources = [
        (PurePosixPath("src/fewest/room/a.py"), "x = 1\n"),
        (PurePosixPath("src/fewest/room/inner/b.py"), "x = 1\ny = 2\n"),
        (PurePosixPath("src/fewest/loose.py"), "x = 1\n"),
    ]
    assert count_rooms(sources) == {"room": 3, "(loose modules)": 1}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is not a clone")
def test_size_compared_with_a_revision():
    command = [sys.executable, "-m", "benchmarks.code_size", "--since", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    name, now, before, change = done.stdout.splitlines()[-1].split()
    assert name == "total"
    assert int(now.replace(",", "")) > 1000 < int(before.replace(",", ""))
    assert change.endswith("%")
