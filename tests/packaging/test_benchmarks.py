"""What `make bench` keeps and compares, and how `make size` counts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import PurePosixPath

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from benchmarks import many_samples, many_samples_around, record, timing
from benchmarks.code_size import count_code_lines, count_rooms
from benchmarks.many_samples_data import count_bytes, make_overlapping, make_sparse
from fewest._solvers.columns import scale_columns
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


def test_overlapping_samples():
    X, y = make_overlapping(4000, 60, n_informative=10)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1.0)
    differences = np.sort(np.abs(X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)))[::-1]
    assert differences[0] > 0.8
    assert differences[9] > 0.15
    assert differences[10] < 0.15
    correlations = np.corrcoef(X[y < 0].T)[np.triu_indices(60, 1)]
    assert 0.05 < np.std(correlations) < 0.2  # those of independent columns: 0.02
    best = LinearDiscriminantAnalysis().fit(X, y)
    assert 0.75 < best.score(*make_overlapping(4000, 60, n_informative=10)) < 0.9
    other, _ = make_overlapping(4000, 60, n_informative=10, seed=1)
    assert not np.array_equal(X, other)


def test_sparse_samples():
    X, y = make_sparse(500, 3000)
    assert X.format == "csr"
    assert X.has_canonical_format
    assert X.nnz == 0.02 * 500 * 3000
    assert count_bytes(X) == 12 * X.nnz + 4 * 501
    used = (X != 0).toarray()
    share, other = used[y > 0].mean(axis=0), used[y < 0].mean(axis=0)
    assert share[0] > 5 * other[0]
    informative = np.zeros(3000, dtype=bool)
    informative[np.arange(0, 30 * 50, 50)] = True
    assert np.all(np.abs(share - other)[~informative] < 0.1)


@pytest.mark.parametrize(
    "arguments", [["--only", "l1"], ["--only", "hard", "--only", "cost"], ["--only", "passes"]]
)
def test_the_benchmark_of_many_samples_runs(monkeypatch, arguments):
    """On tiny data: every row has a number, and every program is solved."""
    monkeypatch.setattr(timing, "rows", [])
    many_samples.main(["--small", *arguments])
    gaps = [float(one["measured"]) for one in timing.rows if "duality gap" in one["name"]]
    assert gaps
    assert max(gaps) <= 1e-7
    assert len(record.ratios(timing.rows)) >= 2
    assert all(one["measured"][0].isdigit() for one in timing.rows)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["growth", "soft", "sparse", "madelon"])
def test_further_parts_of_it(monkeypatch, capsys, part):
    monkeypatch.setattr(timing, "rows", [])
    many_samples.main(["--small", "--only", part])
    assert timing.rows or "madelon: skipped" in capsys.readouterr().out


def test_a_cost_for_a_number_of_features():
    """Bisection over a count that grows with the cost."""
    found = many_samples.find_cost(lambda C: int(100 * C / (1 + C)), 30, 1e-3)
    assert abs(int(100 * found / (1 + found)) - 30) <= 3


def test_reading_is_counted():
    columns = scale_columns(np.random.default_rng(0).standard_normal((20, 7)))
    with many_samples.count_reading() as seen:
        columns.price(np.ones(20))
        columns.price(np.ones(20))
        columns.take(np.arange(3))
        columns.combine(np.ones(7))
    columns.price(np.ones(20))
    assert (seen.priced, seen.taken) == (2 * 140, 3 * 20 + 140)


def test_the_benchmark_around_the_programs_runs(capsys):
    many_samples_around.main(largest=4000, rounds=1)
    shown = capsys.readouterr().out
    assert "soft margin on 10 features: growth from 40 to 4,000" in shown
    assert "hubness: growth from 40 to 400 samples" in shown


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
