"""Files with a matrix X: NumPy archives (.npz) and AnnData (.h5ad).

An archive has arrays X and y, and names for the features if there are any. AnnData has columns
about the samples in obs, and names of the features in var.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile as BadZip

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from fewest._memory import TooLargeError, check_size
from fewest._sparse import check_sparse
from fewest._wording import cut, listed, quoted, visible
from fewest.tables._errors import (
    DamagedFileError,
    InputError,
    LargeFileError,
    MissingPackageError,
)
from fewest.tables._frame import (
    NUMBER_KINDS,
    TRANSPOSED,
    Frame,
    Header,
    Ids,
    Names,
    Request,
    make_ids,
    require_matrix,
)
from fewest.tables._hdf5 import check_hdf5
from fewest.tables._npy import read_header
from fewest.tables._sizes import count_bytes

_NAME_KEYS = ("feature_names", "gene_id", "gene_name")  # the first one present is used
_ID_KEYS = ("sample_id", "sample_ids", "sample_names", "ids")
_TARGET = "y"
_SCIPY_KEYS = ("format", "shape", "data")
_SCIPY_PARTS = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "coo": ("row", "col"),
}
_LARGE = 2**31  # bytes of a full table, above which sparse numbers stay sparse


def read_npz(file: Path, request: Request) -> Frame:
    """Read X and the names of the features; labels are further arrays."""
    origin, keys = visible(file), _list_keys(file)
    if set(keys).issuperset(_SCIPY_KEYS):
        return _read_scipy(file, request, origin)
    if "X" not in keys:
        raise InputError(
            f"{origin} has no array 'X'; it has: {listed(keys)}.\nSave the numbers as X."
        )
    X = _read_array(file, "X")
    notes = []
    if request.transpose and X.ndim == 2:
        X, notes = np.ascontiguousarray(X.T), [TRANSPOSED]
    X = require_matrix(X, origin)
    names = [f"x{column}" for column in range(X.shape[1])]
    named_by = next((key for key in _NAME_KEYS if key in keys), None)
    if named_by is not None:
        given = _read_entries(file, named_by, X.shape, axis=1)
        if given.dtype.kind not in NUMBER_KINDS + "US":
            raise InputError(
                f"{named_by!r} of {origin} has the type {given.dtype}.\nNames must be text."
            )
        names = [name or x for name, x in zip(_as_text(given).tolist(), names, strict=True)]
    arrays = Header(origin, keys, "array")
    labels = arrays if request.classes is None else request.classes.header
    id_key = request.ids or next((key for key in _ID_KEYS if key in keys), None)

    def find_ids() -> list[Ids]:
        return [] if id_key is None else [make_ids(None, _read_label(file, X.shape, id_key))]

    return Frame(
        names=Names(Header(origin, names), labels, arrays),
        cells=X,
        get_label=partial(_read_label, file, X.shape),
        find_ids=find_ids,
        notes=notes,
        default_target=_TARGET if _TARGET in keys else None,
    )


def _read_scipy(file: Path, request: Request, origin: str) -> Frame:
    """Samples to predict, from a file of `scipy.sparse.save_npz`, which has no room for classes."""
    if request.needs_classes:
        raise InputError(
            f"{origin} holds a sparse matrix alone, as scipy.sparse.save_npz writes it, and no "
            "classes.\nWrite both to one file: numpy.savez(path, X=X.toarray(), y=y), or an .h5ad "
            "file with the classes in obs."
        )
    from scipy import sparse

    form = _read_array(file, "format").tobytes().decode("ascii", "replace")
    if form not in _SCIPY_PARTS:
        raise InputError(
            f"{origin} holds a sparse matrix in the format {quoted(form)}.\nSave it as one with "
            "fast rows: scipy.sparse.save_npz(path, X.tocsr())."
        )
    shape = tuple(_read_array(file, "shape").ravel().tolist())
    data, *places = (_read_array(file, part) for part in ("data", *_SCIPY_PARTS[form]))
    try:
        made = getattr(sparse, f"{form}_array")(
            (data, tuple(places)) if form == "coo" else (data, *places), shape=shape
        )
        check_sparse(made, "it")
    except (ValueError, TypeError, OverflowError) as error:
        advice = "Write it again with scipy.sparse.save_npz."
        raise DamagedFileError(file, "an .npz file", error, advice) from error
    X, notes = _settle_sparse(made.T if request.transpose else made, origin)
    names = Header(origin, [f"x{column}" for column in range(X.shape[1])])
    notes += [TRANSPOSED] if request.transpose else []
    none = Header(origin, [], "array")
    return Frame(Names(names, none, none), X, _refuse_label, notes=notes)


def _refuse_label(name: str) -> NDArray[Any]:
    raise LookupError(name)  # names are checked before: there are none


def read_extra(path: str | os.PathLike[str], key: str, n_samples: int) -> NDArray[Any] | None:
    """An additional array of an .npz file, with one entry per sample.

    Parameters
    ----------
    path : str or path-like
        The .npz file.
    key : str
        The name of the array.
    n_samples : int
        How many entries it must have.

    Returns
    -------
    array of shape (n_samples,) or None
        None if there is no such array.

    Raises
    ------
    InputError
        If the file is damaged, or the array has the wrong shape.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fewest.tables import read_extra
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.npz")
    ...     np.savez(path, X=np.eye(3), y=[0, 1, 1], split=["train", "train", "test"])
    ...     read_extra(path, "split", 3).tolist(), read_extra(path, "weights", 3)
    (['train', 'train', 'test'], None)
    """
    file = Path(path)
    if key not in _list_keys(file):
        return None
    return _read_entries(file, key, (n_samples, None), axis=0)


def _read_label(file: Path, shape: tuple[int, int], key: str) -> NDArray[Any]:
    values = _read_entries(file, key, shape, axis=0)
    if values.dtype.kind not in NUMBER_KINDS + "US":
        raise InputError(
            f"{key!r} of {visible(file)} has the type {values.dtype}.\n"
            "Classes and groups must be numbers or text."
        )
    return _as_text(values) if values.dtype.kind == "S" else values


def _as_text(values: NDArray[Any]) -> NDArray[Any]:
    """Text, or numbers written as text; bytes that are none become question marks."""
    if values.dtype.kind == "S":
        return np.array([entry.decode("utf-8", "replace") for entry in values.tolist()])
    return values.astype(str)


def _read_entries(
    file: Path, key: str, shape: tuple[int, int | None], *, axis: int
) -> NDArray[Any]:
    """An array that must have one entry for each row (axis 0) or column (axis 1) of X."""
    values = _read_array(file, key)
    if values.shape == (shape[axis],):
        return values
    sides = ("row", "column")
    swapped = values.shape == (shape[1 - axis],)
    hint = f" There is one for each {sides[1 - axis]}: are rows and columns swapped (transpose)?"
    raise InputError(
        f"{key!r} of {visible(file)} has shape {values.shape}.\n"
        f"It must hold one entry for each of the {shape[axis]} {sides[axis]}s of X."
        f"{hint if swapped else ''}",
        argument="transpose" if swapped else None,
    )


def _list_keys(file: Path) -> list[str]:
    with _open_npz(file) as archive:
        return list(archive.files)


def _read_array(file: Path, key: str) -> NDArray[Any]:
    with _open_npz(file) as archive:
        assert archive.zip is not None
        shape, dtype = read_header(archive.zip, key)
        if dtype.hasobject:  # objects would have to be unpickled, which can run any code
            raise InputError(
                f"the array {quoted(key)} of {visible(file)} holds Python objects, which are not "
                "read for safety.\nSave it as numbers or text: "
                f"numpy.asarray({cut(key)}, dtype=str)."
            )
        check_size(count_bytes(shape, dtype), f"the array {quoted(key)} of {visible(file)}")
        values = np.asarray(archive[key])
        if dtype.kind == "U" and not _is_text(values):
            raise ValueError(f"the text in {quoted(key)} holds characters that do not exist")
        return values


def _is_text(values: NDArray[Any]) -> bool:
    """Whether all characters exist: Python would fail on others, whenever they are looked at."""
    codes = np.frombuffer(
        values.tobytes(), dtype=np.dtype("u4").newbyteorder(values.dtype.byteorder)
    )
    return int(codes.max(initial=0)) <= sys.maxunicode


@contextmanager
def _open_npz(file: Path) -> Iterator[NpzFile]:
    try:
        with file.open("rb") as stream, NpzFile(stream, allow_pickle=False) as archive:
            yield archive
    except InputError:
        raise
    except TooLargeError as error:
        raise LargeFileError(error) from error
    # zipfile and NumPy have many words for it: RuntimeError for a password, for instance.
    except (OSError, EOFError, ValueError, LookupError, RuntimeError, zlib.error, BadZip) as error:
        advice = "Write it again with numpy.savez(path, X=X, y=y), not with numpy.save."
        raise DamagedFileError(file, "an .npz file", error, advice) from error


def read_h5ad(file: Path, request: Request) -> Frame:
    """Read X or a layer, with labels from obs; if transposed, obs and var are swapped."""
    data, origin = _open_h5ad(file), visible(file)
    samples, features = "obs", "var"
    if request.transpose:
        data, samples, features = data.T, features, samples
    values = _take_layer(data, request.layer, origin)
    about = Header(f"{samples} of {origin}", [str(name) for name in data.obs.columns])
    names = Names(
        columns=Header(origin, [str(name) for name in data.var_names], "feature"),
        labels=about if request.classes is None else request.classes.header,
        ids=about,
        list_across=lambda: list(data.var.columns),
        across=f"column of {features}",
    )
    names.check(request)  # before X is made dense
    X, notes = _settle_sparse(values, origin)
    notes += [TRANSPOSED] if request.transpose else []
    ids = data.obs_names if request.ids is None else data.obs[request.ids]
    return Frame(
        names, X, data.obs.__getitem__, find_ids=lambda: [make_ids(None, ids)], notes=notes
    )


def _open_h5ad(file: Path) -> Any:
    try:
        import anndata
    except ImportError as error:
        raise MissingPackageError(file, "anndata", "h5ad") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old formats, and repeated names, which we refuse
            check_hdf5(file)
            data = anndata.read_h5ad(file)
            _check_all_sparse(data)
            return data
    except TooLargeError:
        raise
    # anndata raises its own errors or those of h5py, depending on where the damage is.
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        advice = "Write it again with anndata's write_h5ad."
        raise DamagedFileError(file, "an .h5ad file", reason, advice) from error


def _check_all_sparse(data: Any) -> None:
    """Before anything touches them: to transpose the object, anndata reads all of them."""
    for name in ("layers", "obsm", "varm", "obsp", "varp"):
        for key, values in getattr(data, name).items():
            check_sparse(values, f"{name}/{visible(key)}")
    check_sparse(data.X, "X")
    if data.raw is not None:
        check_sparse(data.raw.X, "raw/X")


def _take_layer(data: Any, layer: str | None, origin: str) -> Any:
    """The numbers: X, or the layer that was asked for."""
    if layer is not None:
        Header(origin, [str(name) for name in data.layers], "layer").require(layer, "layer")
        return data.layers[layer]
    if data.X is None:
        raise InputError(
            f"{origin} has no X.\nName a layer: {listed(data.layers) or 'there is none either'}.",
            argument="layer",
        )
    return data.X


def _settle_sparse(X: Any, origin: str) -> tuple[Any, list[str]]:
    """X as a dense array, or sparse with fast rows where that array would be very large.

    Commands often read single columns and cells, which is slow if X is sparse.
    """
    if not hasattr(X, "toarray"):
        return np.ascontiguousarray(require_matrix(np.asarray(X), origin)), []
    n_cells = math.prod(X.shape)
    size = n_cells * X.dtype.itemsize
    share = f"X is sparse ({100 * X.nnz / max(1, n_cells):.3g} % of its cells are stored)"
    if size <= _LARGE:
        dense = np.ascontiguousarray(require_matrix(X.toarray(), origin))
        return dense, [f"{share}: made dense."]
    note = f"{share}, and stays so: as a full table it would take {size / 2**30:.1f} GB."
    return require_matrix(X.tocsr(), origin), [note]
