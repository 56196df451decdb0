"""AnnData files whose sparse matrices point outside themselves, or whose chunks are not whole."""

from __future__ import annotations

import struct
import subprocess
import sys
import warnings
import zlib

import numpy as np
import pandas
import pytest
import scipy.sparse

from fewest.tables import InputError, read_samples, read_table
from fewest.tables._hdf5 import check_hdf5
from tests.tables.samples import NAMES, two_classes

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")


def write(path, form=scipy.sparse.csr_matrix, **options):
    X, y = two_classes()
    values = np.maximum(X, 0)
    data = anndata.AnnData(
        values if form is None else form(values),
        obs=pandas.DataFrame({"group": pandas.Categorical(y)}, index=[f"S{k}" for k in range(40)]),
        var=pandas.DataFrame(index=NAMES),
        layers={} if form is None else {"more": form(values)},
        obsp={} if form is None else {"near": scipy.sparse.csr_matrix(np.eye(40))},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data.write_h5ad(path, **options)
    return path


def change(path, name, place, value):
    with h5py.File(path, "r+") as file:
        file[name][place] = value


def replace(path, name, values):
    with h5py.File(path, "r+") as file:
        attributes = dict(file[name].attrs)
        del file[name]
        file.create_dataset(name, data=values).attrs.update(attributes)


WRONG = {
    "an index of 2e9": ("indices", 7, 2_000_000_000),
    "an index below zero": ("indices", 7, -5),
    "an index just outside": ("indices", -1, 40),
    "a start of 1e9": ("indptr", 3, 1_000_000_000),
    "a last start of 1e9": ("indptr", -1, 1_000_000_000),
    "a first start of 1": ("indptr", 0, 1),
    "starts that decrease": ("indptr", 4, 0),
}


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.csc_matrix])
@pytest.mark.parametrize("what", WRONG)
def test_wrong_indices(refused, tmp_path, form, what, transpose):
    name, place, value = WRONG[what]
    path = write(tmp_path / "t.h5ad", form)
    change(path, f"X/{name}", place, value)
    message = refused(path, transpose=transpose)
    assert "is damaged, or not an .h5ad file (X is no valid sparse matrix: " in message
    assert message.endswith("Write it again with anndata's write_h5ad.")
    with pytest.raises(InputError, match="no valid sparse matrix"):
        read_samples(path, None)


@pytest.mark.parametrize("part", ["layers/more", "obsp/near"])
def test_wrong_indices_elsewhere(refused, tmp_path, part):
    path = write(tmp_path / "t.h5ad")
    change(path, f"{part}/indices", 3, 99)
    assert f"({part} is no valid sparse matrix: it holds the index 99" in refused(path)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("X/indptr", np.arange(5)),
        ("X/indptr", np.zeros((41, 2), dtype=int)),
        ("X/indices", np.zeros(3, dtype=int)),
        ("X/indices", np.full(604, 1.5)),
        ("X/data", np.ones(3)),
        ("X/data", np.ones((604, 2))),
    ],
)
def test_arrays_of_a_wrong_length_or_type(refused, tmp_path, name, values):
    path = write(tmp_path / "t.h5ad")
    replace(path, name, values)
    assert "is damaged, or not an .h5ad file" in refused(path)


@pytest.mark.parametrize("shape", [(40, 10**15), (10**15, 30), (-1, 30), (40, 29)])
def test_a_wrong_shape(refused, tmp_path, shape):
    path = write(tmp_path / "t.h5ad")
    with h5py.File(path, "r+") as file:
        file["X"].attrs["shape"] = np.array(shape)
    assert "is damaged, or not an .h5ad file" in refused(path)


@pytest.mark.parametrize("code", [2, 100, -2])
def test_codes_of_categories_that_are_not_there(refused, tmp_path, code):
    path = write(tmp_path / "t.h5ad")
    change(path, "obs/group/codes", 5, code)
    assert "is damaged, or not an .h5ad file" in refused(path)


def test_categories_that_are_missing_or_repeated(refused, tmp_path):
    path = write(tmp_path / "t.h5ad")
    replace(path, "obs/group/categories", np.array(["ill", "ill"], dtype=object))
    assert "is damaged, or not an .h5ad file" in refused(path)
    with h5py.File(path, "r+") as file:
        del file["obs/group/categories"]
    assert "is damaged, or not an .h5ad file" in refused(path)


