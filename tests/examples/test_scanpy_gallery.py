"""The example from counts to types, with scanpy."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "plot_scanpy.py"


def test_finds_the_markers_and_the_types(capsys):
    pytest.importorskip("scanpy")
    plt.switch_backend("Agg")
    plt.close("all")
    with pytest.warns(UserWarning, match="because they have no label"):
        found = runpy.run_path(str(SCRIPT))
    assert len(plt.get_fignums()) == 1
    plt.close("all")
    panel, new = found["panel"], found["new"]
    assert {int(gene.removeprefix("gene ")) for gene in panel.genes} <= set(range(15))
    assert (new.obs["predicted"].astype(str) == new.obs["truth"]).mean() > 0.9
    assert "fewest_weight" in capsys.readouterr().out


def test_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "scanpy", None)
    with pytest.raises(SystemExit, match="pip install scanpy"):
        runpy.run_path(str(SCRIPT))
