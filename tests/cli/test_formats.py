"""The same data in every format gives the same result."""

from __future__ import annotations

import gzip

import numpy as np
import pandas
import pytest

from fewest.cli.reading import read_dataset

from .tables import NAMES, two_classes, write_csv


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz"])
def test_delimiters_and_gzip(tmp_path, delimiter, suffix):
    X, y = two_classes()
    path = write_csv(tmp_path / f"table{suffix}", X, y, delimiter=delimiter)
    if suffix.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    _assert_same(read_dataset(str(path), "group", []), X, y)


def test_parquet(tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X, columns=NAMES, index=[f"P{row}" for row in range(len(X))])
    frame.assign(group=y).to_parquet(tmp_path / "table.parquet")
    _assert_same(read_dataset(str(tmp_path / "table.parquet"), "group", []), X, y)


def test_parquet_keeps_single_precision_and_categories(tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X.astype(np.float32), columns=NAMES)
    frame["group"] = pandas.Categorical(np.where(y == "ill", 5, 3))
    frame.to_parquet(tmp_path / "table.parquet")
    dataset = read_dataset(str(tmp_path / "table.parquet"), "group", [])
    assert dataset.X.dtype == np.float32
    assert np.unique(dataset.y).tolist() == [3, 5]


def test_parquet_with_nullable_integers(tmp_path):
    frame = pandas.DataFrame({"a": pandas.array([1, 2, 4], dtype="Int64"), "b": [0.5, 1.5, 2.5]})
    frame.assign(group=[0, 1, 0]).to_parquet(tmp_path / "table.parquet")
    dataset = read_dataset(str(tmp_path / "table.parquet"), "group", [])
    assert dataset.X.tolist() == [[1.0, 0.5], [2.0, 1.5], [4.0, 2.5]]


@pytest.mark.parametrize("key", ["feature_names", "gene_id", "gene_name"])
def test_npz_with_names(tmp_path, key):
    X, y = two_classes()
    np.savez(tmp_path / "table.npz", X=X, y=y, **{key: NAMES})
    _assert_same(read_dataset(str(tmp_path / "table.npz"), None, []), X, y)


def test_npz_without_names_and_with_another_target(tmp_path):
    X, y = two_classes()
    np.savez_compressed(tmp_path / "table.npz", X=X > 0, diagnosis=y.astype("S"))
    dataset = read_dataset(str(tmp_path / "table.npz"), "diagnosis", ["x1"])
    assert dataset.feature_names[:2] == ["x0", "x2"]
    assert dataset.X.tolist() == np.delete(X > 0, 1, axis=1).tolist()
    assert dataset.y.tolist() == y.tolist()


def test_decimal_comma(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_text("\ufeffpatient;dose;group\nA;1,5;x\nB;-2,25;y\n", encoding="utf-8")
    dataset = read_dataset(str(path), "group", ["patient"])
    assert dataset.X.tolist() == [[1.5], [-2.25]]
    assert dataset.feature_names == ["dose"]


def test_quotes_spaces_and_commas_in_names(tmp_path):
    path = tmp_path / "quoted.csv"
    path.write_text('"gene, long", b, group\n1, 2, x\n3, 5, "y, z"\n', encoding="utf-8")
    dataset = read_dataset(str(path), "group", [])
    assert dataset.feature_names == ["gene, long", "b"]
    assert dataset.y.tolist() == ["x", "y, z"]


def test_column_without_a_name_is_left_out_and_noted(run, tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X, columns=NAMES).assign(group=y)
    frame.to_csv(tmp_path / "index.csv")
    ran = run("select", tmp_path / "index.csv", "--target", "group", "--cv", 0)
    assert "Left out, because it has no name: column 1" in ran.out
    assert "40 samples, 30 features" in ran.out


def test_running_number_is_noted(run, tmp_path):
    X, y = two_classes()
    X[:, 0] = np.arange(1, 41)
    path = write_csv(tmp_path / "numbered.csv", X, y, ["patient", *NAMES[1:]])
    ran = run("select", path, "--target", "group", "--cv", 0)
    assert "'patient' just counts the rows" in ran.out


def test_integers_and_truth_values_are_numbers(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("count,smoker,value,group\n1,True,0.5,x\n2,False,1e-3,y\n", encoding="utf-8")
    assert read_dataset(str(path), "group", []).X.tolist() == [[1, 1, 0.5], [2, 0, 0.001]]


def _assert_same(dataset, X, y):
    assert dataset.X.dtype == np.float64
    np.testing.assert_allclose(dataset.X, X, rtol=1e-15)
    assert dataset.y.tolist() == y.tolist()
    assert dataset.feature_names == NAMES
