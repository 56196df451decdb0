"""Samples to predict: the same from every format, features by name, classes where known."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
import scipy.sparse

from fewest.tables import InputError, read_samples, read_table
from tests.tables.samples import NAMES, two_classes, write_csv

ASKED = ["gene_17", "gene_4"]


def write(path, X, y, *, turned=False):
    """The data in the format of the path's suffix; `turned` puts the samples into columns."""
    if path.suffix == ".npz":
        np.savez(path, X=X.T if turned else X, group=y.astype("S"), feature_names=NAMES)
        return path
    if path.suffix == ".h5ad":
        anndata = pytest.importorskip("anndata")
        obs = pandas.DataFrame({"group": y}, index=[f"S{row}" for row in range(len(y))])
        data = anndata.AnnData(X, obs=obs, var=pandas.DataFrame(index=NAMES))
        (data.T if turned else data).write_h5ad(path)
        return path
    frame = pandas.DataFrame(X, columns=NAMES).assign(group=y)
    if turned:
        frame = frame.astype(object).T.reset_index()
        frame.columns = ["name", *(f"S{row}" for row in range(len(y)))]
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:  # Parquet has one type per column
        (frame.astype(str) if turned else frame).to_parquet(path)
    return path


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".npz", ".h5ad"])
def test_same_from_every_format(tmp_path, suffix, turned):
    X, y = two_classes()
    path = write(tmp_path / f"new{suffix}", X, y, turned=turned)
    samples = read_samples(path, ASKED, "group", ["gene_3"], transpose=turned)
    np.testing.assert_allclose(samples.X, X[:, [17, 4]], rtol=1e-15)  # workbooks keep 16 digits
    assert samples.feature_names == ASKED
    assert samples.truth.tolist() == y.tolist()
    assert samples.target == "group"
    assert samples.ignored == [name for name in NAMES if name not in [*ASKED, "gene_3"]]
    assert any("Transposed" in note for note in samples.notes) == turned
    everything = read_samples(path, None, "group", transpose=turned)
    assert everything.feature_names == NAMES
    assert everything.ignored == []
    np.testing.assert_allclose(everything.X, X, rtol=1e-15)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".npz", ".h5ad"])
def test_classes_need_not_be_known(tmp_path, suffix):
    path = write(tmp_path / f"new{suffix}", *two_classes())
    samples = read_samples(path, ASKED)
    assert samples.truth is None
    assert samples.target is None
    assert samples.X.shape == (40, 2)


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".h5ad"])
@pytest.mark.parametrize(
    ("features", "target", "drop", "message", "argument"),
    [
        (["gene_99"], None, [], "lacks 1 feature that the model needs: gene_99", None),
        (["gene_3"], None, ["gene_3"], "lacks 1 feature that the model needs: gene_3", None),
        (ASKED, "grup", [], "has no (column|array) 'grup'.*\nDid you mean 'group'", "target"),
        (ASKED, None, ["gene99"], "has no (column|feature) 'gene99' among its 3[01]", "drop"),
    ],
)
def test_refused(tmp_path, suffix, features, target, drop, message, argument):
    path = write(tmp_path / f"new{suffix}", *two_classes())
    with pytest.raises(InputError, match=message) as caught:
        read_samples(path, features, target, drop)
    assert caught.value.argument == argument


