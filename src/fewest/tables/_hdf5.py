"""Whether an HDF5 file is whole, before a library reads it.

The HDF5 library believes what a file says about itself. A compressed chunk that unpacks to fewer
bytes than it should is filled up with whatever was in memory, chunks that are not there read as
zeros, and a damaged heap of text is walked through for ever.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

from fewest._memory import check_size
from fewest._wording import visible
from fewest.tables._hdf5_chunks import (
    ChunkCheck,
    NotWholeError,
    count_chunks,
    measure_entry,
)

_HEAP = b"GCOL"
_HEAP_HEADER = struct.Struct("<4sB3sQ")
_HEAP_OBJECT = struct.Struct("<HHIQ")


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
                _refuse_odd_columns(item)

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


def _refuse_odd_columns(group: Any) -> None:
    """A sparse matrix is no column of a table; pandas would go through it before it is checked."""
    import h5py

    if group.attrs.get("encoding-type") != "dataframe":
        return
    for column in group.values():
        if isinstance(column, h5py.Group) and "indptr" in column:
            raise NotWholeError(f"{visible(column.name)} is a sparse matrix instead of a column")


def _count_bytes(array: Any) -> int:
    """Bytes of an array in the file; text of any length lies elsewhere and counts as addresses."""
    return int(prod(array.shape or ()) * measure_entry(array))


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
    check_size(prod(array.chunks) * measure_entry(array), f"a chunk of {name}")
    found, wanted = list(_list_chunks(array)), count_chunks(array)
    if len(found) != wanted:
        raise NotWholeError(f"{name} has {len(found)} chunks of {wanted}")
    if _has_known_size(array):
        check = ChunkCheck(array)
        for chunk in found:
            check.check(array, chunk.chunk_offset)


def _list_chunks(array: Any) -> Iterator[Any]:
    if not hasattr(array.id, "chunk_iter"):  # an older HDF5
        yield from (array.id.get_chunk_info(k) for k in range(array.id.get_num_chunks()))
        return
    found: list[Any] = []
    array.id.chunk_iter(found.append)
    yield from found


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
