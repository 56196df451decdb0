"""AnnData files."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse

from fewest.tables import InputError, read_samples, read_table
from tests.tables.samples import NAMES, two_classes

anndata = pytest.importorskip("anndata")


def write(path, X=None, *, names=NAMES, **obs):
    cells, y = two_classes()
    samples = pandas.DataFrame({"group": y, **obs}, index=[f"S{row}" for row in range(len(y))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of repeated names, which are part of a test
        anndata.AnnData(
            cells if X is None else X, obs=samples, var=pandas.DataFrame(index=names)
        ).write_h5ad(path)
    return path


def test_dense(tmp_path):
    X, y = two_classes()
    table = read_table(write(tmp_path / "t.h5ad"), "group", ["gene_2"])
    assert table.X.tolist() == np.delete(X, 2, axis=1).tolist()
    assert table.y.tolist() == y.tolist()
    assert table.feature_names == [name for name in NAMES if name != "gene_2"]
    assert table.notes == []


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.csc_matrix])
def test_sparse_is_made_dense_and_keeps_its_type(tmp_path, form):
    X = np.maximum(two_classes()[0], 0).astype(np.float32)
    table = read_table(write(tmp_path / "t.h5ad", form(X)), "group")
    assert isinstance(table.X, np.ndarray)
    assert table.X.dtype == np.float32
    assert table.X.tolist() == X.tolist()
    assert table.notes[0].startswith("X is sparse (")


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.csc_matrix])
def test_sparse_that_is_very_large_stays_sparse(tmp_path, monkeypatch, form):
    X, y = two_classes()
    path = write(tmp_path / "t.h5ad", form(X), patient=np.arange(40) // 2)
    monkeypatch.setattr("fewest.tables._matrix._LARGE", 9000)
    table = read_table(path, "group", ["gene_2"], "patient")
    assert scipy.sparse.issparse(table.X)
    assert table.X.format == "csr"
    assert table.X.toarray().tolist() == np.delete(X, 2, axis=1).tolist()
    assert table.y.tolist() == y.tolist()
    assert "stays so: as a full table it would take" in table.notes[0]
    samples = read_samples(path, ["gene_7", "gene_1"])
    assert samples.X.toarray().tolist() == X[:, [7, 1]].tolist()


@pytest.mark.parametrize("missing", ["error", "median"])
def test_sparse_with_missing_cells(refused, tmp_path, monkeypatch, missing):
    monkeypatch.setattr("fewest.tables._matrix._LARGE", 9000)
    X = two_classes()[0]
    X[[2, 6], 4] = np.nan
    path = write(tmp_path / "t.h5ad", scipy.sparse.csr_matrix(X))
    with pytest.raises(InputError) as caught:
        read_table(path, "group", missing=missing)
    assert "has 2 missing cells in 1 column and 2 rows: gene_4 (rows 3, 7)." in str(caught.value)
    X[[2, 6], 4] = np.inf
    assert "2 infinite values in 1 column" in refused(
        write(tmp_path / "u.h5ad", scipy.sparse.csr_matrix(X))
    )


def test_layers(refused, tmp_path):
    X, y = two_classes()
    data = anndata.AnnData(
        X,
        obs=pandas.DataFrame({"group": y}, index=[f"S{row}" for row in range(len(y))]),
        var=pandas.DataFrame(index=NAMES),
        layers={"counts": X + 1},
    )
    data.write_h5ad(tmp_path / "t.h5ad")
    assert read_table(tmp_path / "t.h5ad", "group").X.tolist() == X.tolist()
    assert read_table(tmp_path / "t.h5ad", "group", layer="counts").X.tolist() == (X + 1).tolist()
    samples = read_samples(tmp_path / "t.h5ad", ["gene_3"], layer="counts")
    assert samples.X.tolist() == (X[:, [3]] + 1).tolist()
    message = refused(tmp_path / "t.h5ad", layer="count")
    assert "has no layer 'count' among its 1 layer.\nDid you mean 'counts'?" in message
    data.X = None
    data.write_h5ad(tmp_path / "u.h5ad")
    assert "has no X.\nName a layer: counts." in refused(tmp_path / "u.h5ad")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="has no layers, only .h5ad files have") as caught:
        read_table(tmp_path / "t.csv", "b", layer="counts")
    assert caught.value.argument == "layer"


def test_groups_categories_and_missing_classes(tmp_path):
    y = two_classes()[1].astype(object)
    y[[1, 5]] = None
    path = write(
        tmp_path / "t.h5ad",
        diagnosis=pandas.Categorical(y),
        patient=pandas.Categorical(np.arange(40) // 2),
    )
    with pytest.raises(InputError, match="has no value in 2 rows \\(2, 6;"):
        read_table(path, "diagnosis")
    table = read_table(path, "diagnosis", (), "patient", missing="drop-samples")
    assert table.X.tolist() == np.delete(two_classes()[0], [1, 5], axis=0).tolist()
    assert table.groups.tolist() == np.delete(np.arange(40) // 2, [1, 5]).tolist()
    assert table.notes == ["Left out, because they have no class or group: 2 of 40 samples."]


def test_missing_cells(tmp_path):
    X = two_classes()[0]
    X[3, 5] = np.nan
    path = write(tmp_path / "t.h5ad", X)
    with pytest.raises(InputError, match="1 missing cell in 1 column and 1 row: gene_5"):
        read_table(path, "group")
    assert read_table(path, "group", missing="drop-features").X.shape == (40, 29)


def test_transposed(tmp_path):
    X, y = two_classes()
    data = anndata.AnnData(
        X.T,
        obs=pandas.DataFrame(index=NAMES),
        var=pandas.DataFrame({"group": y}, index=[f"S{row}" for row in range(len(y))]),
    )
    data.write_h5ad(tmp_path / "t.h5ad")
    with pytest.raises(InputError, match="But a column of var has that name, 'group'") as caught:
        read_table(tmp_path / "t.h5ad", "group")
    assert caught.value.argument == "transpose"
    table = read_table(tmp_path / "t.h5ad", "group", transpose=True)
    assert table.X.tolist() == X.tolist()
    assert table.feature_names == NAMES


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"target": None}, "say which column of obs of .* holds the classes"),
        ({"target": "Groups"}, "no column 'Groups' among its 1 column.\nDid you mean 'group'?"),
        ({"target": "group", "groups": "x"}, "obs of .* has no column 'x'"),
        ({"target": "group", "drop": ["gene_99"]}, "has no feature 'gene_99' among its 30 feat"),
    ],
)
def test_names_that_do_not_exist(tmp_path, keywords, message):
    with pytest.raises(InputError, match=message):
        read_table(write(tmp_path / "t.h5ad"), **keywords)


def test_names_twice(refused, tmp_path):
    path = write(tmp_path / "t.h5ad", names=["gene_1", "gene_1", *NAMES[2:]])
    assert "has 1 feature name more than once: gene_1." in refused(path)


def test_feature_with_the_name_of_the_target_can_be_left_out(tmp_path):
    path = write(tmp_path / "t.h5ad", names=["group", *NAMES[1:]])
    table = read_table(path, "group", ["group"])
    assert table.feature_names == NAMES[1:]
    assert table.y.tolist() == two_classes()[1].tolist()


@pytest.mark.parametrize("truncated", [True, False])
def test_damaged(refused, tmp_path, truncated):
    path = write(tmp_path / "t.h5ad")
    path.write_bytes(path.read_bytes()[:3000] if truncated else b"no file of this kind")
    message = refused(path)
    assert "is damaged, or not an .h5ad file" in message
    assert "write_h5ad" in message


def test_another_hdf5_file(refused, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["numbers"] = np.eye(3)
    assert "is damaged, or not an .h5ad file" in refused(tmp_path / "t.h5ad") or (
        "has no X" in refused(tmp_path / "t.h5ad")
    )


def test_without_anndata(refused, tmp_path, monkeypatch):
    path = write(tmp_path / "t.h5ad")
    monkeypatch.setitem(sys.modules, "anndata", None)
    assert 'needs anndata: pip install "fewest[h5ad]"' in refused(path)
