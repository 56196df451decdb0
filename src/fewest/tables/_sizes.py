"""How much memory a compressed file would take, found out without unpacking it into memory."""

from __future__ import annotations

import re
import zipfile
import zlib
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any
from xml.parsers import expat

from fewest._memory import check_size, get_limit
from fewest._wording import visible

_MOST_PER_BYTE = 1032  # that one byte of a deflated stream can stand for
_READ_AT_ONCE = 2**20
_BYTES_PER_CELL = 64  # of a sheet: an object of Python, its places in a list and in a frame
_BYTES_PER_VALUE = 8
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def check_gzip(file: Path) -> None:
    """Raise a TooLargeError if a gzip file holds more bytes than may be read.

    The file does not say how many there are: they are counted, unless there can be but few. A file
    that is damaged passes; whoever reads it says so.
    """
    limit = get_limit()
    if file.stat().st_size * _MOST_PER_BYTE <= limit:
        return
    total = 0
    with file.open("rb") as stream:
        unpacker = zlib.decompressobj(wbits=31)
        rest = stream.read(_READ_AT_ONCE)
        while rest:
            try:
                total += len(unpacker.decompress(rest, _READ_AT_ONCE))
            except zlib.error:
                return
            if total > limit:
                check_size(total, f"{visible(file)}, which holds more than is counted here,")
            rest = unpacker.unconsumed_tail
            if unpacker.eof:  # a gzip file may have several parts
                rest, unpacker = unpacker.unused_data, zlib.decompressobj(wbits=31)
            rest = rest or stream.read(_READ_AT_ONCE)


def check_zip(file: Path) -> None:
    """Raise a TooLargeError if the members of a zip archive hold more bytes than may be read.

    A BadZipFile if a member is longer, packed, than the file: zipfile would reserve that memory.
    """
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
    check_size(sum(one.file_size for one in members), visible(file))
    longest = max((one.compress_size for one in members), default=0)
    if longest > file.stat().st_size:
        raise zipfile.BadZipFile(f"a member of {longest:,} bytes is longer than the file")


def check_workbook(file: Path) -> None:
    """Raise a TooLargeError if a sheet spans so many cells that they do not fit into memory.

    A value in the last cell of a sheet makes a table of 17 thousand million cells.
    """
    check_zip(file)
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if _SHEET.fullmatch(member.filename):
                with archive.open(member) as stream:
                    rows, columns = _measure_sheet(stream)
                what = f"a sheet of {visible(file)} ({rows:,} rows and {columns:,} columns)"
                check_size(rows * columns * _BYTES_PER_CELL, what)


def check_parquet(file: Path) -> None:
    """Raise a TooLargeError if the columns of a Parquet file do not fit into memory."""
    try:
        import pyarrow.parquet
    except ImportError:  # pandas says what to install
        return
    with pyarrow.parquet.ParquetFile(file) as content:
        found = content.metadata
        parts = sum(found.row_group(k).total_byte_size for k in range(found.num_row_groups))
        cells = found.num_rows * found.num_columns * _BYTES_PER_VALUE
    check_size(max(parts, cells), visible(file))


def count_bytes(shape: tuple[int, ...], dtype: Any) -> int:
    """What an array of this shape takes, without the limits of NumPy's own numbers."""
    return prod(int(length) for length in shape) * int(dtype.itemsize)


def _measure_sheet(stream: Any) -> tuple[int, int]:
    """The last row and the last column of a sheet in which a cell is not empty."""
    rows = columns = 0
    place = (0, 0)

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal rows, columns, place
        kind = name.rpartition(":")[2]
        if kind == "row":
            given = attributes.get("r", "")
            place = (int(given) if given.isdecimal() else place[0] + 1, 0)
        elif kind == "c":
            found = _CELL.fullmatch(attributes.get("r", ""))
            if found is None:
                place = (place[0], place[1] + 1)
            else:
                place = (int(found[2]), _count_letters(found[1]))
        elif kind in ("v", "is", "f"):
            rows, columns = max(rows, place[0]), max(columns, place[1])

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    # Whoever reads the sheet says what is wrong with it.
    with suppress(expat.ExpatError, zipfile.BadZipFile, zlib.error, EOFError):
        parser.ParseFile(stream)
    return rows, columns


def _count_letters(letters: str) -> int:
    """'A' is 1, 'Z' 26, 'AA' 27."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
