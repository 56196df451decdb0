"""Numbers that no double holds: rounded, samples that differ could become equal."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._wording import cut
from fewest.tables._errors import InputError
from fewest.tables._frame import NUMBER_KINDS, Label, is_sparse

if TYPE_CHECKING:
    import pandas

_EXACT = 2.0**53  # whole numbers up to it are doubles
_WHOLE = re.compile(r"[-+]?(\d{16,308})(\.0*)?")
_ANY_WHOLE = re.compile(r"\s*[-+]?\d{1,308}\s*", re.ASCII)


def is_rounded(text: str) -> bool:
    """Whether a whole number changes when it becomes a double."""
    return bool(_WHOLE.fullmatch(text)) and int(text.partition(".")[0]) != int(float(text))


def is_unheld(text: str) -> bool:
    """Whether a text is a number that no double holds: rounded, or larger than all of them."""
    return is_rounded(text.strip()) or _is_beyond(text)


def _is_beyond(text: str) -> bool:
    with suppress(ValueError):
        return math.isinf(float(text)) and any(sign.isdigit() for sign in text)
    return False


def widen_whole_texts(cells: pandas.DataFrame, places: Sequence[int]) -> pandas.DataFrame:
    """Columns of whole numbers with too many digits for 64 bits as doubles, if these are exact.

    Others stay the text that pandas makes of them.
    """
    kinds = [dtype.kind for dtype in cells.dtypes]
    for place in places:
        if kinds[place] in NUMBER_KINDS:
            continue
        texts = cells.iloc[:, place].dropna()
        if all(_ANY_WHOLE.fullmatch(str(text)) and not is_rounded(text.strip()) for text in texts):
            cells.isetitem(place, cells.iloc[:, place].astype(float))
    return cells


def refuse_rounded(
    X: Any,
    names: list[str],
    origin: str,
    get_column: Callable[[int], Label],
    *,
    are_needed: bool = False,
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
            if is_rounded(text):
                raise explain_large(text, names[place], origin, are_needed)


def explain_large(text: str, name: str, origin: str, are_needed: bool) -> InputError:
    """The error about a number that is rounded or beyond doubles.

    It does not advise to leave out a column that is needed.
    """
    if _is_beyond(text):
        reason = "which is beyond the largest number of double precision, 1.8e308."
        advice = "divide by a common factor."
    else:
        reason = (
            "which a double cannot hold: values that differ could become equal, and proofs would "
            "be about other data."
        )
        advice = "subtract a common offset, so that numbers have 15 digits at most."
    start = "Here and in training, " if are_needed else "Leave it out if it is an id; otherwise "
    return InputError(
        f"{cut(name)} of {origin} has {cut(text)}, {reason}\n{start}{advice}",
        argument=None if are_needed else "drop",
    )
