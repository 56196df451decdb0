"""Samples to predict: features by name or by number, and classes only where they are known."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from fewest._tables.checks import check_numbers
from fewest._tables.errors import InputError
from fewest._tables.frame import _labels, _numbers
from fewest._tables.npz import npz_columns, read_extra
from fewest._tables.parquet import parquet_frame
from fewest._tables.read import _NUMPY, _PARQUET, _TEXT, _check_file, _unknown_suffix
from fewest._tables.table import check_names, check_present, feature_positions
from fewest._tables.text import text_frame
from fewest._tables.wording import counted, first_and_last, listed, quoted, visible

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Samples:
    """Samples in rows. `truth` is None where the classes are not known.

    `ignored` are the columns that nobody asked for.
    """

    X: NDArray[Any]
    feature_names: list[str]
    truth: NDArray[Any] | None
    origin: str
    ignored: list[str] = field(default_factory=list)


def read_samples(
    path: str | os.PathLike[str],
    features: Sequence[str] | None,
    target: str | None = None,
    drop: Sequence[str] = (),
) -> Samples:
    """Read the columns that a model needs.

    Parameters
    ----------
    path : str or path-like
        A file in one of the formats of `read_table`; an .npz file needs no array y.
    features : sequence of str or None
        The columns of X, in this order. None takes all but the target and those to leave out.
    target : str or None
        The column (for .npz the array) with the true classes.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    Samples
        With finite numbers.

    Raises
    ------
    InputError
        As for `read_table`; also if features are missing, which are then named.
    """
    file, name = Path(path), Path(path).name.lower()
    _check_file(file)
    try:
        if name.endswith(_NUMPY):
            samples = _from_npz(file, features, target, drop)
        elif name.endswith((*_TEXT, *_PARQUET)):
            frame, names = (text_frame if name.endswith(_TEXT) else parquet_frame)(file)
            samples = _from_frame(frame, names, file, features, target, drop)
        else:
            raise _unknown_suffix(file)
    except OSError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{visible(path)} cannot be read: {error.strerror or error}") from error
    check_numbers(samples)
    return samples


def _from_frame(
    frame: pandas.DataFrame,
    names: list[str],
    file: Path,
    features: Sequence[str] | None,
    target: str | None,
    drop: Sequence[str],
) -> Samples:
    origin = visible(file)
    if len(frame) == 0:
        raise InputError(f"{origin} has a header but no rows.")
    check_names(names, origin)
    check_present([*drop, *([] if target is None else [target])], names, origin)
    positions, ignored = _chosen(names, features, {*drop, target, ""}, origin)
    chosen = [names[position] for position in positions]
    truth = None
    if target is not None:
        column = frame.iloc[:, names.index(target)]
        truth = _labels(column, f"class column {quoted(target)}", origin)
    X = _numbers(frame.iloc[:, positions], chosen, origin)
    return Samples(X, chosen, truth, origin, ignored)


def _from_npz(
    file: Path, features: Sequence[str] | None, target: str | None, drop: Sequence[str]
) -> Samples:
    X, names = npz_columns(file)
    origin = visible(file)
    check_present(drop, names, origin)
    positions, ignored = _chosen(names, features, set(drop), origin)
    truth = None
    if target is not None:
        truth = read_extra(file, target, X.shape[0])
        if truth is None:
            raise InputError(
                f"{origin} has no array {target!r}.\nName the array with the classes (target).",
                argument="target",
            )
    return Samples(X[:, positions], [names[place] for place in positions], truth, origin, ignored)


def _chosen(
    names: Sequence[str], features: Sequence[str] | None, left_out: set[str | None], origin: str
) -> tuple[list[int], list[str]]:
    """Where the features are, and what is not needed."""
    if features is None:
        return feature_positions(names, left_out, origin), []
    places = {name: place for place, name in enumerate(names) if name not in left_out}
    missing = [name for name in features if name not in places]
    if missing:
        raise InputError(
            f"{origin} lacks {counted(len(missing), 'feature')} that the model needs: "
            f"{listed(missing)}.\nAdd the columns, or check their names. {first_and_last(names)}"
        )
    wanted = set(features)
    return [places[name] for name in features], [name for name in places if name not in wanted]
