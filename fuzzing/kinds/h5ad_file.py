"""AnnData files: damaged bytes, and parts of the tree changed, missing or of another kind."""

from __future__ import annotations

import contextlib
import random
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anndata
import h5py
import numpy as np
import pandas
from scipy import sparse

from fuzzing.mutations.raw import damage
from fuzzing.tables import NAMES, TARGET, check_file, small_table

_FORMS = ("dense", "csr", "csc", "gzip")
_ODD: tuple[Any, ...] = (
    *(-1, 0, 1, 2**40, 1.5, float("nan"), "", "x", "csr_matrix", "array", b"\xff\xfe", True),
    *([], [0], [-1], [2**40], [1e300], ["a", "b"], [[1, 2], [3, 4]], [float("nan")] * 16),
)


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"h5ad {case}")
    path = folder / "table.h5ad"
    content = _whole(rng.choice(_FORMS))
    way = rng.randrange(3)
    path.write_bytes(damage(rng, content) if way == 0 else content)
    if way:
        _change_tree(rng, path)
        if rng.random() < 0.2:
            path.write_bytes(damage(rng, path.read_bytes()))
    check_file(path, rng, transpose=rng.random() < 0.1)


@cache
def _whole(form: str) -> bytes:
    X, y = small_table()
    X = np.round(np.maximum(X, 0.0), 2)  # some zeros
    stored = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}.get(form, np.asarray)(X)
    obs = pandas.DataFrame({TARGET: y, "age": np.arange(16.0)}, index=[f"S{i}" for i in range(16)])
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "whole.h5ad"
        cells = anndata.AnnData(stored, obs=obs, var=pandas.DataFrame(index=NAMES))
        cells.write_h5ad(path, compression="gzip" if form == "gzip" else None)
        return path.read_bytes()


def _change_tree(rng: random.Random, path: Path) -> None:
    """One to three changes that leave a valid HDF5 file."""
    with h5py.File(path, "r+") as file:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            places: list[str] = []
            file.visit(places.append)
            if places:
                # Sparse matrices and the class are where harm can be done.
                likely = [name for name in places if name.startswith(("X", f"obs/{TARGET}"))]
                # Some changes are none that HDF5 can hold.
                with contextlib.suppress(ValueError, TypeError, KeyError, OSError, RuntimeError):
                    _change_place(rng, file, rng.choice(likely or places))


def _change_place(rng: random.Random, file: h5py.File, name: str) -> None:
    node = file[name]
    match rng.randrange(6):
        case 0:
            del file[name]
        case 1 if len(node.attrs):
            attribute = rng.choice(sorted(node.attrs))
            del node.attrs[attribute]
            if rng.random() < 0.8:
                node.attrs[attribute] = rng.choice(_ODD)
        case 2:
            places: list[str] = []
            file.visit(places.append)
            other = rng.choice(places)
            if not (other.startswith(name) or name.startswith(other)):
                file.move(name, "aside")
                file.move(other, name)
                file.move("aside", other)
        case 3 if isinstance(node, h5py.Dataset) and node.shape:
            _change_values(rng, file, name)
        case 4:
            del file[name]
            file[name] = rng.choice((*_ODD, h5py.Empty("f8")))
        case _:
            if isinstance(node, h5py.Dataset) and node.shape and node.dtype.kind in "iuf":
                values = node[()].astype(rng.choice(("i1", "u2", "i8", "u8", "f4", "f8", "S4")))
                _replace(file, name, values)


def _change_values(rng: random.Random, file: h5py.File, name: str) -> None:
    values = file[name][()]
    if not values.size:
        return
    if values.dtype.kind in "iuf":
        wrong = (-5, -1, 0, 6, 16, 55, 127, 2**31 - 1, 2_000_000_000, 10**9)
        for _ in range(rng.choice((1, 1, 4))):
            chosen = rng.choice(wrong)
            if values.dtype.kind == "f":
                chosen = rng.choice((np.nan, np.inf, 1e308, -1e308, chosen))
            elif values.dtype.itemsize < 4:
                chosen %= 100
            values.flat[rng.randrange(values.size)] = chosen
    else:
        values.flat[rng.randrange(values.size)] = rng.choice((b"", b"\xff", b"healthy", b"\0"))
    match rng.randrange(4):
        case 0:
            values = values[:-1]
        case 1:
            values = np.concatenate([values, values[:1]])
    _replace(file, name, values)


def _replace(file: h5py.File, name: str, values: np.ndarray) -> None:
    """Other values at the same place, with the same attributes."""
    attributes = dict(file[name].attrs)
    del file[name]
    file[name] = values
    for key, value in attributes.items():
        file[name].attrs[key] = value
