"""NumPy archives: arrays X and y, and names for the features if there are any."""

from __future__ import annotations

import os
import zipfile
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import listed, visible
from fewest.tables._errors import DamagedFileError, InputError
from fewest.tables._frame import NUMBER_KINDS, Frame, Header, Names, Request, require_matrix

_NAME_KEYS = ("feature_names", "gene_id", "gene_name")  # the first one present is used
_TARGET = "y"
_DAMAGE = (OSError, EOFError, zipfile.BadZipFile, zlib.error)


def read_npz(file: Path, request: Request) -> Frame:
    """Read X and the names of the features; labels are further arrays."""
    origin, keys = visible(file), _list_keys(file)
    if "X" not in keys:
        raise InputError(
            f"{origin} has no array 'X'; it has: {listed(keys)}.\nSave the numbers as X."
        )
    X = _read_array(file, "X")
    if request.transpose and X.ndim == 2:
        X = np.ascontiguousarray(X.T)
    X = require_matrix(X, origin)
    names = [f"x{column}" for column in range(X.shape[1])]
    named_by = next((key for key in _NAME_KEYS if key in keys), None)
    if named_by is not None:
        given = _read_array(file, named_by)
        _check_length(given, named_by, origin, X.shape, axis=1)
        names = [name or x for name, x in zip(given.astype(str).tolist(), names, strict=True)]
    return Frame(
        names=Names(Header(origin, names), Header(origin, keys, "array"), may_repeat=True),
        cells=X,
        get_label=partial(_read_label, file, X.shape),
        default_target=_TARGET if _TARGET in keys else None,
    )


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
    values = _read_array(file, key)
    _check_length(values, key, visible(file), (n_samples, None), axis=0)
    return values


def _read_label(file: Path, shape: tuple[int, int], key: str) -> NDArray[Any]:
    values, origin = _read_array(file, key), visible(file)
    _check_length(values, key, origin, shape, axis=0)
    if values.dtype.kind not in NUMBER_KINDS + "US":
        raise InputError(
            f"{key!r} of {origin} has the type {values.dtype}.\n"
            "Classes and groups must be numbers or text."
        )
    return values.astype(str) if values.dtype.kind == "S" else values


def _check_length(
    values: NDArray[Any], key: str, origin: str, shape: tuple[int, int | None], axis: int
) -> None:
    """Raise an InputError unless there is one entry for each row (axis 0) or column of X."""
    if values.shape == (shape[axis],):
        return
    sides = ("row", "column")
    swapped = values.shape == (shape[1 - axis],)
    hint = f" There is one for each {sides[1 - axis]}: are rows and columns swapped (transpose)?"
    raise InputError(
        f"{key!r} of {origin} has shape {values.shape}.\n"
        f"It must hold one entry for each of the {shape[axis]} {sides[axis]}s of X."
        f"{hint if swapped else ''}",
        argument="transpose" if swapped else None,
    )


def _list_keys(file: Path) -> list[str]:
    with _open(file) as archive:
        return list(archive.files)


def _read_array(file: Path, key: str) -> NDArray[Any]:
    with _open(file) as archive:
        try:
            return np.asarray(archive[key])
        except ValueError as error:
            # Objects would have to be unpickled, which can run any code.
            raise InputError(
                f"the array {key!r} of {visible(file)} holds Python objects, which are not read "
                f"for safety.\nSave it as numbers or text: numpy.asarray({key}, dtype=str)."
            ) from error
        except _DAMAGE as error:
            raise _report_damage(file, error) from error


def _open(file: Path) -> Any:
    try:
        archive = np.load(file, allow_pickle=False)
    except ValueError as error:
        # NumPy treats a file that is no archive as a pickle, and advises loading it unsafely.
        raise _report_damage(file, "it is no zip archive") from error
    except _DAMAGE as error:
        raise _report_damage(file, error) from error
    if isinstance(archive, np.ndarray):
        raise InputError(
            f"{visible(file)} holds one array, not an archive: save it with "
            "numpy.savez(path, X=X, y=y)."
        )
    return archive


def _report_damage(file: Path, reason: object) -> DamagedFileError:
    advice = "Write it again with numpy.savez(path, X=X, y=y)."
    return DamagedFileError(file, "an .npz file", reason, advice)
