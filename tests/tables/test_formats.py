"""The same data in every format gives the same result."""

from __future__ import annotations

import gzip

import numpy as np
import pandas
import pytest

from fewest.tables import InputError, read_extra, read_table
from tests.tables.samples import NAMES, two_classes, write_csv


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz"])
def test_delimiters_and_gzip(tmp_path, delimiter, suffix):
    X, y = two_classes()
    path = write_csv(tmp_path / f"table{suffix}", X, y, delimiter=delimiter)
    if suffix.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    _assert_same(read_table(path, "group"), X, y)


def test_parquet(tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X, columns=NAMES, index=[f"P{row}" for row in range(len(X))])
    frame.assign(group=y).to_parquet(tmp_path / "table.parquet")
    _assert_same(read_table(tmp_path / "table.parquet", "group"), X, y)


def test_parquet_keeps_single_precision_and_categories(tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X.astype(np.float32), columns=NAMES)
    frame["group"] = pandas.Categorical(np.where(y == "ill", 5, 3))
    frame.to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet", "group")
    assert table.X.dtype == np.float32
    assert np.unique(table.y).tolist() == [3, 5]


def test_parquet_with_nullable_integers(tmp_path):
    frame = pandas.DataFrame({"a": pandas.array([1, 2, 4], dtype="Int64"), "b": [0.5, 1.5, 2.5]})
    frame.assign(group=[0, 1, 0]).to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet", "group")
    assert table.X.tolist() == [[1.0, 0.5], [2.0, 1.5], [4.0, 2.5]]


@pytest.mark.parametrize("key", ["feature_names", "gene_id", "gene_name"])
def test_npz_with_names(tmp_path, key):
    X, y = two_classes()
    np.savez(tmp_path / "table.npz", X=X, y=y, **{key: NAMES})
    _assert_same(read_table(tmp_path / "table.npz", None), X, y)


def test_npz_without_names_and_with_another_target(tmp_path):
    X, y = two_classes()
    np.savez_compressed(tmp_path / "table.npz", X=X > 0, diagnosis=y.astype("S"))
    table = read_table(tmp_path / "table.npz", "diagnosis", ["x1"])
    assert table.feature_names[:2] == ["x0", "x2"]
    assert table.X.tolist() == np.delete(X > 0, 1, axis=1).tolist()
    assert table.y.tolist() == y.tolist()


def test_decimal_comma(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_text("\ufeffpatient;dose;group\nA;1,5;x\nB;-2,25;y\n", encoding="utf-8")
    table = read_table(path, "group", ["patient"])
    assert table.X.tolist() == [[1.5], [-2.25]]
    assert table.feature_names == ["dose"]


def test_quotes_spaces_and_commas_in_names(tmp_path):
    path = tmp_path / "quoted.csv"
    path.write_text('"gene, long", b, group\n1, 2, x\n3, 5, "y, z"\n', encoding="utf-8")
    table = read_table(path, "group")
    assert table.feature_names == ["gene, long", "b"]
    assert table.y.tolist() == ["x", "y, z"]


def test_column_without_a_name_is_left_out_and_noted(tmp_path):
    X, y = two_classes()
    pandas.DataFrame(X, columns=NAMES).assign(group=y).to_csv(tmp_path / "index.csv")
    table = read_table(tmp_path / "index.csv", "group")
    _assert_same(table, X, y)
    assert table.notes == ["Left out, because it has no name: column 1."]


def test_id_is_left_out_and_noted(tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X, columns=NAMES).assign(group=y)
    frame.insert(3, "patient", [f"P{row}" for row in range(len(frame))])
    frame.to_csv(tmp_path / "table.csv", index=False)
    table = read_table(tmp_path / "table.csv", "group")
    _assert_same(table, X, y)
    assert table.notes == [
        "Left out as an id, because every sample has its own text there: patient."
    ]


def test_only_an_id_is_no_feature(tmp_path):
    (tmp_path / "table.csv").write_text("patient,group\nA,x\nB,y\n")
    with pytest.raises(InputError, match="has no feature columns"):
        read_table(tmp_path / "table.csv", "group")


def test_npz_feature_without_a_name_stays(tmp_path):
    np.savez(tmp_path / "table.npz", X=np.eye(3), y=[0, 1, 1], gene_id=["a", "", "c"])
    assert read_table(tmp_path / "table.npz", None).feature_names == ["a", "x1", "c"]


def test_npz_with_an_extra_array(tmp_path):
    path = tmp_path / "table.npz"
    np.savez(path, X=np.eye(3), y=[0, 1, 1], split=["train", "test", "test"])
    assert read_extra(path, "split", 3).tolist() == ["train", "test", "test"]
    assert read_extra(path, "fold", 3) is None
    with pytest.raises(InputError, match="one entry for each of the 4 rows of X"):
        read_extra(path, "split", 4)


def test_integers_and_truth_values_are_numbers(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("count,smoker,value,group\n1,True,0.5,x\n2,False,1e-3,y\n", encoding="utf-8")
    assert read_table(path, "group").X.tolist() == [[1, 1, 0.5], [2, 0, 0.001]]


def _assert_same(table, X, y):
    assert table.X.dtype == np.float64
    assert table.X.tolist() == X.tolist()  # exactly, whatever the kind of file
    assert table.y.tolist() == y.tolist()
    assert table.feature_names == NAMES


@pytest.mark.parametrize("far_down", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_text_of_windows(far_down, turned, tmp_path):
    """What a spreadsheet in Europe saves as CSV: cp1252, semicolons, decimal commas."""
    rows = [[f"p{number}", f"{number},5", "krank"] for number in range(3000 if far_down else 4)]
    rows[-1][2] = "genesen – süß"
    cells = [["Patient", "Größe" if not far_down else "size", "group"], *rows]
    if turned:
        cells = list(zip(*cells, strict=True))
    path = tmp_path / "windows.csv"
    path.write_bytes("\n".join(";".join(row) for row in cells).encode("cp1252") + b"\n")
    table = read_table(path, "group", transpose=turned)
    assert table.y[-1] == "genesen – süß"
    assert table.X[1, 0] == 1.5
    assert table.feature_names == ["size" if far_down else "Größe"]
    assert any(note.startswith("Read as Windows text (cp1252)") for note in table.notes)
