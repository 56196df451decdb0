"""CSV and TSV: what the first lines say about the layout, then pandas for the whole file."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fewest._tables.errors import InputError
from fewest._tables.frame import check_columns, import_pandas, table_from_frame
from fewest._tables.table import Table
from fewest._tables.wording import counted, visible

if TYPE_CHECKING:
    import pandas

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon"}
_ROWS_LOOKED_AT = 6
# "None" is not among them: it is a fair name for a class.
_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class _Layout:
    """How the cells of a text table are told apart."""

    delimiter: str
    decimal: str
    names: list[str]


def read_text(
    file: Path, target: str | None, drop: Sequence[str], groups: str | None = None
) -> Table:
    """Read a table with a header line; see `fewest._tables.read`."""
    import_pandas(file)
    layout = _layout(file)
    check_columns(layout.names, target, drop, visible(file), groups)
    return table_from_frame(_frame(file, layout), layout.names, target, drop, file, groups)


def text_frame(file: Path) -> tuple[pandas.DataFrame, list[str]]:
    """All columns as they are, and their names."""
    import_pandas(file)
    layout = _layout(file)
    return _frame(file, layout), layout.names


def _frame(file: Path, layout: _Layout) -> pandas.DataFrame:
    try:
        return import_pandas(file).read_csv(
            file,
            engine="c",
            sep=layout.delimiter,
            decimal=layout.decimal,
            skipinitialspace=True,
            encoding="utf-8-sig",
            keep_default_na=False,
            na_values=list(_MISSING),
            low_memory=False,  # one type a column, also in long files
        )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged_gzip(file) from error
    except UnicodeDecodeError as error:
        raise _not_utf8(file) from error
    except ValueError as error:
        raise InputError(
            f"{visible(file)} is not a regular table: {_parser_message(error)}.\n"
            "Every row must have as many cells as the header."
        ) from error


def _layout(file: Path) -> _Layout:
    """Delimiter, decimal sign and column names from the first lines."""
    try:
        _refuse_binary(file)
        tables = {delimiter: _first_rows(file, delimiter) for delimiter in _DELIMITERS}
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged_gzip(file) from error
    except UnicodeDecodeError as error:
        raise _not_utf8(file) from error
    delimiter = max(tables, key=lambda key: _agreement(tables[key]))
    rows = tables[delimiter]
    if not rows:
        raise InputError(f"{visible(file)} holds no table: there is no header line.")
    names = rows[0]
    for row in rows[1:]:
        if len(row) > len(names):
            raise InputError(
                f"the header of {visible(file)} has {counted(len(names), 'name')}, but a row has "
                f"{counted(len(row), 'cell')} ({_DELIMITERS[delimiter]} as delimiter).\n"
                "Give every column a name; in R, write the file with row.names = FALSE."
            )
    return _Layout(delimiter, _decimal_sign(rows[1:], delimiter), names)


def _first_rows(file: Path, delimiter: str) -> list[list[str]]:
    with _open_text(file) as lines:
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            return list(islice((row for row in rows if row), _ROWS_LOOKED_AT))
        except csv.Error:  # a whole line as one cell is too long for it: not this delimiter
            return []


def _agreement(rows: list[list[str]]) -> tuple[bool, int]:
    """A delimiter is right if it cuts all rows into equally many cells, and into many."""
    widths = {len(row) for row in rows}
    return (len(widths) == 1 and widths != {1}, len(rows[0]) if rows else 0)


def _decimal_sign(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell for row in rows for cell in row]
    comma = any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells)
    return "," if comma and not any(map(_DECIMAL_POINT.fullmatch, cells)) else "."


def _open_text(file: Path) -> TextIO:
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    return opener(file, "rt", encoding="utf-8-sig", newline="")


def _refuse_binary(file: Path) -> None:
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    with opener(file, "rb") as stream:
        start = stream.read(4096)
    if b"\0" in start:
        raise InputError(
            f"{visible(file)} is not a text table: it holds binary data, or text in UTF-16.\n"
            "Save it as 'CSV UTF-8'."
        )


def _not_utf8(file: Path) -> InputError:
    return InputError(
        f"{visible(file)} is not a text table in UTF-8: it holds binary data, or another encoding."
        "\nSave it as 'CSV UTF-8'."
    )


def _damaged_gzip(file: Path) -> InputError:
    return InputError(
        f"{visible(file)} is damaged, or not a gzip file: it cannot be unpacked to its end.\n"
        "Copy or download it again."
    )


def _parser_message(error: ValueError) -> str:
    return visible(str(error).strip().removeprefix("Error tokenizing data. C error: "))
