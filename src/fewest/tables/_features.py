"""The features as one array of numbers: ids are left out, other text is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, cut, listed, quoted
from fewest.tables._columns import is_no_number
from fewest.tables._errors import InputError
from fewest.tables._frame import NUMBER_KINDS, Frame, is_far_more, require_some

if TYPE_CHECKING:
    import pandas

# With a decimal comma or with thousands separators: '0,25', '1.234,5', "1'234.5", '1 234'.
_WRITTEN_NUMBER = r"\s*[-+]?(\d+|\d{1,3}([.,' \u00a0\u202f]\d{3})+)([.,]\d+)?([eE][-+]?\d+)?\s*"
_MOST_NAMED = 5
_TEXT_KINDS = "OUST"


def leave_out_ids(frame: Frame, positions: list[int]) -> tuple[list[int], list[str]]:
    """The positions without text that differs in every sample, and notes of what was left out."""
    if isinstance(frame.cells, np.ndarray):
        return positions, []
    kinds = [dtype.kind for dtype in frame.cells.dtypes]
    ids = [
        place
        for place in positions
        if kinds[place] in _TEXT_KINDS and _is_id(frame.cells.iloc[:, place])
    ]
    if not ids:
        return positions, []
    names = [frame.names.columns.names[place] for place in ids]
    notes = [f"Left out as an id, because every sample has its own text there: {listed(names)}."]
    if ids[0] == 0 and is_far_more(len(frame.cells), len(positions)):
        notes.append(
            f"There are {len(frame.cells)} samples, and "
            f"{counted(len(positions) - len(ids), 'feature')}: if the samples are columns of the "
            "file, read it transposed."
        )
    return require_some(sorted({*positions} - {*ids}), frame.origin), notes


def _is_id(column: pandas.Series) -> bool:
    # A measurement with one odd cell is text, too, but most of its cells are numbers. So is one
    # whose numbers are written differently from those in the rest of the file.
    return bool(
        column.is_unique
        and is_no_number(column).all()
        and not column.astype(str).str.fullmatch(_WRITTEN_NUMBER).all()
    )


def convert_features(frame: Frame, positions: Sequence[int]) -> tuple[NDArray[Any], list[str]]:
    """These columns as one array, and their names; an error that names those with text."""
    names = [frame.names.columns.names[place] for place in positions]
    if isinstance(frame.cells, np.ndarray):
        everything = list(positions) == list(range(frame.cells.shape[1]))
        return frame.cells if everything else np.take(frame.cells, positions, axis=1), names
    columns = frame.cells.iloc[:, positions]
    kinds = list(columns.dtypes)
    text = [place for place, kind in enumerate(kinds) if kind.kind not in NUMBER_KINDS]
    if text:
        raise _refuse_text(columns, names, text, frame.origin)
    single = all(kind == np.float32 for kind in kinds)
    X = columns.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)
    return np.ascontiguousarray(X), names  # cross-validation takes out rows many times


def _refuse_text(
    columns: pandas.DataFrame, names: Sequence[str], text: list[int], origin: str
) -> InputError:
    first = text[:_MOST_NAMED]
    cells = [str(_find_text(columns.iloc[:, at])) for at in first]
    shown = [f"{cut(names[at])} ('{cut(cell, 20)}')" for at, cell in zip(first, cells, strict=True)]
    more = f" and {len(text) - _MOST_NAMED} more" if len(text) > _MOST_NAMED else ""
    signs = ""
    if re.fullmatch(_WRITTEN_NUMBER, cells[0]):
        signs = " Use one decimal sign in the whole file, and no thousands separators."
    return InputError(
        f"{origin} has text instead of numbers in {counted(len(text), 'feature column')}: "
        f"{', '.join(shown)}{more}.\nLeave out what is no feature "
        f"(drop {quoted(names[text[0]])}), or write numbers there.{signs}",
        argument="drop",
    )


def _find_text(column: pandas.Series) -> Any:
    """The first cell that is neither missing nor a number."""
    if column.dtype.kind not in _TEXT_KINDS:
        return column.iloc[0]
    return column.iloc[int(np.argmax(is_no_number(column)))]  # 0 where there is none
