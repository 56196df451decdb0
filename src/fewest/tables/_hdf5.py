"""Whether an HDF5 file is whole, before a library reads it.

The HDF5 library believes what a file says about itself. A compressed chunk that unpacks to fewer
bytes than it should is filled up with whatever was in memory, and chunks that are not there read
as zeros.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

from fewest._memory import check_size
from fewest._wording import visible
from fewest.tables._hdf5_chunks import (
    ChunkCheck,
    NotWholeError,
    count_chunks,
    list_chunks,
    measure_entry,
)
from fewest.tables._hdf5_text import TextCheck

_HOLD_MATRICES = ("dict", "anndata", "raw")  # kinds of groups that may hold sparse matrices


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

    with h5py.File(file, "r") as content, _mapped(file) as data:
        texts = TextCheck(content, data)
        arrays = list(_list_arrays(content, texts))
        needed = sum(max(_count_bytes(one), one.nbytes) for one in arrays)
        check_size(needed, f"{visible(file)}")
        for one in arrays:
            if one.size:
                _check_array(one)
                texts.check_array(one)


@contextmanager
def _mapped(file: Path) -> Iterator[mmap.mmap]:
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def _list_arrays(content: Any, texts: TextCheck) -> Iterator[Any]:
    """All arrays, each object being looked at before the library opens it."""
    import h5py

    root = int(h5py.h5o.get_info(content.id).addr)
    texts.check_attributes(root, "/")
    seen, groups = {root}, [content]
    while groups:
        group = groups.pop()
        for name in group:
            link = group.id.links.get_info(name.encode(errors="surrogateescape"))
            if link.type == h5py.h5l.TYPE_EXTERNAL:
                raise NotWholeError(f"{visible(name)} lies in another file")
            if link.type != h5py.h5l.TYPE_HARD or link.u in seen:
                continue
            seen.add(link.u)
            texts.check_attributes(int(link.u), f"{group.name.rstrip('/')}/{name}")
            item = group[name]
            if isinstance(item, h5py.Group):
                groups.append(item)
            elif isinstance(item, h5py.Dataset):
                yield item
        _refuse_odd_matrices(group)  # opens what is in the group


def _refuse_odd_matrices(group: Any) -> None:
    """A sparse matrix is no column of a table, nor the names of its categories.

    pandas would go through it before it is checked.
    """
    import h5py

    if group.attrs.get("encoding-type", "dict") in _HOLD_MATRICES:
        return
    for item in group.values():
        if isinstance(item, h5py.Group) and "indptr" in item:
            raise NotWholeError(
                f"{visible(item.name)} is a sparse matrix, which does not fit there"
            )


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
    found, wanted = list_chunks(array), count_chunks(array)
    if len(found) != wanted:
        raise NotWholeError(f"{name} has {len(found)} chunks of {wanted}")
    if _has_known_size(array):
        check = ChunkCheck(array)
        for chunk in found:
            check.check(array, chunk.chunk_offset)
