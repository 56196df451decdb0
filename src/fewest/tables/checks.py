"""What every table must satisfy before the long work starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, cut, listed, quoted
from fewest.tables.errors import InputError
from fewest.tables.table import Samples, Table

_MOST_COLUMNS = 5
_MOST_ROWS = 3
_MANY_CLASSES = 20


def check_finite(table: Table | Samples) -> None:
    """Raise an InputError if a feature has an infinite value."""
    infinite = np.isinf(table.X) if table.X.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if infinite.any():
        raise InputError(
            f"{table.origin} has {counted(int(infinite.sum()), 'infinite value')} in "
            f"{where(infinite, table.feature_names)}.\n"
            "A logarithm of zero is a usual cause: correct them, or leave the columns out.",
            argument="drop",
        )


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
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise InputError(
            f"{column} has no class in {counted(int(np.isnan(y).sum()), 'row')}.\n"
            "Fill in the class or remove these rows."
        )
    labels = np.unique(y)
    if len(labels) == 1:
        raise InputError(
            f"{column} holds only one class: {quoted(labels[0])}.\n"
            "Two or more classes are needed, to tell them apart."
        )
    many = len(labels) > _MANY_CLASSES and len(labels) > len(y) / 2
    if _fractional(y) or (many and y.dtype.kind in "iuf"):
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


def _fractional(y: NDArray[Any]) -> bool:
    return y.dtype.kind == "f" and not bool(np.all(np.isfinite(y) & (y == np.floor(y))))


def where(bad: NDArray[np.bool_], names: Sequence[str]) -> str:
    """How many columns and rows are affected, and the first of them by name and number."""
    columns = np.flatnonzero(bad.any(axis=0))
    n_rows = int(bad.any(axis=1).sum())
    shown = []
    for column in columns[:_MOST_COLUMNS]:
        rows = np.flatnonzero(bad[:, column]) + 1
        more = ", ..." if len(rows) > _MOST_ROWS else ""
        word = "row" if len(rows) == 1 else "rows"
        numbers = ", ".join(map(str, rows[:_MOST_ROWS]))
        shown.append(f"{cut(names[column])} ({word} {numbers}{more})")
    if len(columns) > _MOST_COLUMNS:
        shown.append("...")
    return f"{counted(len(columns), 'column')} and {counted(n_rows, 'row')}: {', '.join(shown)}"
