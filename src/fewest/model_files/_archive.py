"""The container: a zip archive of one document and .npy arrays, none of them compressed.

What is not compressed cannot unpack to more than the file itself: no member is larger than the
part of the file that holds it, and that is checked before anything is read.
"""

from __future__ import annotations

import io
import math
import os
import re
import stat
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from fewest.model_files._errors import attempt, damaged, demand

DOCUMENT = "model.json"
_ARRAY_NAME = re.compile(r"a(0|[1-9][0-9]{0,8})\.npy")
_DTYPE = re.compile(r"[|<>]b1|[|<>][iu][1248]|[<>]f[248]|[<>|]U[0-9]{1,9}|\|S[0-9]{1,9}")
_HEADER_START = 10  # magic, version and length come before
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([!-~]{2,12})', 'fortran_order': (True|False), "
    rb"'shape': \((|[0-9]{1,18},|[0-9]{1,18}, [0-9]{1,18})\), \} *\n",
    re.DOTALL,
)
_LARGEST_DOCUMENT = 64 * 2**20
_OLDEST = (1980, 1, 1, 0, 0, 0)  # no clock time: equal models make equal files
_ENCRYPTED = 0x1
_LAST_CHARACTER = 0x10FFFF


def name_array(number: int) -> str:
    """What the array of this number is called in the archive."""
    return f"a{number}.npy"


def is_storable(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of this type are plain numbers, truth values or text of fixed width."""
    return dtype.names is None and _DTYPE.fullmatch(dtype.str) is not None


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a model; nothing but its list of members is read."""
    if not os.path.isfile(path):  # to open a pipe is to wait for whoever writes to it
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return DOCUMENT in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def pack(document: bytes, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The archive as bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_member(DOCUMENT), document)
        for name, array in arrays.items():
            stream = io.BytesIO()
            npy.write_array(stream, array, version=(1, 0), allow_pickle=False)
            archive.writestr(_member(name), stream.getvalue())
    return content.getvalue()


def unpack(content: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The document and the arrays, as bytes; every member is checked against its checksum."""
    read = attempt("it is not a complete zip archive", _read_members, content)
    return read.pop(DOCUMENT), read


def read_array(name: str, content: bytes) -> NDArray[Any]:
    """An array from the bytes of an .npy file, whose header must fit its length exactly."""
    # NumPy's own parser of headers evaluates Python literals; this one knows a single form.
    header = _HEADER.match(content)
    if header is None or header.end() != _HEADER_START + int.from_bytes(content[8:10], "little"):
        raise damaged(f"the array {name} has no header of an .npy file of version 1.0")
    descr, fortran_order, lengths = (part.decode("ascii") for part in header.groups())
    shape = tuple(int(length) for length in lengths.split(",") if length)
    what = f"the array {name} is of the type {descr}"
    demand(_DTYPE.fullmatch(descr) is not None, f"{what}, not of numbers or text")
    dtype = np.dtype(descr)
    demand(dtype.itemsize > 0, f"{what}, which has no size")
    n_bytes = len(content) - header.end()
    demand(
        math.prod(shape) * dtype.itemsize == n_bytes,
        f"the header of the array {name} declares the shape {shape}, which does not fit the "
        f"{n_bytes} bytes that follow",
    )
    # A copy: aligned, writable, and without the rest of the file behind it.
    flat = np.frombuffer(content, dtype, offset=header.end()).copy()
    _check_bits(name, flat)
    return flat.reshape(shape, order="F" if fortran_order == "True" else "C")


def _check_bits(name: str, flat: NDArray[Any]) -> None:
    """Not all bits make a truth value or a character."""
    if flat.dtype.kind == "b" and flat.view(np.uint8).max(initial=0) > 1:
        raise damaged(f"the array {name} holds truth values that are neither true nor false")
    if flat.dtype.kind == "U":
        codes = flat.view(flat.dtype.str[0].replace("|", "=") + "u4")
        exist = codes.max(initial=0) <= _LAST_CHARACTER
        demand(exist, f"the array {name} holds characters that do not exist")


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _OLDEST)
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    return member


def _read_members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        _check_members(members, len(content))
        return {member.filename: archive.read(member) for member in members}


def _check_members(members: list[zipfile.ZipInfo], n_bytes: int) -> None:
    names = [member.filename for member in members]
    demand(DOCUMENT in names, f"it holds no {DOCUMENT}, so it is not a model of fewest")
    demand(len(set(names)) == len(names), "it holds two members of the same name")
    for member in members:
        name, kind = member.filename, stat.S_IFMT(member.external_attr >> 16)
        is_part = name == DOCUMENT or _ARRAY_NAME.fullmatch(name) is not None
        demand(is_part, f"it holds {name[:40]!r}, which is no part of a model")
        demand(kind in (0, stat.S_IFREG), f"its member {name} is a link or a folder")
        is_plain = member.compress_type == zipfile.ZIP_STORED and not member.flag_bits & _ENCRYPTED
        demand(is_plain, f"its member {name} is compressed or encrypted, which models never are")
        is_one = member.file_size == member.compress_size
        demand(is_one, f"its member {name} declares two different sizes")
        is_small = name != DOCUMENT or member.file_size <= _LARGEST_DOCUMENT
        demand(is_small, f"its {DOCUMENT} is larger than {_LARGEST_DOCUMENT} bytes")
    declared = sum(member.file_size for member in members)
    demand(declared <= n_bytes, "its members declare more bytes than the file has")
