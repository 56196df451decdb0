"""Whether an HDF5 file is whole, before a library reads it.

The HDF5 library believes what a file says about itself. A compressed chunk that unpacks to fewer
bytes than it should is filled up with whatever was in memory, chunks that are not there read as
zeros, and a damaged heap of text is walked through for ever.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from math import ceil, prod
from pathlib import Path
from typing import Any

from fewest._memory import check_size
from fewest._wording import visible

_HEAP = b"GCOL"
_HEAP_HEADER = struct.Struct("<4sB3sQ")
_HEAP_OBJECT = struct.Struct("<HHIQ")
_ADDRESS_BYTES = 16  # length, heap and number of a text in it
_CHECKSUM_BYTES = 4  # of the filter fletcher32, behind the compressed bytes


class NotWholeError(ValueError):
    """A part of the file is missing, or does not have the size that it should."""


def check_hdf5(file: Path) -> None:
    """Raise unless every array of an HDF5 file is there as a whole, and fits into memory.

    Raises
    ------
    NotWholeError
        With the reason.
    TooLargeError
        If all arrays together would take too much memory.
    OSError
        If it is no such file.
    """
    import h5py

    _check_heaps(file)
    arrays: list[Any] = []
    with h5py.File(file, "r") as content:

        def look(_: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset):
                arrays.append(item)
            else:
                _refuse_other_files(item, h5py.ExternalLink)

        _refuse_other_files(content, h5py.ExternalLink)
        content.visititems(look)
        needed = sum(max(_count_bytes(one), one.nbytes) for one in arrays)
        check_size(needed, f"{visible(file)}")
        for one in arrays:
            if one.size:
                _check_array(one)


def _refuse_other_files(group: Any, external: type) -> None:
    for name in group:
        if isinstance(group.get(name, getlink=True), external):
            raise NotWholeError(f"{visible(name)} lies in another file")


def _count_bytes(array: Any) -> int:
    """Bytes of an array in the file; text of any length lies elsewhere and counts as addresses."""
    return int(prod(array.shape or ()) * _measure_entry(array))


def _measure_entry(array: Any) -> int:
    return _ADDRESS_BYTES if array.dtype.hasobject else int(array.id.get_type().get_size())


def _has_known_size(array: Any) -> bool:
    """Numbers, and text alone; not references, nor records with text in them."""
    import h5py

    return not array.dtype.hasobject or h5py.check_string_dtype(array.dtype) is not None


def _check_array(array: Any) -> None:
    if array.external or array.is_virtual:
        raise NotWholeError(f"{visible(array.name)} lies in another file")
    if array.chunks is not None:
        _check_chunks(array)
    elif array.shape and array.id.get_storage_size() == 0:
        raise NotWholeError(f"{visible(array.name)} was never written")


def _check_chunks(array: Any) -> None:
    name = visible(array.name)
    n_bytes = prod(array.chunks) * _measure_entry(array)
    check_size(n_bytes, f"a chunk of {name}")
    wanted = prod(ceil(n / step) for n, step in zip(array.shape, array.chunks, strict=True))
    found = list(_list_chunks(array))
    if len(found) != wanted:
        raise NotWholeError(f"{name} has {len(found)} chunks of {wanted}")
    if not _has_known_size(array):
        return
    n_filters = array.id.get_create_plist().get_nfilters()
    for chunk in found:
        if n_filters == 0:
            size = chunk.size
        elif array.compression == "gzip" and chunk.filter_mask == 0:
            size = _unpack(array, chunk.chunk_offset, n_bytes)
        else:  # another filter, which checks this itself or is not known here
            continue
        if size != n_bytes:
            raise NotWholeError(
                f"a chunk of {name} does not have the {n_bytes} bytes that it needs"
            )


def _list_chunks(array: Any) -> Iterator[Any]:
    if not hasattr(array.id, "chunk_iter"):  # h5py before 3.8
        yield from (array.id.get_chunk_info(k) for k in range(array.id.get_num_chunks()))
        return
    found: list[Any] = []
    array.id.chunk_iter(found.append)
    yield from found


def _unpack(array: Any, place: tuple[int, ...], n_bytes: int) -> int:
    """How many bytes a compressed chunk unpacks to, or one more than it should."""
    _, packed = array.id.read_direct_chunk(place)
    packed = packed[:-_CHECKSUM_BYTES] if array.fletcher32 else packed
    unpacker = zlib.decompressobj()
    try:
        size = len(unpacker.decompress(packed, n_bytes + 1))
    except zlib.error as error:
        raise NotWholeError(f"a chunk of {visible(array.name)} cannot be unpacked") from error
    return size if unpacker.eof else -1


def _check_heaps(file: Path) -> None:
    """Walk through the heaps, which hold text, as the library will: every step must go forward."""
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = data.find(_HEAP)
        while start >= 0:
            _check_heap(data, start)
            start = data.find(_HEAP, start + len(_HEAP))


def _check_heap(data: mmap.mmap, start: int) -> None:
    if start % 8 or start + _HEAP_HEADER.size > len(data):
        return  # four letters in other data
    _, version, reserved, n_bytes = _HEAP_HEADER.unpack_from(data, start)
    if version != 1 or reserved != b"\0\0\0":
        return
    end = start + n_bytes
    if end > len(data):
        raise NotWholeError("a heap of text ends behind the file")
    place = start + _HEAP_HEADER.size
    while place + _HEAP_OBJECT.size <= end:
        number, _, _, size = _HEAP_OBJECT.unpack_from(data, place)
        step = size if number == 0 else _HEAP_OBJECT.size + -(-size // 8) * 8
        if step < _HEAP_OBJECT.size or place + step > end:
            raise NotWholeError("a heap of text is damaged")
        place += step
