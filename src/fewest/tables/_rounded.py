"""Whole numbers that no double holds: rounded, samples that differ could become equal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from fewest._wording import cut
from fewest.tables._errors import InputError
from fewest.tables._frame import Label, is_sparse

_EXACT = 2.0**53  # whole numbers up to it are doubles
_WHOLE = re.compile(r"[-+]?\d{16,308}")


def refuse_rounded(
    X: Any, names: list[str], origin: str, get_column: Callable[[int], Label]
) -> None:
    """Raise an InputError if a whole number of a column changes when it becomes a double.

    `X` has the numbers, and `get_column` the cells that they were made of, perhaps text.
    """
    values = X.data if is_sparse(X) else X
    if not (large := (values >= _EXACT) | (values <= -_EXACT)).any():
        return
    for place in np.unique(X.tocoo().col[large] if is_sparse(X) else np.nonzero(large)[1]):
        cells = get_column(place)
        for cell in [] if cells.dtype.kind == "f" else cells.tolist():
            text = str(cell).strip()
            if _WHOLE.fullmatch(text) and int(text) != int(float(text)):
                raise InputError(
                    f"{cut(names[place])} of {origin} has {cut(text)}, which a double cannot hold: "
                    "values that differ could become equal, and proofs would be about other data."
                    "\nLeave it out if it is an id; otherwise subtract a common offset, so that "
                    "numbers have 15 digits at most.",
                    argument="drop",
                )
