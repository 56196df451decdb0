"""The class and the group of every sample, from columns of a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, quoted
from fewest.tables.checks import check_classes
from fewest.tables.errors import InputError
from fewest.tables.wanted import Wanted

if TYPE_CHECKING:
    import pandas

NUMBER_TYPES = {"b": bool, "i": np.int64, "u": np.uint64, "f": np.float64}
_MOST_NAMED = 5


@dataclass(frozen=True)
class Labels:
    """Classes and groups of the samples that were kept: a mask, None for all of them."""

    y: NDArray[Any]
    groups: NDArray[Any] | None
    kept: NDArray[np.bool_] | None = None
    notes: list[str] = field(default_factory=list)


def read_labels(
    frame: pandas.DataFrame, names: Sequence[str], wanted: Wanted, origin: str
) -> Labels:
    """Take out classes and groups; samples without one are an error, or left out if wanted."""
    columns = [frame.iloc[:, names.index(wanted.target)]]
    if wanted.groups is not None:
        columns.append(frame.iloc[:, names.index(wanted.groups)])
    kept, notes = None, []
    if wanted.missing == "drop-samples":
        unknown = np.any([column.isna().to_numpy() for column in columns], axis=0)
        if unknown.any():
            kept = ~unknown
            columns = [column[kept] for column in columns]
            what = "class" if wanted.groups is None else "class or group"
            notes = [
                f"Left out, because they have no {what}: {unknown.sum()} of {len(unknown)} samples."
            ]
    y = label_values(columns[0], wanted, f"class {wanted.line} {quoted(wanted.target)}", origin)
    check_classes(y, wanted.target, origin)  # before the features: a wrong target explains much
    groups = None
    if wanted.groups is not None:
        groups = label_values(
            columns[1], wanted, f"group {wanted.line} {quoted(wanted.groups)}", origin
        )
    return Labels(y, groups, kept, notes)


def label_values(column: pandas.Series, wanted: Wanted, what: str, origin: str) -> NDArray[Any]:
    """Numbers or text, one a sample; an error where one is missing."""
    missing = np.flatnonzero(column.isna())
    if len(missing):
        rows = ", ".join(str(row + 1) for row in missing[:_MOST_NAMED])
        more = ", ..." if len(missing) > _MOST_NAMED else ""
        raise InputError(
            f"the {what} of {origin} has no value in "
            f"{counted(len(missing), wanted.across)} ({rows}{more}; empty, NA, NaN and null "
            f"count).\nFill it in or remove these {wanted.across}s. The first sample is number 1.",
            argument="missing",
        )
    if hasattr(column, "cat"):
        column = column.astype(column.cat.categories.dtype)
    if column.dtype.kind in NUMBER_TYPES:
        return column.to_numpy(dtype=NUMBER_TYPES[column.dtype.kind])
    return np.array([str(label) for label in column.tolist()])
