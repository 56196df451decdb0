"""Cells of text tables that spreadsheets would run as formulas."""

from __future__ import annotations

import re
from typing import Any

# How a formula begins. A cell that already looks protected is protected once more, so that reading
# gives back what was written.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_PROTECTED = re.compile(r"'+[=+\-@\t\r]")


def protect_cell(value: Any) -> Any:
    """The cell, with an apostrophe before a text that a spreadsheet may take for a formula.

    Numbers, and text that is a number, stay as they are.
    """
    if not isinstance(value, str) or not _FORMULA.match(value) or _is_number(value):
        return value
    return f"'{value}"


def restore_cell(value: Any) -> Any:
    """The cell as it was before `protect_cell`."""
    if isinstance(value, str) and _PROTECTED.match(value):
        return value[1:]
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
