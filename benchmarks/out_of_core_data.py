"""Large files with a few features that tell two classes apart, written block by block."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

_PLANTED, _SHIFT = 6, 1.6
_PEOPLE = 517


def make_labels(n: int) -> np.ndarray:
    """Two classes in turns."""
    return np.arange(n) % 2


def draw_rows(n: int, d: int, step: int) -> Iterator[np.ndarray]:
    """Some rows of float32 at a time; columns of even distance carry the class."""
    y = make_labels(n)
    planted = np.arange(_PLANTED) * (d // _PLANTED)
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        rng = np.random.default_rng(start)
        block = rng.standard_normal((len(rows), d), dtype=np.float32)
        block[np.ix_(np.flatnonzero(y[rows] == 1), planted)] += np.float32(_SHIFT)
        yield block


def write_npy(path: Path, n: int, d: int) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": (n, d)}
    with path.open("wb") as file:
        np.lib.format.write_array_header_2_0(file, header)
        for block in draw_rows(n, d, max(1, 2**24 // d)):
            block.tofile(file)


def write_h5ad(path: Path, n: int, d: int) -> None:
    """AnnData with a dense X, as `write_h5ad` leaves it."""
    import h5py

    _empty(n, d).write_h5ad(path)
    with h5py.File(path, "r+") as file:
        _write_rows(file, file.create_dataset("X", (n, d), "f4"), n, d, max(1, 2**24 // d))


def write_zarr(path: Path, n: int, d: int) -> None:
    """The same as a zarr folder, compressed, in chunks of whole columns; X.npy lies beside it."""
    import zarr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the next version of the format
        _empty(n, d).write_zarr(path)
    X = np.load(path.with_suffix(".npy"), mmap_mode="r")
    width = max(1, 2**22 // n)
    group = zarr.open_group(path, mode="r+")
    array = group.create_array("X", shape=(n, d), chunks=(n, width), dtype="f4", overwrite=True)
    array.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    for left in range(0, d, width):
        array[:, left : left + width] = X[:, left : left + width]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not yet part of the standard
        zarr.consolidate_metadata(path)  # so that X is listed


def _empty(n: int, d: int):  # type: ignore[no-untyped-def]
    import anndata
    import pandas as pd

    obs = pd.DataFrame(index=[f"s{row}" for row in range(n)])
    var = pd.DataFrame(index=[f"g{column}" for column in range(d)])
    return anndata.AnnData(obs=obs, var=var)


def _write_rows(file, array, n: int, d: int, step: int) -> None:  # type: ignore[no-untyped-def]
    array.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    start = 0
    for block in draw_rows(n, d, step):
        array[start : start + len(block)] = block
        start += len(block)


def write_bed(path: Path, d: int) -> None:
    """Genotypes of 517 people with 1 % missing; every tenth of a million variants tells more."""
    n = _PEOPLE
    ill = np.arange(n) % 2 == 1
    step = 20_000
    with path.open("wb") as file, path.with_suffix(".bim").open("w") as names:
        file.write(b"\x6c\x1b\x01")
        for left in range(0, d, step):
            rng = np.random.default_rng(left)
            count = min(step, d - left)
            share = rng.uniform(0.05, 0.5, (count, 1)) + np.zeros(n)
            share[0, ill] = 0.75  # the first of each block
            share[0, ~ill] = 0.25
            copies = (rng.random((count, n)) < share).astype(np.uint8)
            copies += rng.random((count, n)) < share
            codes = np.array([3, 2, 0], dtype=np.uint8)[copies]
            codes[rng.random((count, n)) < 0.01] = 1
            padded = np.zeros((count, 4 * ((n + 3) // 4)), dtype=np.uint8)
            padded[:, :n] = codes
            four = padded.reshape(count, -1, 4)
            packed = four[..., 0] | four[..., 1] << 2 | four[..., 2] << 4 | four[..., 3] << 6
            file.write(packed.tobytes())
            names.writelines(f"1\trs{left + j}\t0\t{left + j}\tA\tG\n" for j in range(count))
    people = "".join(f"F\tI{row}\t0\t0\t1\t{1 + row % 2}\n" for row in range(n))
    path.with_suffix(".fam").write_text(people)


WRITERS = {".npy": write_npy, ".h5ad": write_h5ad, ".zarr": write_zarr}