def test_text_matters_only_where_a_feature_is_needed(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("a,b,c\n1,x,2\n3,y,\n")
    assert read_samples(path, ["a"]).X.tolist() == [[1], [3]]
    with pytest.raises(InputError, match="text instead of numbers in 1 feature column: b"):
        read_samples(path, ["a", "b"])
    with pytest.raises(InputError, match="1 missing cell in 1 column and 1 row: c \\(row 2\\)"):
        read_samples(path, ["c"])


def test_infinite_value(tmp_path):
    np.savez(tmp_path / "new.npz", X=[[1.0, np.inf], [2.0, 3.0]])
    with pytest.raises(InputError, match="1 infinite value in 1 column and 1 row: x1"):
        read_samples(tmp_path / "new.npz", None)
    assert read_samples(tmp_path / "new.npz", ["x0"]).X.tolist() == [[1], [2]]


def test_repeated_name_of_a_feature_that_is_needed(tmp_path):
    np.savez(tmp_path / "new.npz", X=np.eye(3), feature_names=["a", "a", "b"])
    assert read_samples(tmp_path / "new.npz", ["b"]).X.tolist() == [[0], [0], [1]]
    assert read_samples(tmp_path / "new.npz", None).X.shape == (3, 3)
    with pytest.raises(InputError, match="has 1 column name more than once: a."):
        read_samples(tmp_path / "new.npz", ["a"])


def test_missing_truth_cannot_be_left_out(tmp_path):
    (tmp_path / "new.csv").write_text("a,group\n1,x\n2,\n")
    with pytest.raises(InputError, match="has no value in 1 row \\(2;") as caught:
        read_samples(tmp_path / "new.csv", ["a"], "group")
    assert caught.value.argument is None  # there is no choice of a treatment


def test_model_without_features(tmp_path):
    path = write_csv(tmp_path / "new.csv", *two_classes())
    assert read_samples(path, []).X.shape == (40, 0)


def test_one_column_is_enough(tmp_path):
    (tmp_path / "new.csv").write_text("a\n1\n2\n")
    assert read_samples(tmp_path / "new.csv", ["a"]).X.tolist() == [[1], [2]]


def test_other_sheets_are_named_where_features_are_missing(tmp_path):
    with pandas.ExcelWriter(tmp_path / "new.xlsx") as workbook:
        pandas.DataFrame({"remark": ["hello"]}).to_excel(workbook, sheet_name="Notes", index=False)
        pandas.DataFrame({"a": [1.0]}).to_excel(workbook, sheet_name="Data", index=False)
    with pytest.raises(InputError, match="needs: a.\n.*\nRead the first sheet, 'Notes'") as caught:
        read_samples(tmp_path / "new.xlsx", ["a"])
    assert caught.value.argument == "sheet"
    assert read_samples(tmp_path / "new.xlsx", ["a"], sheet="Data").X.tolist() == [[1]]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("transpose", [False, True])
def test_a_sparse_matrix_of_scipy(tmp_path, form, transpose):
    X = np.maximum(two_classes()[0], 0.0)
    path = tmp_path / "x.npz"
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(X.T if transpose else X).asformat(form))
    samples = read_samples(path, ["x7", "x2"], transpose=transpose)
    assert samples.X.tolist() == X[:, [7, 2]].tolist()
    with pytest.raises(InputError, match="holds a sparse matrix alone.*no classes.\nWrite both"):
        read_table(path, None)
    with pytest.raises(InputError, match="has no array 'group'"):
        read_samples(path, ["x7"], "group")


def test_a_sparse_matrix_of_scipy_that_is_damaged(tmp_path):
    parts = {"format": b"csr", "shape": [3, 4], "data": [1.0, 2.0]}
    for places, said in (
        ({"indices": [0, 9], "indptr": [0, 1, 2, 2]}, "it holds the index 9, outside 0 to 3"),
        ({"indices": [0, 1], "indptr": [0, 1, 2]}, "is damaged"),
        ({"indices": [0, 1], "indptr": [0, 1, 2, 2], "shape": [3]}, "is damaged"),
        ({"indices": [0, 1], "indptr": [0, 1, 2, 2], "shape": [3, 10**15]}, "would take"),
        ({"format": b"dia"}, "in the format 'dia'"),
        ({}, "is damaged"),
    ):
        np.savez(tmp_path / "x.npz", **{**parts, **places})
        with pytest.raises(InputError, match=said):
            read_samples(tmp_path / "x.npz", None)
