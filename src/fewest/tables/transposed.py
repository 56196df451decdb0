"""Files with the samples as columns: how to recognise them, and how to turn them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import quoted

if TYPE_CHECKING:
    import pandas

TURNED = "Transposed: the rows of the file are the features, its columns the samples."
_FAR_MORE = 10  # times as many rows as columns are unusual where features outnumber samples


def turned_hint(target: str | None, first_cells: Sequence[Any], n_columns: int) -> str | None:
    """A sentence if the file seems to have its samples as columns, else None.

    `first_cells` are those of the first column, where feature names would be.
    """
    if target is not None and target in first_cells:
        return (
            f"But a row has that name, {quoted(target)}: are the samples the columns? "
            "Then read it transposed."
        )
    if far_more_rows(len(first_cells), n_columns) and _are_names(first_cells):
        return (
            f"It has {len(first_cells)} rows with names, and {n_columns} columns: if the samples "
            "are the columns, read it transposed."
        )
    return None


def far_more_rows(n_rows: int, n_columns: int) -> bool:
    """Whether there are so many more that rows and columns may have changed places."""
    return n_rows >= _FAR_MORE * n_columns


def turned(
    parts: Iterable[pandas.DataFrame], labels: Collection[str], decimal: str = "."
) -> tuple[pandas.DataFrame, list[str]]:
    """Samples as rows, and the names of the columns, which the first column of the file holds.

    The file comes in parts of some rows each. Rows named in `labels` and other rows with text are
    put first. Where a class is text, pandas has read all other cells of the part's columns as text
    too, so that they are converted here.
    """
    import pandas

    numbers: list[pandas.DataFrame] = []
    text: list[pandas.Series] = []
    names: dict[str, list[str]] = {"numbers": [], "text": []}
    for part in parts:
        is_text = _turn_part(part, labels, decimal, numbers, text)
        for name, missing, in_text in zip(*_with_missing(part.iloc[:, 0]), is_text, strict=True):
            names["text" if in_text else "numbers"].append("" if missing else str(name))
    whole = pandas.concat([*text, *numbers], axis=1, ignore_index=True)
    return whole, names["text"] + names["numbers"]


def _turn_part(
    part: pandas.DataFrame,
    labels: Collection[str],
    decimal: str,
    numbers: list[pandas.DataFrame],
    text: list[pandas.Series],
) -> NDArray[np.bool_]:
    """Add the rows of a part to `numbers` and `text`, and say which ones are text."""
    import pandas

    is_text = np.array([str(name) in labels for name in part.iloc[:, 0].tolist()], dtype=bool)
    cells = [_plain(part.iloc[:, place], decimal) for place in range(1, part.shape[1])]
    try:
        block = _numbers(cells, ~is_text)
    except (ValueError, TypeError):
        is_text |= _rows_with_text(cells)
        block = _numbers(cells, ~is_text)
    numbers.append(pandas.DataFrame(block))
    text += [_inferred([column.iloc[row] for column in cells]) for row in np.flatnonzero(is_text)]
    return is_text


def _with_missing(column: pandas.Series) -> tuple[list[Any], list[bool]]:
    return column.tolist(), column.isna().tolist()


def _plain(column: pandas.Series, decimal: str) -> pandas.Series:
    if decimal == "." or column.dtype.kind in "biuf":
        return column
    return column.str.replace(decimal, ".", regex=False)


def _numbers(cells: Sequence[pandas.Series], rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    numbers = np.empty((len(cells), int(rows.sum())))
    for sample, column in enumerate(cells):
        # Objects are converted one by one, by Python's own exact rule.
        values = column.to_numpy(dtype=None if column.dtype.kind in "biuf" else object)
        numbers[sample] = values[rows].astype(np.float64)
    return numbers


def _rows_with_text(cells: Sequence[pandas.Series]) -> NDArray[np.bool_]:
    import pandas

    odd = [column.notna() & pandas.to_numeric(column, errors="coerce").isna() for column in cells]
    return np.any([column.to_numpy() for column in odd], axis=0)


def _inferred(values: list[Any]) -> pandas.Series:
    """One row of cells as a column: numbers if all of them are."""
    import pandas

    column = pandas.Series(values)
    try:
        return pandas.to_numeric(column)
    except (ValueError, TypeError):
        return column.infer_objects()


def _are_names(cells: Sequence[Any]) -> bool:
    return all(isinstance(cell, str) for cell in cells) and len(set(cells)) == len(cells)
