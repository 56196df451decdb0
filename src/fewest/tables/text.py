"""CSV and TSV: what the first lines say about the layout, then pandas for the whole file."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO, TypeVar

from fewest._wording import counted, cut, visible
from fewest.tables.errors import InputError
from fewest.tables.frame import (
    Cells,
    check_columns,
    import_pandas,
    table_from_frame,
    table_from_turned,
    turned_cells,
)
from fewest.tables.table import Table
from fewest.tables.wanted import Wanted

Content = TypeVar("Content")

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
_ROWS_LOOKED_AT = 6
_UTF_8, _WINDOWS = "utf-8-sig", "cp1252"
_AS_WINDOWS_TEXT = (
    "Read as Windows text (cp1252), because it is not in UTF-8: look at letters with accents."
)
_ROWS_AT_ONCE = 2000
# "None" is not among them: it is a fair name for a class.
MISSING_CELLS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class _Layout:
    """How the cells of a text table are told apart."""

    delimiter: str
    decimal: str
    names: list[str]
    encoding: str

    @property
    def notes(self) -> list[str]:
        """What a reader should know about the file."""
        return [_AS_WINDOWS_TEXT] if self.encoding == _WINDOWS else []


def read_text(file: Path, wanted: Wanted) -> Table:
    """Read a table with a header line; see `fewest.tables.read`."""
    return _decoded(file, lambda encoding: _read(file, wanted, encoding))


def text_cells(file: Path, wanted: Wanted) -> Cells:
    """The same, but whatever the columns mean."""
    return _decoded(file, lambda encoding: _cells(file, wanted, encoding))


def _decoded(file: Path, read: Callable[[str], Content]) -> Content:
    """What is read as UTF-8 or, where that fails, as what spreadsheets in Europe write."""
    try:
        return read(_UTF_8)
    except UnicodeDecodeError:
        try:
            return read(_WINDOWS)
        except UnicodeDecodeError as error:
            raise _not_utf8(file) from error


def _read(file: Path, wanted: Wanted, encoding: str) -> Table:
    layout = _layout(file, encoding)
    with _parser_errors(file):
        if wanted.transpose:
            return table_from_turned(
                _parts(file, layout),
                layout.names,
                wanted,
                file,
                decimal=layout.decimal,
                notes=layout.notes,
            )
        _refuse_single_column(file, layout, wanted)
        check_columns(
            layout.names,
            wanted,
            visible(file),
            lambda: _parsed(file, layout, usecols=[0]).iloc[:, 0].tolist(),
        )
        frame = _parsed(file, layout)
    return table_from_frame(frame, layout.names, wanted, file, notes=layout.notes)


def _cells(file: Path, wanted: Wanted, encoding: str) -> Cells:
    layout = _layout(file, encoding)
    with _parser_errors(file):
        if not wanted.transpose:
            return Cells(_parsed(file, layout), layout.names, layout.notes)
        return turned_cells(
            _parts(file, layout),
            layout.names,
            wanted,
            file,
            decimal=layout.decimal,
            notes=layout.notes,
        )


def _parts(file: Path, layout: _Layout) -> Any:
    """Some rows at a time, so that a row of text makes few other rows look like text."""
    return _parsed(file, layout, chunksize=_ROWS_AT_ONCE)


def _parsed(file: Path, layout: _Layout, **options: Any) -> Any:
    """What pandas makes of the file: a frame, or frames of some rows each."""
    pandas = import_pandas(file)
    return pandas.read_csv(
        file,
        engine="c",
        sep=layout.delimiter,
        decimal=layout.decimal,
        skipinitialspace=True,
        encoding=layout.encoding,
        keep_default_na=False,
        na_values=list(MISSING_CELLS),
        low_memory=False,  # one type a column, also in long files
        **_exact(pandas),
        **options,
    )


def _exact(pandas: ModuleType) -> dict[str, str]:
    """The option for the same numbers as in other kinds of files: needed before pandas 3.1."""
    version = tuple(map(int, pandas.__version__.split(".")[:2]))
    return {"float_precision": "round_trip"} if version < (3, 1) else {}


@contextmanager
def _parser_errors(file: Path) -> Iterator[None]:
    """What can go wrong in the middle of a file, in words."""
    try:
        yield
    except (InputError, UnicodeDecodeError):
        raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged_gzip(file) from error
    except ValueError as error:
        raise InputError(
            f"{visible(file)} is not a regular table: {_parser_message(error)}.\n"
            "Every row must have as many cells as the header."
        ) from error


def _refuse_single_column(file: Path, layout: _Layout, wanted: Wanted) -> None:
    """Where nothing was cut, a wrong delimiter explains more than a missing name does."""
    if len(layout.names) == 1 and wanted.target not in layout.names:
        raise InputError(
            f"the lines of {visible(file)} hold one cell each: {cut(layout.names[0])}\n"
            "Write commas, tabs, semicolons or | between the cells, and one name a column."
        )


def _layout(file: Path, encoding: str) -> _Layout:
    """Delimiter, decimal sign and column names from the first lines."""
    try:
        _refuse_binary(file)
        tables = {delimiter: _first_rows(file, delimiter, encoding) for delimiter in _DELIMITERS}
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged_gzip(file) from error
    delimiter = max(tables, key=lambda key: _agreement(tables[key]))
    rows = tables[delimiter]
    if not rows:
        raise InputError(f"{visible(file)} holds no table: there is no header line.")
    names = rows[0]
    if encoding == _WINDOWS and len(names) == 1:  # any bytes are text to it, but no table
        raise _not_utf8(file)
    for row in rows[1:]:
        if len(row) > len(names):
            raise InputError(
                f"the header of {visible(file)} has {counted(len(names), 'name')}, but a row has "
                f"{counted(len(row), 'cell')} ({_DELIMITERS[delimiter]} as delimiter).\n"
                "Give every column a name; in R, write it with row.names = FALSE or col.names = NA."
            )
    return _Layout(delimiter, _decimal_sign(rows[1:], delimiter), names, encoding)


def _first_rows(file: Path, delimiter: str, encoding: str) -> list[list[str]]:
    with _open_text(file, encoding) as lines:
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


def _open_text(file: Path, encoding: str) -> TextIO:
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    return opener(file, "rt", encoding=encoding, newline="")


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
