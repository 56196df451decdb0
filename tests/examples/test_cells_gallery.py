"""The example on scanpy's own cells."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "plot_cells.py"


def test_draws_three_figures(capsys, monkeypatch):
    pytest.importorskip("scanpy")
    plt.switch_backend("Agg")
    plt.close("all")
    found = runpy.run_path(str(SCRIPT))
    assert len(plt.get_fignums()) == 3
    plt.close("all")
    assert 3 <= len(found["panel"].genes) <= 12
    assert found["panel"].judgement.macro_f1 > 0.5
    assert "macro-F1 without it" in capsys.readouterr().out


def test_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "scanpy", None)
    with pytest.raises(SystemExit, match="pip install scanpy"):
        runpy.run_path(str(SCRIPT))
