"""Names that spreadsheets would run as formulas: once written to tables as they were."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from tests.tables.samples import two_classes


@pytest.fixture
def formulas(tmp_path):
    """A table whose names and classes all look like formulas."""
    X, y = two_classes()
    names = [f"=gene_{j}()" for j in range(X.shape[1])]
    classes = np.array(["@ill", "+well"])[(y == y[0]).astype(int)]
    np.savez(tmp_path / "table.npz", X=X, y=classes, feature_names=names)
    return tmp_path / "table.npz"


def read_cells(path):
    with path.open(newline="") as lines:
        return [cell for row in csv.reader(lines) for cell in row]


def test_ranking(run, formulas, tmp_path):
    out = tmp_path / "ranking.csv"
    assert run("rank", formulas, "--subsets", 2, "--csv", out).code == 0
    cells = read_cells(out)
    assert any(cell.startswith("'=gene_") for cell in cells)
    assert not any(cell.startswith("=") for cell in cells)
    assert run("rank", formulas, "--subsets", 2, "--csv", out, "--raw").code == 0
    assert any(cell.startswith("=gene_") for cell in read_cells(out))


def test_predictions(run, formulas, tmp_path):
    model, out = tmp_path / "machine.fewest", tmp_path / "predicted.csv"
    assert run("select", formulas, "--cv", 0, "--model", model).code == 0
    command = ["predict", model, formulas, "--target", "y", "--out", out]
    assert run(*command).code == 0
    cells = read_cells(out)
    assert {"'@ill", "'+well"} <= set(cells)
    assert not {"@ill", "+well"} & set(cells)
    # Scores may be negative: they are numbers.
    assert any(cell.startswith("-") for cell in cells)
    assert run(*command, "--raw").code == 0
    assert {"@ill", "+well"} <= set(read_cells(out))
