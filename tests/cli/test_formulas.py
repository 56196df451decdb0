"""Names that spreadsheets would run as formulas: protected in tables, restored on reading."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from fewest._cells import protect_cell, restore_cell
from fewest.neuro._regions import Region, RegionTable
from fewest.tables import read_table
from tests.tables.samples import two_classes

DANGEROUS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\tx", "\rx", "'=x", "''+y"]
HARMLESS = ["gene", "", "'quoted'", "a=b", "1e-5", "-1.5", "+3", "-inf", " =x"]


@pytest.mark.parametrize("name", DANGEROUS)
def test_protected_and_restored(name):
    assert protect_cell(name) == f"'{name}"
    assert restore_cell(protect_cell(name)) == name


@pytest.mark.parametrize("name", [*HARMLESS, 3, -2.5, None])
def test_left_alone(name):
    assert protect_cell(name) == name
    assert restore_cell(name) == name


@pytest.fixture
def formulas(tmp_path):
    """A table whose names and classes all look like formulas."""
    X, y = two_classes()
    names = [f"=gene_{j}()" for j in range(X.shape[1])]
    classes = np.array(["@ill", "+well"])[(y == y[0]).astype(int)]
    np.savez(tmp_path / "table.npz", X=X, y=classes, feature_names=names)
    return tmp_path / "table.npz"


def test_regions():
    table = RegionTable((Region(1, "=evil()", 1, 0, 0, 1, 4, 0.1, 1.0),), 10)
    assert "'=evil()" in table.to_csv()
    assert ",=evil()" in table.to_csv(raw=True)


@pytest.mark.parametrize("transpose", [False, True])
def test_reading_gives_the_names_back(tmp_path, transpose):
    rows = [["'=a()", "class"], [1.0, "'@ill"], [2.0, "'+well"], [3.0, "'@ill"], [4.0, "'+well"]]
    if transpose:
        rows = [["name", "s1", "s2", "s3", "s4"], *zip(*rows, strict=True)]
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as lines:
        csv.writer(lines).writerows(rows)
    found = read_table(path, target="class", transpose=transpose)
    assert list(found.feature_names) == ["=a()"]
    assert set(found.y) == {"@ill", "+well"}


def test_names_of_a_panel(run, formulas, tmp_path):
    (tmp_path / "panel.txt").write_text("'=gene_4()\n'=gene_17()\n")
    ran = run("panel", formulas, "--features-from", tmp_path / "panel.txt", "--quiet")
    assert ran.code == 0, ran.err
