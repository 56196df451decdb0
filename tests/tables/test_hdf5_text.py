"""Texts of HDF5 files: whole files of every form pass; lengths and places that are wrong do not."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from fewest.tables._hdf5 import NotWholeError, check_hdf5

h5py = pytest.importorskip("h5py")

TEXTS = ["a", "", "gene with a long name " * 9, "µ"]
FILES = {
    "oldest": {"libver": "earliest"},
    "newest": {"libver": "latest"},
    "block of the user": {"userblock_size": 1024},
    "order of creation": {"track_order": True, "libver": "latest"},
}
STORED = {
    "as it is": {},
    "chunks": {"chunks": (3,)},
    "gzip": {"chunks": (3,), "compression": "gzip"},
    "lzf and shuffle": {"chunks": (3,), "compression": "lzf", "shuffle": True},
    "gzip and shuffle": {"chunks": (4,), "compression": "gzip", "shuffle": True},
}


def write(path, form="oldest", stored="as it is", n_attributes=3):
    with h5py.File(path, "w", **FILES[form]) as file:
        group = file.create_group("group")
        for number in range(n_attributes):
            group.attrs[f"attribute {number}"] = TEXTS[number % 4]
        group.attrs["several"] = np.array(TEXTS * 2, dtype=h5py.string_dtype())
        group.attrs["number"] = 7.0
        file.attrs["root"] = "text"
        file.attrs["of a set length"] = np.bytes_("xyz")
        names = file.create_dataset(
            "names", data=TEXTS * 5, dtype=h5py.string_dtype(), **STORED[stored]
        )
        names.attrs["of an array"] = "text"
        file["type with a name"] = h5py.string_dtype()
    return path


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("n_attributes", [0, 3, 40])
def test_whole_files_pass(tmp_path, form, stored, n_attributes):
    check_hdf5(write(tmp_path / "x.h5", form, stored, n_attributes))


@pytest.mark.parametrize("form", FILES)
def test_files_that_were_changed_pass(tmp_path, form):
    """What was there before leaves places behind that no longer hold."""
    path = write(tmp_path / "x.h5", form)
    for step in range(4):
        with h5py.File(path, "r+") as file:
            for name in list(file["group"].attrs):
                file["group"].attrs[name] = "another text " * (1 + 40 * step)
            del file["names"]
            file["names"] = TEXTS * (step + 1)
        check_hdf5(path)


def find_places(path):
    """All positions in the file that hold length, heap and number of one of the texts."""
    data = path.read_bytes()
    with h5py.File(path) as file:
        base = file.userblock_size
    heaps, start = [], data.find(b"GCOL")
    while start >= 0:
        heaps.append(start - base)
        start = data.find(b"GCOL", start + 1)
    lengths = {len(text.encode()) for text in (*TEXTS, "text")} - {0}
    return data, [
        at
        for at in range(len(data) - 15)
        if struct.unpack_from("<I", data, at)[0] in lengths
        and struct.unpack_from("<Q", data, at + 4)[0] in heaps
    ]


@pytest.mark.parametrize("form", ["oldest", "block of the user"])
@pytest.mark.parametrize(
    ("within", "value"),
    [
        pytest.param(0, struct.pack("<I", 2**32 - 1), id="length"),
        pytest.param(4, struct.pack("<Q", 2**40), id="heap behind the file"),
        pytest.param(4, struct.pack("<Q", 2**64 - 1), id="no heap"),
        pytest.param(12, struct.pack("<I", 60_000), id="number"),
        pytest.param(12, struct.pack("<I", 2**31), id="number too large"),
    ],
)
def test_wrong_places_do_not(tmp_path, form, within, value):
    """The headers of these files have no checksums: every single place can be wrong."""
    path = write(tmp_path / "x.h5", form)
    data, places = find_places(path)
    assert len(places) == 2 + 6 + 2 + 15  # attributes of the group, others, the array
    for at in places:
        changed = bytearray(data)
        changed[at + within : at + within + len(value)] = value
        path.write_bytes(changed)
        with pytest.raises(NotWholeError, match="is not where the file says"):
            check_hdf5(path)


@pytest.mark.parametrize("stored", [name for name in STORED if name != "as it is"])
def test_wrong_places_in_chunks_do_not(tmp_path, stored):
    path = write(tmp_path / "x.h5", stored=stored)
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:  # the same filters over places that are nowhere
        places = np.full((20, 16), 200, dtype="u1").view("V16")[:, 0]
        file.create_dataset("names", data=places, **STORED[stored])
        mask, packed = file["names"].id.read_direct_chunk((0,))
    with h5py.File(path, "r+") as file:
        file["names"].id.write_direct_chunk((0,), packed, mask)
    with pytest.raises(NotWholeError, match="a text of /names is not where the file says"):
        check_hdf5(path)


def test_lists_of_any_length_in_the_place_of_a_text_do_not(tmp_path):
    """One bit makes a text of any length a list of characters: h5py crashes when it reads that."""
    path = write(tmp_path / "x.h5")
    data = path.read_bytes()
    text = struct.pack("<BB", 0x19, 0x01)  # a text of any length, filled up with zeros
    places = [at for at in range(len(data)) if data.startswith(text, at)]
    assert len(places) > 3
    n_passed = 0
    for at in places:
        path.write_bytes(data[: at + 1] + b"\0" + data[at + 2 :])
        try:
            check_hdf5(path)
        except NotWholeError:
            continue
        n_passed += 1
    assert n_passed == 2  # the array of texts, which no longer is one, and the type with a name


def test_references_of_dimensions_pass(tmp_path):
    """Attributes that are lists of references: what other programs write."""
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"], file["gene"] = np.ones((3, 4)), np.arange(4)
        file["gene"].make_scale("gene")
        file["x"].dims[1].attach_scale(file["gene"])
    check_hdf5(tmp_path / "x.h5")


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux counts memory there")
def test_a_wrong_length_takes_no_memory(tmp_path):
    path = write(tmp_path / "x.h5")
    data, places = find_places(path)
    changed = bytearray(data)
    changed[places[0] : places[0] + 4] = struct.pack("<I", 2**32 - 1)
    path.write_bytes(changed)
    # A new process begins with the largest memory of its parent, until that is cleared.
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from fewest.tables._hdf5 import NotWholeError, check_hdf5\n"
        "Path('/proc/self/clear_refs').write_text('5')\n"
        "try: check_hdf5(Path(sys.argv[1]))\nexcept NotWholeError as error: print(error)\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    run = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    said, kilobytes = done.stdout.splitlines()
    assert "is not where the file says" in said
    assert int(kilobytes) < 2**20


def test_a_sparse_matrix_in_the_place_of_categories_does_not_pass(tmp_path):
    """Without that, pandas would go through it before anything has looked at its indices."""
    anndata, pandas = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    data = anndata.AnnData(sparse.csr_matrix(np.eye(4)))
    data.obs["kind"] = pandas.Categorical(["a", "b", "a", "b"])
    data.write_h5ad(tmp_path / "x.h5ad")
    check_hdf5(tmp_path / "x.h5ad")
    with h5py.File(tmp_path / "x.h5ad", "r+") as file:
        del file["obs/kind/categories"]
        file["obs/kind/categories"] = file["X"]
    with pytest.raises(NotWholeError, match="/obs/kind/categories is a sparse matrix"):
        check_hdf5(tmp_path / "x.h5ad")
