"""What the header of an array in an .npy or .npz file says, before the array is read."""

from __future__ import annotations

import tokenize
import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as npy

from fewest._memory import check_size
from fewest.tables._sizes import count_bytes

_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_header(archive: zipfile.ZipFile, key: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an array; a ValueError if its member cannot hold so much.

    NumPy reserves the memory that a header asks for before it looks at what follows.
    """
    member = _find_member(archive, key)
    check_size(member.file_size, f"its member {key[:40]!r}")
    with archive.open(member) as stream:
        shape, _, dtype = parse_header(stream, f"the array {key[:40]!r}")
        length = stream.tell()
    if not dtype.hasobject:
        there, needed = member.file_size - length, count_bytes(shape, dtype)
        if needed > there:
            check_size(needed, f"the array {key[:40]!r}")
            raise ValueError(f"the array {key[:40]!r} needs {needed} bytes, and has {there}")
    return shape, dtype


def parse_header(stream: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns come one after another, and type; a ValueError if it is damaged.

    NumPy reads the header as an expression of Python, which may fail in many ways.
    """
    version = npy.read_magic(stream)
    if version not in _READERS:
        raise ValueError(f"{name} has a header of version {version}")
    try:
        shape, by_columns, dtype = _READERS[version](stream)
    except (SyntaxError, tokenize.TokenError, TypeError, RecursionError) as error:
        raise ValueError(f"{name} has a damaged header") from error
    if min(shape, default=0) < 0:
        raise ValueError(f"{name} has the shape {shape}")
    return shape, by_columns, dtype


def _find_member(archive: zipfile.ZipFile, key: str) -> zipfile.ZipInfo:
    names = set(archive.namelist())
    return archive.getinfo(f"{key}.npy" if f"{key}.npy" in names else key)
