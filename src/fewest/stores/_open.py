"""From a path to a store."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import BlockError
from fewest._wording import listed, visible
from fewest.stores._bed import open_bed, read_variants
from fewest.stores._chunked import Opener, find_source
from fewest.stores._files import settle_memory
from fewest.stores._parquet import ParquetSource, open_parquet_file
from fewest.stores._raw import open_npy
from fewest.stores._store import Store
from fewest.tables._errors import (
    DamagedFileError,
    InputError,
    MissingFileError,
    MissingPackageError,
)

SUFFIXES = (".npy", ".bed", ".h5ad", ".h5", ".hdf5", ".zarr", ".parquet")


def open_store(
    path: str | os.PathLike[str],
    key: str | None = None,
    *,
    labels: Sequence[str] = (),
    max_memory: float | None = None,
) -> Store:
    """Open a data file without reading it; estimators read it block by block.

    Parameters
    ----------
    path : str or path-like
        The file: .npy, .h5 or .hdf5, .h5ad, .zarr (AnnData or one array), .parquet, or PLINK's
        .bed with .bim and .fam beside it. Missing genotypes are replaced by the variant's mean.
    key : str, optional
        Which matrix of the file: for AnnData a layer such as "layers/raw" (default: X), for HDF5
        the path of a dataset (default: the only one, or X).
    labels : sequence of str, optional
        Columns of a Parquet table that are not features, such as the class.
    max_memory : float, optional
        Approximate number of bytes for blocks and columns in memory. By default a block has 64 MB
        (or the value of the environment variable FEWEST_BLOCK_MB), and there are four of them. A
        chunk of the file that is larger is still read as a whole.

    Returns
    -------
    Store
        It has `shape` and `dtype`, and is accepted as X by `SupportFeatureMachine`,
        `SupportFeatureMachineCV`, `ZeroNormSVM` and `Liknon`.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.stores import open_store
    >>> X, y = make_gaussian(n=72, d=7000, k=3, mu=1.0, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "large.npy")
    ...     np.save(path, X)
    ...     store = open_store(path, max_memory=1e6)
    ...     machine = SupportFeatureMachine(C=5.0).fit(store, y)
    >>> np.flatnonzero(machine.support_)
    array([0, 1, 2])
    """
    file, memory = Path(path), settle_memory(max_memory)
    _check_path(file)
    suffix = file.suffix.lower()
    if suffix in (".npy", ".bed", ".parquet") and key is not None:
        raise InputError(f"{visible(file)} holds one matrix only: name no key.", argument="layer")
    if labels and suffix != ".parquet":
        raise InputError("labels are columns to leave out of a .parquet table: name none here.")
    if suffix == ".npy":
        return Store(open_npy(file, memory))
    if suffix == ".bed":
        source, people = open_bed(file, memory)
        known = {name: partial(np.copy, values) for name, values in people.labels.items()}
        return Store(
            source, names=partial(read_variants, file), sample_names=people.ids, labels=known
        )
    if suffix == ".parquet":
        return _open_parquet(file, labels, memory)
    if suffix == ".zarr":
        return _open_tree(file, key, _open_zarr, memory)
    return _open_tree(file, key, _open_hdf5, memory)


def _check_path(file: Path) -> None:
    if not file.exists():
        raise MissingFileError(
            f"the file {visible(file)} does not exist: check its name and folder."
        )
    if file.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{visible(file)} has a suffix that cannot be read in blocks.\n"
            f"Supported: {' '.join(SUFFIXES)}"
        )


def _open_parquet(file: Path, labels: Sequence[str], memory: int) -> Store:
    source = ParquetSource(file, labels, memory)
    features = set(source.names)
    others = [name for name in open_parquet_file(file).schema_arrow.names if name not in features]
    return Store(
        source,
        names=partial(np.array, source.names, dtype=object),
        labels={name: partial(_read_parquet_column, file, name) for name in others},
    )


def _read_parquet_column(file: Path, name: str) -> NDArray[Any]:
    column = open_parquet_file(file).read(columns=[name]).column(name)
    return np.array(column.to_pylist())


def _open_hdf5(path: Path) -> Any:
    try:
        import h5py
    except ImportError as error:
        raise MissingPackageError(path, "h5py", "h5ad") from error
    with _damage_is_explained(path):
        return h5py.File(path, "r")


def _open_zarr(path: Path) -> Any:
    try:
        import zarr
    except ImportError as error:
        raise MissingPackageError(path, "zarr", "zarr") from error
    with _damage_is_explained(path):
        return zarr.open(str(path), mode="r")


@contextmanager
def _damage_is_explained(path: Path) -> Iterator[None]:
    """Errors of the libraries become one of ours; which they raise depends on where damage is."""
    try:
        yield
    except (InputError, BlockError, MemoryError):
        raise
    except Exception as error:
        kind, how = ("a zarr folder", "zarr") if path.is_dir() else ("an HDF5 file", "h5ad")
        advice = f"Write it again, for example with anndata's write_{how}."
        raise DamagedFileError(path, kind, error, advice) from error


def _open_tree(file: Path, key: str | None, opener: Opener, memory: int) -> Store:
    """A matrix in an HDF5 file or a zarr folder, with what AnnData says about it."""
    with _damage_is_explained(file):
        return _read_tree(file, key, opener, memory)


def _read_tree(file: Path, key: str | None, opener: Opener, memory: int) -> Store:
    root = opener(file)
    if hasattr(root, "shape"):  # a zarr folder of one array
        return Store(find_source(file, "", opener, root, memory))
    is_anndata = root.attrs.get("encoding-type") == "anndata" or {"obs", "var"} <= set(root)
    key = _find_key(file, root, key, is_anndata)
    source = find_source(file, key, opener, root[key], memory)
    if not is_anndata:
        return Store(source)
    obs = root["obs"]
    columns = [str(name) for name in obs.attrs.get("column-order", [])]
    return Store(
        source,
        names=partial(_read_index, file, opener, "var"),
        sample_names=_read_index(file, opener, "obs"),
        labels={name: partial(_read_obs, file, opener, name) for name in columns},
    )


def _find_key(file: Path, root: Any, key: str | None, is_anndata: bool) -> str:
    """The name of the matrix; X, or the only one there is."""
    if key is None and is_anndata and "X" in root:
        return "X"
    known: Sequence[str] = [name for name in root if getattr(root[name], "ndim", 0) == 2]
    if is_anndata:
        layers = list(root["layers"]) if "layers" in root else []
        known = [*(["X"] if "X" in root else []), *(f"layers/{name}" for name in layers)]
    if key is None and "X" in known:
        return "X"
    if key is None and len(known) == 1:
        return known[0]
    if key is None or key not in root:
        if not known:
            raise InputError(f"{visible(file)} holds no matrix: no array with two dimensions.")
        wanted = "it has several" if key is None else f"there is no {key!r}"
        raise InputError(
            f"say which matrix of {visible(file)} to read: {wanted} ({listed(known)}).",
            argument="layer",
        )
    return key


def _read_index(file: Path, opener: Opener, which: str) -> NDArray[Any]:
    with _damage_is_explained(file):
        group = opener(file)[which]
        return _as_text(group[group.attrs.get("_index", "_index")][:])


def _read_obs(file: Path, opener: Opener, name: str) -> NDArray[Any]:
    """A column about the samples, as numbers or text; categories by their names."""
    with _damage_is_explained(file):
        node = opener(file)["obs"][name]
        if "categories" in node and "codes" in node:
            codes, categories = np.asarray(node["codes"][:]), _as_text(node["categories"][:])
            return np.where(codes >= 0, categories[codes], "")
        return _as_text(node[:])


def _as_text(values: Any) -> NDArray[Any]:
    """Bytes and objects of HDF5 as text; numbers as they are."""
    found = np.asarray(values)
    if found.dtype.kind in "biuf":
        return found
    return np.array(
        [value.decode() if isinstance(value, bytes) else str(value) for value in found.tolist()],
        dtype=object,
    )
