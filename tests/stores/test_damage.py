"""Files that are damaged, cut off or changed: errors that name the file and the block."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.stores import BlockError, open_store
from fewest.tables import InputError
from tests.platforms import needs
from tests.stores.test_equal import draw, open_any
from tests.stores.writers import (
    WRITERS,
    write_bed,
    write_csc,
    write_csr,
    write_hdf5,
    write_npy,
    write_npy_by_columns,
    write_zarr,
)


@pytest.mark.parametrize("kind", [name for name in WRITERS if "cs" not in name])
def test_nan_in_a_late_block(kind, tmp_path):
    X, y = draw()
    X[40, 111] = np.nan
    store = open_any(WRITERS[kind](tmp_path, X, y), 4_000)
    with pytest.raises(ValueError, match=r"X contains NaN: 1 value.*block [\d,]+ of .*X\."):
        SupportFeatureMachine().fit(store, y)


def test_nan_in_block_900_of_1000(tmp_path):
    X = np.random.default_rng(0).standard_normal((8, 1000))
    X[3, 899] = np.nan
    store = open_store(write_npy_by_columns(tmp_path, X, None), max_memory=4 * 8 * 8)
    assert len(store.source.column_edges) == 1001
    machine = SupportFeatureMachine()
    with pytest.raises(ValueError, match=r"block 900 of 1,000 of .*X\.npy \(columns 900 to 900\)"):
        machine.fit(store, np.arange(8) % 2)
    assert not hasattr(machine, "coef_")


@pytest.mark.parametrize("shape", ["(8, 3", "(8, 3), 'shape", "(-8, 3)", "(8, 3)) + (", "x"])
def test_headers_that_are_no_expression(shape, tmp_path):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(192)
    (tmp_path / "X.npy").write_bytes(content)
    with pytest.raises(InputError, match=r"X\.npy is damaged, or not an \.npy file"):
        open_store(tmp_path / "X.npy")


@pytest.mark.parametrize("write", [write_npy, write_npy_by_columns])
def test_a_file_that_shrinks_between_passes(write, tmp_path):
    X, y = draw()
    path = write(tmp_path, X, y)
    store = open_store(path, max_memory=20_000)
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(BlockError, match=r"X\.npy was changed while it was read"):
        SupportFeatureMachine().fit(store, y)


@pytest.mark.parametrize("kind", ["npy", "npy by columns", "hdf5", "bed"])
def test_a_file_that_shrinks_within_a_pass(kind, tmp_path, monkeypatch):
    X, y = draw()
    if kind == "bed":
        path = write_bed(tmp_path / "X.bed", np.random.default_rng(0).integers(0, 3, X.shape) * 1.0)
    else:
        path = WRITERS[kind](tmp_path, X, y)
    store = open_store(path, max_memory=20_000)
    monkeypatch.setattr(store.source, "check_unchanged", lambda: None)
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(BlockError, match=r"block \d+ of \d+ of .*X\..*: the file ends early"):
        SupportFeatureMachine().fit(store, y)


@needs("single reads")
def test_single_columns_of_a_file_that_shrank(tmp_path, monkeypatch):
    X = np.random.default_rng(0).standard_normal((5, 20_000))
    path = write_npy(tmp_path, X, None)
    store = open_store(path)
    np.testing.assert_array_equal(store[:, [3, 100]], X[:, [3, 100]])
    assert store.source.n_values_read == 10
    monkeypatch.setattr(store.source, "check_unchanged", lambda: None)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(BlockError, match=r"columns of .*X\.npy could not be read: the file ends"):
        store[:, [4, 19_999]]


def test_a_file_that_is_cut_off_from_the_start(tmp_path):
    X, y = draw()
    path = write_npy(tmp_path, X, y)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="is 100 bytes shorter than its header says"):
        open_store(path)
    path.write_bytes(b"no array")
    with pytest.raises(InputError, match=r"X\.npy is damaged, or not an \.npy file"):
        open_store(path)


def test_a_corrupt_chunk_of_hdf5(tmp_path):
    X, y = draw()
    path = write_hdf5(tmp_path, X, y, chunks=(48, 10), compression="gzip", fletcher32=True)
    with h5py.File(path) as file:
        chunk = file["X"].id.get_chunk_info(7)
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset + 20 : chunk.byte_offset + 60] = b"\xff" * 40
    path.write_bytes(bytes(content))
    store = open_store(path, max_memory=4 * 48 * 10 * 4)
    with pytest.raises(BlockError, match=r"block 8 of 12 of .*X\.h5, X \(columns 71 to 80\) could"):
        SupportFeatureMachine().fit(store, y)


def test_a_corrupt_chunk_of_zarr(tmp_path):
    X, y = draw()
    path = write_zarr(tmp_path, X, y)
    chunks = sorted(file for file in (path / "X").rglob("*") if file.name[0].isdigit())
    chunks = [file for file in chunks if file.is_file()]
    chunks[5].write_bytes(b"\x00\x01nothing")
    store = open_store(path, max_memory=4_000)
    with pytest.raises(BlockError, match=r"block \d+ of \d+ of .*X\.zarr, X .* could not be read"):
        SupportFeatureMachine().fit(store, y)


@pytest.mark.parametrize("write", [write_csr, write_csc])
@pytest.mark.parametrize("wrong", [10**6, -1])
def test_wrong_indices(write, wrong, tmp_path):
    X, y = draw()
    path = write(tmp_path, X, y)
    with h5py.File(path, "r+") as file:
        file["X/indices"][2000] = wrong
    store = open_store(path, max_memory=20_000)
    with pytest.raises(ValueError, match=r"block \d+ of \d+ of .*X\.h5ad, X .*no valid sparse"):
        SupportFeatureMachine().fit(store, y)
    with pytest.raises(ValueError, match=r"no valid sparse|indices"):
        store.take(np.arange(X.shape[1]))


def spoil(path, change):
    with h5py.File(path, "r+") as file:
        pointers = file["X/indptr"][:]
        change(pointers)
        file["X/indptr"][:] = pointers


def swap(pointers):
    pointers[5] = pointers[7]


def begin_late(pointers):
    pointers[0] = 1


def end_late(pointers):
    pointers[-1] += 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap, "pointers decrease at row 6"),
        (begin_late, "do not begin with zero"),
        (end_late, "index pointers count .* values, but"),
    ],
)
def test_wrong_pointers(change, message, tmp_path):
    X, y = draw()
    path = write_csr(tmp_path, X, y)
    spoil(path, change)
    with pytest.raises(InputError, match=rf"X\.h5ad, X is no valid sparse matrix: .*{message}"):
        open_store(path)


def test_too_few_pointers(tmp_path):
    X, y = draw()
    path = write_csr(tmp_path, X, y)
    with h5py.File(path, "r+") as file:
        pointers = file["X/indptr"][:-1]
        del file["X/indptr"]
        file["X/indptr"] = pointers
    with pytest.raises(InputError, match="48 index pointers for 48 rows"):
        open_store(path)


def test_a_damaged_parquet_file(tmp_path):
    X, y = draw()
    path = WRITERS["parquet"](tmp_path, X, y)
    whole = path.read_bytes()
    store = open_any(path, 4_000)
    middle = len(whole) // 8  # among the values; names and statistics come last
    path.write_bytes(whole[:middle] + b"\xff" * 500 + whole[middle + 500 :])
    store.source.check_unchanged = lambda: None
    with pytest.raises(ValueError, match=r"block \d+ of \d+ of .*X\.parquet"):
        SupportFeatureMachine().fit(store, y)
    path.write_bytes(whole[:middle])
    with pytest.raises(InputError, match="is damaged, or not a Parquet file"):
        open_any(path, None)
