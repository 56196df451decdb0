"""Where the attributes of an HDF5 object keep their texts, read from the header of the object.

The library has no way to read an attribute without the texts it points to. What is read here is
described in the HDF5 File Format Specification, versions 1 to 3: headers of objects (IV.A.1),
datatypes (IV.A.2.d), attributes (IV.A.2.m), groups (IV.A.2.r) and their names (III.D). Attributes
that lie elsewhere (shared ones, and those of objects with very many) are left out.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from typing import NamedTuple

_OLD_HEADER = struct.Struct("<BxHIIxxxx")
_OLD_MESSAGE = struct.Struct("<HHBxxx")
_NEW_MESSAGE = struct.Struct("<BHB")
_BLOCK = struct.Struct("<QQ")
_ATTRIBUTE = struct.Struct("<BBHHH")
_NEW, _NEW_BLOCK, _CHECKSUM_BYTES = b"OHDR", b"OCHK", 4
_IS_ATTRIBUTE, _IS_BLOCK, _IS_GROUP = 0x0C, 0x10, 0x11
_NAMES, _NAMES_HEADER = b"HEAP", struct.Struct("<4s4xQ")  # of the members of a group
_IS_SHARED = 2  # among the flags of a message
_OF_ANY_LENGTH, _REFERENCE = 9, 7  # classes of datatypes
_MOST_BLOCKS = 1000  # damaged headers may go round in circles


class _Header(NamedTuple):
    """How the messages of a header are written."""

    blocks: list[tuple[int, int]]
    is_old: bool
    has_order: bool = False


def list_texts(data: mmap.mmap, start: int, base: int) -> list[tuple[str, bytes]]:
    """The names of attributes that are texts of any length, each with the places of its texts.

    Parameters
    ----------
    data : mmap.mmap
        The file.
    start : int
        Where the header of the object begins.
    base : int
        What addresses in the file count from.

    Raises
    ------
    struct.error, IndexError
        If the header does not end within the file, or an attribute is a list of any length of
        something else than references: h5py may crash when it reads that.
    """
    is_new = data[start : start + len(_NEW)] == _NEW
    header = _open_new(data, start) if is_new else _open_old(data, start)
    texts = []
    for place, size in _list_messages(data, header, base):
        text = _read_attribute(data[place : place + size])
        if text is not None:
            texts.append(text)
    return texts


def _open_old(data: mmap.mmap, start: int) -> _Header:
    _, _, _, size = _OLD_HEADER.unpack_from(data, start)
    return _Header([(start + _OLD_HEADER.size, size)], is_old=True)


def _open_new(data: mmap.mmap, start: int) -> _Header:
    flags = data[start + 5]
    place = start + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    n_bytes = 1 << (flags & 3)
    size = int.from_bytes(data[place : place + n_bytes], "little")
    return _Header([(place + n_bytes, size)], is_old=False, has_order=bool(flags & 4))


def _list_messages(data: mmap.mmap, header: _Header, base: int) -> Iterator[tuple[int, int]]:
    """Begin and length of the messages that are attributes, block by block."""
    form = _OLD_MESSAGE if header.is_old else _NEW_MESSAGE
    n_before = form.size + (2 if header.has_order else 0)
    for number, (place, n_bytes) in enumerate(header.blocks):
        if number > _MOST_BLOCKS:
            raise IndexError
        end = place + n_bytes
        if n_bytes < 0 or end > len(data):  # the library would make room for all of it
            raise IndexError
        while place + n_before <= end:
            kind, size, flags = form.unpack_from(data, place)
            place += n_before
            if place + size > end:
                raise IndexError
            if kind == _IS_ATTRIBUTE and not flags & _IS_SHARED:
                yield place, size
            elif kind == _IS_GROUP and not flags & _IS_SHARED:
                _check_names(data, base + _BLOCK.unpack_from(data, place)[1])
            elif kind == _IS_BLOCK:
                where, length = _BLOCK.unpack_from(data, place)
                where += base
                if not header.is_old:
                    where, length = where + len(_NEW_BLOCK), length - len(_NEW_BLOCK)
                    length -= _CHECKSUM_BYTES
                header.blocks.append((where, length))
            place += size


def _check_names(data: mmap.mmap, start: int) -> None:
    """Raise unless the names of a group fit into the file: the library makes room for them."""
    sign, n_bytes = _NAMES_HEADER.unpack_from(data, start)
    if sign != _NAMES or n_bytes > len(data):
        raise IndexError


def _read_attribute(message: bytes) -> tuple[str, bytes] | None:
    """Name and places of the texts; None if it is something else than texts of any length."""
    version, flags, n_name, n_kind, n_shape = _ATTRIBUTE.unpack_from(message)
    if version > 1 and flags & 1:
        return None  # of a shared datatype
    place = _ATTRIBUTE.size + (1 if version == 3 else 0)
    parts = []
    for size in (n_name, n_kind, n_shape):
        parts.append(message[place : place + size])
        place += -(-size // 8) * 8 if version == 1 else size
    name, kind, _ = parts
    if kind[0] & 15 != _OF_ANY_LENGTH:
        return None
    if kind[1] & 15 == 1:
        return name.rstrip(b"\0").decode(errors="replace"), message[place:]
    if kind[8] & 15 != _REFERENCE:
        raise IndexError
    return None
