"""NumPy archives: arrays X and y, and names for the features if there are any."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import listed, visible
from fewest.tables.checks import check_classes
from fewest.tables.errors import InputError
from fewest.tables.table import Table, check_present, feature_positions
from fewest.tables.transposed import TURNED
from fewest.tables.wanted import Wanted

_NAME_KEYS = ("feature_names", "gene_id", "gene_name")  # the first one present is taken
_DEFAULT_TARGET = "y"
_NO_ARCHIVE = (OSError, EOFError, zipfile.BadZipFile)
_NO_ARRAY = (OSError, EOFError, zipfile.BadZipFile, zlib.error)


def read_npz(file: Path, wanted: Wanted) -> Table:
    """Read X, the target array and feature names; see `fewest.tables.read`."""
    key = _DEFAULT_TARGET if wanted.target is None else wanted.target
    drop, groups = wanted.drop, wanted.groups
    X, y, names = _arrays(file, key)
    if wanted.transpose and X.ndim == 2:
        X = np.ascontiguousarray(X.T)
    _check_shapes(file, X, y, key)
    origin = visible(file)
    check_classes(y, key, origin)
    names = _names(file, names, X.shape[1])
    check_present(drop, names, origin)
    positions = feature_positions(names, set(drop), origin)
    if len(positions) < len(names):
        X, names = X[:, positions], [names[position] for position in positions]
    return Table(
        X=_as_numbers(X),
        y=y.astype(str) if y.dtype.kind == "S" else y,
        feature_names=names,
        origin=origin,
        file=str(file),
        target=key,
        dropped=list(drop),
        notes=[TURNED] if wanted.transpose else [],
        groups=None if groups is None else _groups(file, groups, X.shape[0]),
    )


def npz_columns(file: Path, wanted: Wanted) -> tuple[NDArray[Any], list[str]]:
    """X and the names of its columns; classes need not be there."""
    with _opened(file) as archive:
        X, names = _numbers_and_names(file, archive)
    if wanted.transpose and X.ndim == 2:
        X = np.ascontiguousarray(X.T)
    _check_numbers(file, X)
    return _as_numbers(X), _names(file, names, X.shape[1])


def _groups(file: Path, key: str, n_samples: int) -> NDArray[Any]:
    values = read_extra(file, key, n_samples)
    if values is None:
        raise InputError(
            f"{visible(file)} has no array {key!r}.\nName the array with the groups.",
            argument="groups",
        )
    return values


def read_extra(file: Path, key: str, n_samples: int) -> NDArray[Any] | None:
    """An array that stands beside X and y, with one entry a sample; None where there is none."""
    with _opened(file) as archive:
        if key not in archive.files:
            return None
        values = _array(file, archive, key)
    if values.shape != (n_samples,):
        raise InputError(
            f"{key!r} of {visible(file)} has shape {values.shape}.\n"
            f"It must hold one entry for each of the {n_samples} rows of X."
        )
    return values


def _opened(file: Path) -> Any:
    try:
        archive = np.load(file, allow_pickle=False)
    except ValueError as error:
        # NumPy takes a file that is no archive for a pickle, and advises to load it unsafely.
        raise _damaged(file, "it is no zip archive") from error
    except _NO_ARCHIVE as error:
        raise _damaged(file, error) from error
    if isinstance(archive, np.ndarray):
        raise InputError(
            f"{visible(file)} holds one array, not an archive: save it with "
            "numpy.savez(path, X=X, y=y)."
        )
    return archive


def _arrays(file: Path, key: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    with _opened(file) as archive:
        X, names = _numbers_and_names(file, archive)
        _require(file, archive, key, "Name the array with the classes (target).", "target")
        return X, _array(file, archive, key), names


def _numbers_and_names(file: Path, archive: Any) -> tuple[NDArray[Any], NDArray[Any] | None]:
    _require(file, archive, "X", "Save the numbers as X.")
    name_key = next((name for name in _NAME_KEYS if name in archive.files), None)
    names = None if name_key is None else _array(file, archive, name_key)
    return _array(file, archive, "X"), names


def _require(file: Path, archive: Any, key: str, advice: str, argument: str | None = None) -> None:
    if key not in archive.files:
        raise InputError(
            f"{visible(file)} has no array {key!r}; it has: {listed(archive.files)}.\n{advice}",
            argument,
        )


def _array(file: Path, archive: Any, key: str) -> NDArray[Any]:
    try:
        return np.asarray(archive[key])
    except ValueError as error:
        # Objects would have to be unpickled, and that can run any code.
        raise InputError(
            f"the array {key!r} of {visible(file)} holds Python objects, which are not read for "
            f"safety.\nSave it as numbers or text: numpy.asarray({key}, dtype=str)."
        ) from error
    except _NO_ARRAY as error:
        raise _damaged(file, error) from error


def _as_numbers(X: NDArray[Any]) -> NDArray[Any]:
    return X.astype(np.uint8) if X.dtype == bool else X


def _check_numbers(file: Path, X: NDArray[Any]) -> None:
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise InputError(
            f"X of {visible(file)} has shape {X.shape} and type {X.dtype}.\n"
            "It must be a table of numbers with one sample a row and one feature a column."
        )


def _check_shapes(file: Path, X: NDArray[Any], y: NDArray[Any], key: str) -> None:
    _check_numbers(file, X)
    turned = X.shape[0] != X.shape[1] and y.shape == (X.shape[1],)
    if y.shape != (X.shape[0],) or y.dtype.kind not in "biufUS":
        raise InputError(
            f"{key!r} of {visible(file)} has shape {y.shape} and type {y.dtype}.\n"
            f"It must hold one class (a number or text) for each of the {X.shape[0]} rows of X."
            + (" There is one for each column: then read it transposed." if turned else ""),
            argument="transpose" if turned else None,
        )


def _names(file: Path, names: NDArray[Any] | None, n_features: int) -> list[str]:
    if names is None:
        return [f"x{column}" for column in range(n_features)]
    if names.shape != (n_features,):
        raise InputError(
            f"the feature names of {visible(file)} have shape {names.shape}, but X has "
            f"{n_features} columns.\nGive one name a column, or none at all."
        )
    return [name or f"x{column}" for column, name in enumerate(names.astype(str).tolist())]


def _damaged(file: Path, error: Exception | str) -> InputError:
    return InputError(
        f"{visible(file)} is damaged, or not an .npz file ({visible(error)}).\n"
        "Write it again with numpy.savez(path, X=X, y=y)."
    )
