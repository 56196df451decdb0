"""Chunks of HDF5 under every filter: whole ones pass, those that hold less or more do not."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.stores import open_store
from fewest.tables._hdf5 import NotWholeError, check_hdf5

h5py = pytest.importorskip("h5py")

FILTERS = {
    "none": {},
    "shuffle": {"shuffle": True},
    "fletcher32": {"fletcher32": True},
    "gzip": {"compression": "gzip"},
    "lzf": {"compression": "lzf"},
    "all with gzip": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "all with lzf": {"compression": "lzf", "shuffle": True, "fletcher32": True},
    "scale": {"scaleoffset": 3},
    "scale and lzf": {"scaleoffset": 3, "compression": "lzf"},
}
if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP):
    FILTERS["szip"] = {"compression": "szip"}
# Chunks without filters have the size of all; what the type settles is not measured.
MEASURED = [name for name in FILTERS if "scale" not in name and name != "none"]


def write(path, X, chunks, **filters):
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=X, chunks=chunks, **filters)
    return path


def draw(seed, shape=(40, 30)):
    """Values that pack well, badly, and in parts."""
    rng = np.random.default_rng(seed)
    kinds = (np.zeros(shape), rng.standard_normal(shape), rng.integers(0, 9, shape) * 1.0)
    return kinds[seed % len(kinds)]


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("seed", range(3))
def test_whole_chunks_pass(tmp_path, name, seed):
    X = draw(seed)
    path = write(tmp_path / "X.h5", X, (7, 30), **FILTERS[name])
    check_hdf5(path)
    np.testing.assert_allclose(open_store(path)[:, [3, 20]], X[:, [3, 20]], atol=1e-3)


def put_chunk(path, name, values):
    """Replace the second chunk by one that was packed from other values, whole in itself."""
    other = write(path.with_name("other.h5"), values, values.shape, **FILTERS[name])
    with h5py.File(other) as file:
        mask, packed = file["X"].id.read_direct_chunk((0, 0))
    with h5py.File(path, "r+") as file:
        file["X"].id.write_direct_chunk((7, 0), packed, mask)


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize("shape", [(6, 30), (8, 30), (2, 30), (70, 30)])
def test_chunks_of_another_size_do_not(tmp_path, name, shape):
    path = write(tmp_path / "X.h5", draw(1), (7, 30), **FILTERS[name])
    put_chunk(path, name, draw(1, shape))
    with pytest.raises(NotWholeError, match="a chunk of /X does not have the 1680 bytes"):
        check_hdf5(path)
    with pytest.raises(ValueError, match="a chunk of /X does not have the 1680 bytes"):
        open_store(path)[:, [3]]


@pytest.mark.parametrize(
    "packed", [b"\x20\x00", b"\x05abc", b"\xff", b"\x00a\xe0", b"\x1f" * 33 * 60]
)
def test_what_lzf_cannot_unpack(tmp_path, packed):
    path = write(tmp_path / "X.h5", draw(1), (7, 30), compression="lzf")
    with h5py.File(path, "r+") as file:
        file["X"].id.write_direct_chunk((7, 0), packed)
    with pytest.raises(NotWholeError, match="cannot be unpacked|does not have the 1680 bytes"):
        check_hdf5(path)


def test_filters_that_nobody_knows(tmp_path):
    path = tmp_path / "X.h5"
    with h5py.File(path, "w") as file:
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        made.set_chunk((7, 30))
        made.set_filter(32001, h5py.h5z.FLAG_OPTIONAL, ())
        space = h5py.h5s.create_simple((7, 30))
        number = h5py.h5d.create(file.id, b"X", h5py.h5t.NATIVE_DOUBLE, space, made)
        number.write_direct_chunk((0, 0), bytes(8 * 210))
    with pytest.raises(NotWholeError, match="the filter 32001, whose chunks cannot be checked"):
        check_hdf5(path)
