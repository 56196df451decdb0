"""Cells of workbooks that are shown as percent, as the text that they show."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

_STYLES = "xl/styles.xml"
_USED_STYLES = re.compile(rb"<(\w+:)?cellXfs\b.*</(\w+:)?cellXfs>", re.DOTALL)
# 0% and 0.00% have numbers of their own; other formats are written as text.
_PERCENT_STYLE = re.compile(rb'numFmtId="(9|10)"')
_PERCENT_CODE = re.compile(rb'formatCode="[^"]*%')
_LITERAL = re.compile(r'"[^"]*"|\\.')  # shown as it is: 0"%" shows 12 as 12%


def write_shares(
    cells: pandas.DataFrame, file: Path, sheet: Any, places: Collection[int]
) -> pandas.DataFrame:
    """The cells of a sheet of openpyxl with '5%' where 0.05 is shown so, as other files have it.

    It changes the columns at these `places` only.
    """
    if not _may_have_percent(file):
        return cells
    looked_at = set(places)
    found: dict[int, list[int]] = {}
    for number, row in enumerate(sheet.rows):
        for place, cell in enumerate(row):
            is_number = type(cell.value) in (int, float)
            if is_number and place in looked_at and _is_percent(cell.number_format):
                found.setdefault(place, []).append(number)
    for place, rows in found.items():
        column = cells.iloc[:, place].astype(object)
        column.iloc[rows] = [_write_share(one) for one in column.iloc[rows]]
        cells.isetitem(place, column)
    return cells


def _may_have_percent(file: Path) -> bool:
    """Whether any style does: to look at the format of every cell takes as long as to read it."""
    with zipfile.ZipFile(file) as archive:
        if _STYLES not in archive.namelist():
            return False
        styles = archive.read(_STYLES)
    used = _USED_STYLES.search(styles)
    by_number = _PERCENT_STYLE.search(used.group() if used else styles)
    return bool(by_number or _PERCENT_CODE.search(styles))


def _is_percent(code: str | None) -> bool:
    return "%" in _LITERAL.sub("", code or "")


def _write_share(value: float) -> str:
    # By its digits: 0.07 * 100 is no 7.
    return f"{Decimal(repr(value)).scaleb(2):f}%"
