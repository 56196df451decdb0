"""The classes and the groups of the samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, listed, quoted
from fewest.tables._errors import InputError
from fewest.tables._frame import NUMBER_KINDS, Frame, Label, Request

_MANY_CLASSES = 20


def leave_out_unlabelled(frame: Frame, request: Request) -> Frame:
    """The frame without samples that have no class or group, with a note that says so."""
    columns = [frame.get_label(name) for name in request.labels.values()]
    unknown = np.any([_find_missing(column) for column in columns], axis=0)
    if unknown.all() or not unknown.any():
        return frame
    what = "class" if request.groups is None else "class or group"
    note = f"Left out, because they have no {what}: {unknown.sum()} of {len(unknown)} samples."
    return replace(
        frame,
        cells=frame.cells[~unknown],
        get_label=lambda name: frame.get_label(name)[~unknown],
        notes=[*frame.notes, note],
    )


def read_label(frame: Frame, request: Request, argument: str) -> NDArray[Any]:
    """What `argument` (target or groups) names: numbers or text, one per sample."""
    name, word = request.labels[argument], "class" if argument == "target" else "group"
    column = frame.get_label(name)
    missing = np.flatnonzero(_find_missing(column))
    if len(missing):
        across = "column" if request.transpose else "row"
        raise InputError(
            f"the {word} {frame.names.labels.line} {quoted(name)} of {frame.origin} has no value "
            f"in {counted(len(missing), across)} ({listed(missing + 1)}; empty, NA, NaN and null "
            f"count).\nFill it in or remove these {across}s. The first sample is number 1.",
            argument="missing" if request.needs_classes else None,
        )
    if isinstance(column, np.ndarray):
        return column
    if hasattr(column, "cat"):
        column = column.astype(column.cat.categories.dtype)
    kind = column.dtype.kind
    if kind in NUMBER_KINDS:  # including pandas' types with missing values
        return column.to_numpy(dtype=bool if kind == "b" else np.dtype(f"{kind}8"))
    return np.array([str(label) for label in column.tolist()])


def _find_missing(column: Label) -> NDArray[np.bool_]:
    if not isinstance(column, np.ndarray):
        return column.isna().to_numpy()
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)


def check_classes(y: NDArray[Any], target: str, origin: str) -> None:
    """Raise an InputError unless y holds two or more classes (and not measurements or ids).

    Parameters
    ----------
    y : array of shape (n_samples,)
        The labels.
    target : str
        What the column (or array) of labels is called.
    origin : str
        What the file is called.
    """
    column = f"{quoted(target)} of {origin}"
    labels = np.unique(y)
    if len(labels) == 1:
        raise InputError(
            f"{column} holds only one class: {quoted(labels[0])}.\nTwo or more classes are needed."
        )
    fractional = y.dtype.kind == "f" and not np.all(np.isfinite(y) & (y == np.floor(y)))
    many = len(labels) > _MANY_CLASSES and len(labels) > len(y) / 2
    if fractional or (many and y.dtype.kind in NUMBER_KINDS):
        raise InputError(
            f"{column} looks like a number, not like a class: it has "
            f"{len(labels)} different values, such as {listed(labels.tolist(), 3)}.\n"
            "Name the column with the classes, or write the classes as words or whole numbers."
        )
    if many:
        raise InputError(
            f"{column} has {len(labels)} different values for {len(y)} samples, such as "
            f"{listed(labels.tolist(), 3)}.\nThat looks like an id: name the class column instead."
        )
