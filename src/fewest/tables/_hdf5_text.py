"""Whether the texts of an HDF5 file lie where it says that they do.

Text of any length lies in heaps; arrays and attributes hold its length and its place. The HDF5
library asks for as much memory as the length says, up to 4 GB, before it looks at the place, and
walks through a damaged heap for ever.
"""

from __future__ import annotations

import mmap
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import visible
from fewest.tables._hdf5_attributes import list_texts
from fewest.tables._hdf5_chunks import NotWholeError, list_chunks

_HEAP = b"GCOL"
_HEAP_HEADER = struct.Struct("<4sB3sQ")
_HEAP_OBJECT = struct.Struct("<HHIQ")
_PLACE = np.dtype([("length", "<u4"), ("heap", "<u8"), ("number", "<u4")])
_NUMBERS = 2**16  # objects of a heap are numbered with two bytes
_SIZES = (8, 8)  # bytes of an address and of a length, in any file of today


class TextCheck:
    """Checks texts of one file.

    Parameters
    ----------
    file : h5py.File
        The file.
    data : mmap.mmap
        Its bytes.

    Raises
    ------
    NotWholeError
        If a heap is damaged.
    """

    def __init__(self, file: Any, data: mmap.mmap) -> None:
        properties = file.id.get_create_plist()
        if properties.get_sizes() != _SIZES:
            raise NotWholeError("its addresses do not have eight bytes")
        self._base = int(properties.get_userblock())
        self._data = data
        keys, lengths = _list_objects(data, self._base)
        order = np.argsort(keys)
        self._keys, self._lengths = keys[order], lengths[order]

    def check_attributes(self, address: int, name: str) -> None:
        """Raise unless the texts among the attributes of a group or array are there.

        `address` is that of its header, which need not have been opened before.
        """
        try:
            texts = list_texts(self._data, self._base + address, self._base)
        except (struct.error, IndexError) as error:
            raise NotWholeError(f"the header of {visible(name)} is damaged") from error
        for attribute, places in texts:
            self._check(places, f"the attribute {visible(attribute)} of {visible(name)}")

    def check_array(self, array: Any) -> None:
        """Raise unless the texts of an array are there; nothing to do for other arrays."""
        import h5py

        kind = h5py.check_string_dtype(array.dtype)
        if kind is None or kind.length is not None or not array.size:
            return
        if array.chunks is not None:
            self._check(_unpack(array), visible(array.name))
        elif (start := array.id.get_offset()) is not None:
            end = start + array.size * _PLACE.itemsize
            self._check(self._data[start:end], visible(array.name))

    def _check(self, places: bytes, what: str) -> None:
        n_whole = len(places) // _PLACE.itemsize * _PLACE.itemsize
        found = np.frombuffer(places[:n_whole], dtype=_PLACE)
        found = found[found["length"] > 0]
        if not found.size:
            return
        within = (found["number"] < _NUMBERS) & (found["heap"] < len(self._data))
        keys = np.where(within, found["heap"] * _NUMBERS + found["number"], 0)
        where = np.minimum(np.searchsorted(self._keys, keys), max(self._keys.size - 1, 0))
        if not self._keys.size or not np.all(
            within & (self._keys[where] == keys) & (self._lengths[where] >= found["length"])
        ):
            raise NotWholeError(f"a text of {what} is not where the file says")


def _list_objects(data: mmap.mmap, base: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Where the objects of all heaps are (address and number in one), and how long."""
    keys: list[int] = []
    lengths: list[int] = []
    start = data.find(_HEAP)
    while start >= 0:
        for number, length in _walk(data, start):
            keys.append((start - base) * _NUMBERS + number)
            lengths.append(length)
        start = data.find(_HEAP, start + len(_HEAP))
    return np.array(keys, dtype=np.uint64), np.array(lengths, dtype=np.uint64)


def _walk(data: mmap.mmap, start: int) -> list[tuple[int, int]]:
    """Walk through a heap as the library will: every step must go forward."""
    if start + _HEAP_HEADER.size > len(data):
        return []  # four letters in other data
    _, version, reserved, n_bytes = _HEAP_HEADER.unpack_from(data, start)
    if version != 1 or reserved != b"\0\0\0":
        return []
    end = start + n_bytes
    if end > len(data):
        raise NotWholeError("a heap of text ends behind the file")
    place, found = start + _HEAP_HEADER.size, []
    while place + _HEAP_OBJECT.size <= end:
        number, _, _, size = _HEAP_OBJECT.unpack_from(data, place)
        step = size if number == 0 else _HEAP_OBJECT.size + -(-size // 8) * 8
        if step < _HEAP_OBJECT.size or place + step > end:
            raise NotWholeError("a heap of text is damaged")
        if number:
            found.append((number, size))
        place += step
    return found


def _unpack(array: Any) -> bytes:
    """The places of the texts of an array in chunks.

    The chunks are put as they are into an array of plain bytes in memory, with the same filters:
    so the library itself unpacks them, and takes no place for a text.
    """
    import h5py

    filters = array.id.get_create_plist()
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(array.chunks)
    for number in range(filters.get_nfilters()):
        code, flags, options, _ = filters.get_filter(number)
        properties.set_filter(code, flags, options)
    kind = h5py.h5t.create(h5py.h5t.OPAQUE, _PLACE.itemsize)
    kind.set_tag(b"places")
    places = np.empty(array.shape, dtype=f"V{_PLACE.itemsize}")
    with h5py.File("places", "w", driver="core", backing_store=False) as memory:
        space = h5py.h5s.create_simple(array.shape)
        copy = h5py.h5d.create(memory.id, b"places", kind, space, properties)
        for chunk in list_chunks(array):
            mask, packed = array.id.read_direct_chunk(chunk.chunk_offset)
            copy.write_direct_chunk(chunk.chunk_offset, packed, mask)
        copy.read(h5py.h5s.ALL, h5py.h5s.ALL, places, kind)
    return places.tobytes()
