"""CSV and TSV: the first lines show the layout, then pandas reads the whole file."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from fewest._cells import restore_cell
from fewest._memory import TooLargeError
from fewest._wording import counted, cut, visible
from fewest.tables._columns import MISSING_CELLS, import_pandas, make_frame, name_lines
from fewest.tables._errors import InputError
from fewest.tables._frame import NUMBER_KINDS, Frame, Request
from fewest.tables._geo import is_series_matrix, read_series_matrix
from fewest.tables._rounded import widen_whole_texts
from fewest.tables._sizes import check_gzip
from fewest.tables._written import settle_labels

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
_ROWS_LOOKED_AT = 6
_LONGEST_LINE = 2**28  # characters: names of ten million features
_SERIES_LENGTH = 16  # characters that show what kind of text file it is
_UTF_8, _WINDOWS = "utf-8-sig", "cp1252"
_AS_WINDOWS_TEXT = (
    "Read as Windows text (cp1252), because it is not in UTF-8: look at letters with accents."
)
_ROWS_AT_ONCE = 2000  # a row of text turns all rows that are read with it into text
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+([eE][+-]?\d+)?")


def read_text(file: Path, request: Request) -> Frame:
    """Read a table with a header line, in UTF-8 or in the encoding of European spreadsheets."""
    for encoding in (_UTF_8, _WINDOWS):
        with suppress(UnicodeDecodeError):
            return _read(file, request, encoding)
    raise _refuse_encoding(file)


def _read(file: Path, request: Request, encoding: str) -> Frame:
    """Read the table; errors in the middle of a file become InputErrors."""
    try:
        if file.suffix.lower() == ".gz":
            check_gzip(file)
        with _open(file, "rt", encoding=encoding, newline="") as lines:
            if is_series_matrix(lines.read(_SERIES_LENGTH)):
                lines.seek(0)
                return read_series_matrix(file, request, lines)
        names, layout = _find_layout(file, encoding)
        request = request.fit_header(names)
        parts: Iterable[Any]
        if request.transpose:
            parts = map(_restore_names, _parse(file, layout, chunksize=_ROWS_AT_ONCE))
        else:
            _check_names(file, names, layout, request)
            parts = [_parse_columns(file, names, layout, request)]
        frame = make_frame(
            parts,
            names,
            request,
            file,
            decimal=layout["decimal"],
            notes=[_AS_WINDOWS_TEXT] if encoding == _WINDOWS else [],
            list_texts=lambda: _list_texts(file, layout),
        )
        return replace(frame, get_label=lambda name: _restore(frame.get_label(name)))
    except (InputError, UnicodeDecodeError, TooLargeError):
        raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{visible(file)} is damaged, or not a gzip file: it cannot be unpacked to its end.\n"
            "Copy or download it again."
        ) from error
    except (ValueError, csv.Error) as error:
        reason = visible(str(error).strip().removeprefix("Error tokenizing data. C error: "))
        raise InputError(
            f"{visible(file)} is not a regular table: {reason}.\n"
            "Every row must have as many cells as the header."
        ) from error


def _parse_columns(file: Path, names: list[str], layout: dict[str, str], request: Request) -> Any:
    """The table with one type per column; that of labels is found with care."""
    roles = {names.index(name): role for name, role in request.roles.items() if name in names}
    cells = _parse(file, layout, dtype=dict.fromkeys(roles, str))
    for place, role in roles.items():
        if place < cells.shape[1]:
            column = cells.iloc[:, place]
            cells.isetitem(place, settle_labels(column, role, layout["decimal"]))
    others = [place for place in range(cells.shape[1]) if place not in roles]
    return widen_whole_texts(cells, others)


def _list_texts(file: Path, layout: dict[str, str]) -> Iterator[list[str]]:
    """The cells of every row below the header as they are written."""
    with _open(file, "rt", encoding=layout["encoding"], newline="") as lines:
        rows = csv.reader(lines, delimiter=layout["sep"], skipinitialspace=True)
        for row in islice((row for row in rows if row), 1, None):
            yield [restore_cell(row[0]), *row[1:]]


def _restore_names(part: Any) -> Any:
    """The names in the first column as they were before `fewest` protected them."""
    part.isetitem(0, _restore(part.iloc[:, 0]))
    return part


def _restore(column: Any) -> Any:
    return column if column.dtype.kind in NUMBER_KINDS else column.map(restore_cell)


def _check_names(file: Path, names: list[str], layout: dict[str, str], request: Request) -> None:
    """Refuse what the header shows to be wrong, before a long file is read."""
    # If lines were not split at all, a wrong delimiter explains more than a missing name.
    alone = len(names) == 1 and request.needs_classes and request.classes is None
    if alone and request.target not in names:
        raise InputError(
            f"the lines of {visible(file)} hold one cell each: {cut(names[0])}\n"
            "Write commas, tabs, semicolons or | between the cells, and one name per column."
        )

    def list_rows() -> list[Any]:
        return _parse(file, layout, usecols=[0]).iloc[:, 0].tolist()

    name_lines(names, request, file, list_rows).check(request)


def _parse(file: Path, layout: dict[str, str], **options: Any) -> Any:
    """The file as pandas reads it: a frame, or frames of some rows each."""
    pandas = import_pandas(file)
    # The same numbers as in other kinds of files; since pandas 3.1 this needs no option.
    version = tuple(map(int, pandas.__version__.split(".")[:2]))
    exact = {"float_precision": "round_trip"} if version < (3, 1) else {}
    return pandas.read_csv(
        file,
        engine="c",
        skipinitialspace=True,
        keep_default_na=False,
        na_values=MISSING_CELLS,
        low_memory=False,  # one type per column, even in long files
        **exact,
        **layout,
        **options,
    )


def _find_layout(file: Path, encoding: str) -> tuple[list[str], dict[str, str]]:
    """Column names from the first lines, and how pandas splits the lines into cells."""
    with _open(file, "rb") as stream:
        if b"\0" in stream.read(4096):
            raise _refuse_encoding(file)
    found = {delimiter: _read_rows(file, delimiter, encoding) for delimiter in _DELIMITERS}
    tables = {delimiter: rows for delimiter, rows in found.items() if rows is not None}
    if not tables:
        raise InputError(
            f"{visible(file)} is not a table: a cell of its first lines has more than "
            f"{csv.field_size_limit():,} characters.\nWrite commas, tabs, semicolons or | between "
            "the cells, and one line per sample."
        )
    delimiter = max(tables, key=lambda key: _rate(tables[key]))
    rows = tables[delimiter]
    if not rows:
        raise InputError(f"{visible(file)} holds no table: there is no header line.")
    names = [restore_cell(name) for name in rows[0]]
    if encoding == _WINDOWS and len(names) == 1:  # it reads any bytes as text, but not as a table
        raise _refuse_encoding(file)
    for row in rows[1:]:
        if len(row) > len(names):
            raise InputError(
                f"the header of {visible(file)} has {counted(len(names), 'name')}, but a row has "
                f"{counted(len(row), 'cell')} ({_DELIMITERS[delimiter]} as delimiter).\n"
                "Give every column a name; in R, write it with row.names = FALSE or col.names = NA."
            )
    decimal = _find_decimal_sign(rows[1:], delimiter)
    return names, {"sep": delimiter, "decimal": decimal, "encoding": encoding}


def _read_rows(file: Path, delimiter: str, encoding: str) -> list[list[str]] | None:
    """The first rows, split by this delimiter; None if it leaves a cell that is too long."""
    with _open(file, "rt", encoding=encoding, newline="") as text:
        lines = iter(lambda: text.readline(_LONGEST_LINE), "")  # a packed one may be endless
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            return list(islice((row for row in rows if row), _ROWS_LOOKED_AT))
        except csv.Error:
            return None


def _rate(rows: list[list[str]]) -> tuple[bool, int]:
    """How good a delimiter is: it should split all rows into equally many cells, and into many."""
    widths = {len(row) for row in rows}
    return (len(widths) == 1 and widths != {1}, len(rows[0]) if rows else 0)


def _find_decimal_sign(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell for row in rows for cell in row]
    comma = any(map(_DECIMAL_COMMA.fullmatch, cells))
    return "," if comma and not any(map(_DECIMAL_POINT.fullmatch, cells)) else "."


def _open(file: Path, mode: str, **options: Any) -> Any:
    opener: Any = gzip.open if file.suffix.lower() == ".gz" else open
    return opener(file, mode, **options)


def _refuse_encoding(file: Path) -> InputError:
    return InputError(
        f"{visible(file)} is not a text table in UTF-8: it holds binary data, or another encoding."
        "\nSave it as 'CSV UTF-8'."
    )
