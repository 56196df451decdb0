"""What `open_store` takes, and what it says about the rest."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from fewest.stores import open_store
from fewest.stores._files import find_block
from fewest.tables import InputError
from tests.stores.test_equal import draw, open_any
from tests.stores.writers import WRITERS, as_anndata, write_npy, write_parquet


@pytest.mark.parametrize("kind", ["h5ad", "h5ad csr", "zarr"])
def test_names_and_labels_of_anndata(kind, tmp_path):
    X, y = draw()
    store = open_store(WRITERS[kind](tmp_path, X, y))
    assert store.feature_names[:2].tolist() == ["g0", "g1"]
    assert store.sample_names[:2].tolist() == ["s0", "s1"]
    assert store.label_names == ["kind"]
    assert store.read_label("kind").tolist() == [f"k{one}" for one in y]
    with pytest.raises(InputError, match=r"has no label 'sex'; it has: kind"):
        store.read_label("sex")
    assert repr(store).startswith("<Store ")


def test_layers(tmp_path):
    X, y = draw()
    data = as_anndata(X, y)
    data.layers["raw"] = 2.0 * X
    data.write_h5ad(tmp_path / "X.h5ad")
    store = open_store(tmp_path / "X.h5ad", "layers/raw")
    np.testing.assert_array_equal(store.take(np.array([1])), 2.0 * X[:, [1]])
    with pytest.raises(InputError, match=r"there is no 'layers/x' \(X, layers/raw\)"):
        open_store(tmp_path / "X.h5ad", "layers/x")


def test_datasets_of_hdf5(tmp_path):
    X, _ = draw()
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["one"] = X
        file["name"] = "text"
    np.testing.assert_array_equal(open_store(tmp_path / "a.h5").take(np.array([2])), X[:, [2]])
    with h5py.File(tmp_path / "a.h5", "a") as file:
        file["two"] = X
        file["inner/three"] = X + 1
    with pytest.raises(InputError, match=r"it has several \(one, two\)"):
        open_store(tmp_path / "a.h5")
    three = open_store(tmp_path / "a.h5", "inner/three")
    np.testing.assert_array_equal(three.take(np.array([2])), X[:, [2]] + 1)
    with pytest.raises(InputError, match="is a group, not a matrix"):
        open_store(tmp_path / "a.h5", "inner")


def test_no_matrix_at_all(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["name"] = "text"
    with pytest.raises(InputError, match="holds no matrix"):
        open_store(tmp_path / "a.h5")


def test_a_zarr_folder_of_one_array(tmp_path):
    zarr = pytest.importorskip("zarr")
    X, _ = draw()
    zarr.save(str(tmp_path / "X.zarr"), X)
    np.testing.assert_array_equal(open_store(tmp_path / "X.zarr").take(np.array([2])), X[:, [2]])


def test_labels_of_parquet_are_no_features(tmp_path):
    X, y = draw()
    path = write_parquet(tmp_path, X, y)
    store = open_store(path, labels=["g3"])
    assert store.shape == (48, 119)
    assert store.label_names == ["g3", "kind"]
    np.testing.assert_array_equal(store.read_label("g3").astype(np.float32), X[:, 3])
    with pytest.raises(InputError, match="has no column no"):
        open_store(path, labels=["no"])


def test_parts_keep_names_and_labels(tmp_path):
    X, y = draw()
    part = open_store(WRITERS["h5ad"](tmp_path, X, y))[10:13].keep(np.array([4, 2]))
    assert part.shape == (3, 2)
    assert part.feature_names.tolist() == ["g4", "g2"]
    assert part.sample_names.tolist() == ["s10", "s11", "s12"]
    assert part.read_label("kind").tolist() == [f"k{one}" for one in y[10:13]]


def test_parts_are_arrays(tmp_path):
    X, y = draw()
    store = open_any(write_npy(tmp_path, X, y), 10_000)
    np.testing.assert_array_equal(store[:, [3, 1]], X[:, [3, 1]])
    np.testing.assert_array_equal(store[::2][:, 4:6], X[::2, 4:6])
    np.testing.assert_array_equal(store[y == y[0], 4:6], X[y == y[0], 4:6])
    assert store[:, :].shape == X.shape
    assert len(store[:10]) == 10
    with pytest.raises(ValueError, match=r"is read in blocks, and this needs all of it in memory"):
        np.asarray(store)


@pytest.mark.parametrize(
    ("name", "message"),
    [("no.npy", "does not exist"), ("a.csv", "cannot be read in blocks")],
)
def test_wrong_paths(name, message, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=message):
        open_store(tmp_path / name)


def test_no_matrix(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(5))
    with pytest.raises(InputError, match=r"has shape \(5,\) and type float64"):
        open_store(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.array([["a"]]))
    with pytest.raises(InputError, match="table of numbers"):
        open_store(tmp_path / "a.npy")
    with pytest.raises(InputError, match="holds one matrix only"):
        open_store(tmp_path / "a.npy", "X")
    with pytest.raises(InputError, match="labels are columns"):
        open_store(tmp_path / "a.npy", labels=["y"])


def test_memory_settings(tmp_path, monkeypatch):
    X, y = draw()
    path = write_npy(tmp_path, X, y)
    with pytest.raises(ValueError, match="max_memory must be a number of bytes above zero"):
        open_store(path, max_memory=0)
    monkeypatch.setenv("FEWEST_BLOCK_MB", "0.001")
    assert len(open_store(path).source.row_edges) == 25
    monkeypatch.setenv("FEWEST_BLOCK_MB", "many")
    with pytest.raises(ValueError, match="FEWEST_BLOCK_MB must be a number above zero, not 'many'"):
        open_store(path)


@pytest.mark.parametrize("n_values", [1, 50, 1000, 10**6])
@pytest.mark.parametrize(
    ("chunk", "may_split"),
    [((1, 90), False), ((1, 90), True), ((70, 1), True), ((70, 1), False), ((8, 9), False)],
)
def test_blocks_fit_or_are_one_chunk(n_values, chunk, may_split):
    height, width = find_block((70, 90), chunk, n_values, may_split)
    assert 1 <= height <= 70
    assert 1 <= width <= 90
    if may_split or n_values >= chunk[0] * chunk[1]:
        assert height * width <= max(n_values, 1)
    else:
        assert (height, width) == chunk
