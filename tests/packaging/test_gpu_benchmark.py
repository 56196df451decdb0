"""The benchmark of graphics processors also runs, small, where there is none."""

from __future__ import annotations

import pytest

from benchmarks import gpu, timing


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr(timing, "rows", [])
    monkeypatch.setattr(gpu, "_SQUARE", 256)
    return timing.rows


@pytest.mark.slow
def test_the_quick_run_compares_with_single_fits(rows, monkeypatch, capsys):
    monkeypatch.setattr(gpu, "_find", lambda name: _strict(name))
    gpu.main(["--quick", "--threads", "2"])
    measured = {row["name"]: row["measured"] for row in rows}
    assert measured["equal to a single fit on the CPU, features and objective"] == "2 of 2"
    assert measured["problems left to single fits"] == "0"
    assert float(measured["largest gap of a first program, in double precision"]) < 1e-7
    assert "the rest extrapolated" in capsys.readouterr().out


def test_without_a_device_nothing_is_claimed(rows, monkeypatch, capsys):
    monkeypatch.setattr(gpu, "_find", lambda name: None)
    gpu.main([])
    assert "Nothing was measured" in capsys.readouterr().out
    assert not rows


def _strict(name):
    return pytest.importorskip(name) if name == "array_api_strict" else None
