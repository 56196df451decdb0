"""Excel workbooks."""

from __future__ import annotations

import sys

import numpy as np
import pandas
import pytest

from fewest.tables import InputError, read_table
from tests.tables.samples import NAMES, two_classes


@pytest.fixture
def workbook(tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X, columns=NAMES).assign(group=y)
    path = tmp_path / "book.xlsx"
    with pandas.ExcelWriter(path) as writer:
        frame.to_excel(writer, sheet_name="Genes", index=False)
        frame.iloc[::-1].to_excel(writer, sheet_name="Reversed", index=False)
    return path


def test_first_sheet_is_read_and_the_others_are_named(workbook):
    X, y = two_classes()
    table = read_table(workbook, "group")
    np.testing.assert_allclose(table.X, X, rtol=1e-15)
    assert table.X.dtype == np.float64
    assert table.y.tolist() == y.tolist()
    assert table.feature_names == NAMES
    assert table.notes == ["Read the first sheet, 'Genes'; there are also: Reversed."]


def test_another_sheet(workbook):
    table = read_table(workbook, "group", sheet="Reversed")
    np.testing.assert_allclose(table.X, two_classes()[0][::-1], rtol=1e-15)
    assert table.notes == []


def test_sheet_that_does_not_exist(workbook):
    with pytest.raises(InputError, match="has no sheet 'genes'.\nDid you mean 'Genes'?") as caught:
        read_table(workbook, "group", sheet="genes")
    assert caught.value.argument == "sheet"


def test_sheet_of_another_kind_of_file(table):
    with pytest.raises(InputError, match="has no sheets, only workbooks have") as caught:
        read_table(table, "group", sheet="Genes")
    assert caught.value.argument == "sheet"


def test_ids_missing_cells_and_whole_numbers(tmp_path):
    frame = pandas.DataFrame(
        {"patient": ["A", "B", "C"], "count": [1, 2, 3], "value": [0.5, None, 2.5]}
    )
    frame.assign(group=[0, 1, 1]).to_excel(tmp_path / "book.xlsx", index=False)
    table = read_table(tmp_path / "book.xlsx", "group", missing="median")
    assert table.X.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert table.y.tolist() == [0, 1, 1]
    assert table.feature_names == ["count", "value"]


def test_names_twice(refused, tmp_path):
    rows = pandas.DataFrame([["a", "a", "group"], [1, 2, "x"], [3, 4, "y"]])
    rows.to_excel(tmp_path / "book.xlsx", index=False, header=False)
    assert "has 1 column name more than once: a." in refused(tmp_path / "book.xlsx")


def test_error_values_are_missing_cells(refused, tmp_path):
    frame = pandas.DataFrame({"a": [1, "#DIV/0!", 3], "group": ["x", "y", "x"]})
    frame.to_excel(tmp_path / "book.xlsx", index=False)
    assert "has 1 missing cell in 1 column and 1 row: a (row 2)" in refused(tmp_path / "book.xlsx")


def test_empty_sheet(refused, tmp_path):
    pandas.DataFrame().to_excel(tmp_path / "book.xlsx", index=False)
    assert "is empty: it needs a row of names first" in refused(tmp_path / "book.xlsx")


@pytest.mark.parametrize("damage", ["text", "truncated", "flipped", "zip of something else"])
def test_damaged(refused, workbook, tmp_path, damage):
    content = bytearray(workbook.read_bytes())
    if damage == "text":
        content = b"a,group\n1,x\n"
    elif damage == "truncated":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        for place in range(1000, len(content) - 2000, 97):
            content[place] ^= 255
    else:
        np.savez(tmp_path / "other.npz", X=np.eye(2))
        content = (tmp_path / "other.npz").read_bytes()
    workbook.write_bytes(content)
    message = refused(workbook)
    assert "is damaged, or not an Excel workbook" in message
    assert "export the sheet as CSV" in message


def test_without_openpyxl(refused, workbook, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert 'needs openpyxl: pip install "fewest[cli]"' in refused(workbook)


def test_missing_column_names_the_other_sheets(tmp_path):
    path = tmp_path / "two.xlsx"
    with pandas.ExcelWriter(path) as workbook:
        pandas.DataFrame({"remark": ["hello"]}).to_excel(workbook, sheet_name="Notes", index=False)
        pandas.DataFrame({"a": [1.0, 2.0], "class": ["x", "y"]}).to_excel(
            workbook, sheet_name="Data", index=False
        )
    with pytest.raises(InputError, match="no column 'class'") as caught:
        read_table(path, target="class")
    assert "Read the first sheet, 'Notes'; there are also: Data." in str(caught.value)
    assert caught.value.argument == "sheet"
    with pytest.raises(InputError) as caught:
        read_table(path, target="klass", sheet="Data")
    assert "there are also" not in str(caught.value)