@pytest.mark.parametrize(
    "content", [zlib.compress(bytes(16)), zlib.compress(bytes(10**6)), b"no such stream"]
)
def test_a_compressed_chunk_that_is_not_whole(refused, tmp_path, content):
    """HDF5 itself would fill it up with whatever is in memory."""
    path = write(tmp_path / "t.h5ad", None, compression="gzip")
    assert read_table(path, "group").X.shape == (40, 30)
    with h5py.File(path, "r+") as file:
        file["X"].id.write_direct_chunk((0, 0), content)
    assert "is damaged, or not an .h5ad file (a chunk of /X " in refused(path)


def test_chunks_that_are_missing(refused, tmp_path):
    path = write(tmp_path / "t.h5ad", None)
    with h5py.File(path, "r+") as file:
        del file["X"]
        made = file.create_dataset("X", shape=(40, 30), chunks=(10, 30), dtype="f8")
        made.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        made[:10] = 1.0
    assert "(/X has 1 chunks of 4)" in refused(path)
    with h5py.File(path, "r+") as file:
        del file["X"]
        made = file.create_dataset("X", shape=(40, 30), dtype="f8")
        made.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    assert "(/X was never written)" in refused(path)


def test_arrays_that_would_not_fit_into_memory(refused, tmp_path):
    path = write(tmp_path / "t.h5ad", None)
    with h5py.File(path, "r+") as file:
        del file["X"]
        made = file.create_dataset("X", shape=(10**6, 10**8), chunks=(100, 100), dtype="f8")
        made.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    assert "would take 745,058 GB of memory" in (message := refused(path))
    assert "FEWEST_MAX_GB" in message


@pytest.mark.parametrize("kind", ["a link", "an array"])
def test_arrays_in_other_files_are_not_read(refused, tmp_path, kind):
    path = write(tmp_path / "t.h5ad", None)
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["X"] = np.ones((40, 30))
    (tmp_path / "raw").write_bytes(bytes(9600))
    with h5py.File(path, "r+") as file:
        del file["X"]
        if kind == "a link":
            file["X"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/X")
        else:
            external = [(str(tmp_path / "raw"), 0, 9600)]
            made = file.create_dataset("X", shape=(40, 30), dtype="f8", external=external)
            made.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    assert "X lies in another file)" in refused(path)


def _find_free_space(content):
    """Where the first heap of text says how much of it is free."""
    start = content.index(b"GCOL")
    place = start + 16
    while True:
        number, _, _, size = struct.unpack_from("<HHIQ", content, place)
        if number == 0:
            return place + 8
        place += 16 + -(-size // 8) * 8


@pytest.mark.parametrize("what", ["free", "object"])
def test_a_heap_without_end(tmp_path, what):
    """HDF5 itself would walk through it for ever, so another process reads it."""
    path = write(tmp_path / "t.h5ad", None)
    content = bytearray(path.read_bytes())
    free, value = _find_free_space(content), 0
    if what == "object":
        free, value = content.index(b"GCOL") + 24, 2**64 - 16
    struct.pack_into("<Q", content, free, value)
    path.write_bytes(content)
    code = f"from fewest.tables import read_table; read_table({str(path)!r}, 'group')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120)
    assert b"a heap of text is damaged" in found.stderr


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.999])
def test_truncated_files(refused, tmp_path, share):
    path = write(tmp_path / "t.h5ad")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert "is damaged, or not an .h5ad file" in refused(path)


def test_whole_files_of_all_kinds_pass(tmp_path):
    path = tmp_path / "t.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("reference", data=[file.ref], dtype=h5py.ref_dtype, chunks=(1,))
        file.create_dataset("flag", data=[True, False], compression="gzip", shuffle=True)
        text = {"dtype": h5py.string_dtype(), "compression": "gzip"}
        file.create_dataset("text", data=["aa", "b"], **text)
        file.create_dataset("lzf", data=np.arange(1000), compression="lzf")
        file.create_dataset("empty", data=np.zeros(0), chunks=(3,), maxshape=(None,))
        file.create_dataset("nothing", data=h5py.Empty("f8"))
        file.create_dataset("one", data=3.5)
        file.create_dataset(
            "uneven", data=np.ones((7, 5)), chunks=(4, 3), compression="gzip", fletcher32=True
        )
        record = np.array([(1, "a")] * 3, dtype=[("a", "i4"), ("s", h5py.string_dtype())])
        file.create_dataset("record", data=record, chunks=(2,))
        file["again"] = h5py.SoftLink("/uneven")
    check_hdf5(path)
