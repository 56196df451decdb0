"""Whether the chunks of an HDF5 array unpack to as many bytes as they should.

The library fills up what a chunk does not hold with whatever was in memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import product
from math import ceil, prod
from typing import Any

from fewest._wording import visible

# Numbers of filters, as the HDF5 group has registered them.
_GZIP, _SHUFFLE, _FLETCHER32, _SZIP, _NBIT, _SCALE_OFFSET, _LZF = 1, 2, 3, 4, 5, 6, 32000
_PACKERS = (_GZIP, _SZIP, _LZF)
# What these unpack to follows from the type of the array, whatever a chunk says.
_SETTLED_BY_TYPE = (_NBIT, _SCALE_OFFSET)
_CHECKSUM_BYTES = 4  # of the filter fletcher32, behind the packed bytes
_SIZE_BYTES = 4  # in front of what szip has packed
_ADDRESS_BYTES = 16  # length, heap and number of a text in it


class NotWholeError(ValueError):
    """A part of the file is missing, or does not have the size that it should."""


def measure_entry(array: Any) -> int:
    """Bytes of one entry in the file; text of any length lies elsewhere."""
    return _ADDRESS_BYTES if array.dtype.hasobject else int(array.id.get_type().get_size())


def count_chunks(array: Any) -> int:
    """How many chunks the array has if it is whole."""
    return prod(ceil(n / step) for n, step in zip(array.shape, array.chunks, strict=True))


def list_chunks(array: Any) -> list[Any]:
    """The chunks that there are, each with the place where it begins."""
    if not hasattr(array.id, "chunk_iter"):  # an older HDF5
        return [array.id.get_chunk_info(number) for number in range(array.id.get_num_chunks())]
    found: list[Any] = []
    array.id.chunk_iter(found.append)
    return found


class ChunkCheck:
    """Checks the chunks of one array, each of them once.

    Parameters
    ----------
    array : h5py.Dataset
        An array in chunks; texts and records with texts are not looked at.
    """

    def __init__(self, array: Any) -> None:
        self._n_bytes = prod(array.chunks) * measure_entry(array)
        self._filters = _list_filters(array)
        self._done: set[tuple[int, ...]] = set()

    def check(self, array: Any, place: tuple[int, ...]) -> None:
        """Raise a NotWholeError unless the chunk that begins there is whole."""
        if place in self._done:
            return
        name = visible(array.name)
        try:
            mask, packed = array.id.read_direct_chunk(place)
        except (OSError, RuntimeError, ValueError) as error:
            raise NotWholeError(f"a chunk of {name} is missing") from error
        applied = [one for number, one in enumerate(self._filters) if not mask >> number & 1]
        size = _measure(packed, applied, self._n_bytes, name)
        if size is not None and size != self._n_bytes:
            raise NotWholeError(
                f"a chunk of {name} does not have the {self._n_bytes} bytes that it needs"
            )
        self._done.add(place)

    def check_part(self, array: Any, *parts: slice) -> None:
        """Check the chunks that a part of the array lies in."""
        for place in _list_places(array.chunks, parts):
            self.check(array, place)


def _list_places(chunks: tuple[int, ...], parts: tuple[slice, ...]) -> Iterator[tuple[int, ...]]:
    starts = (
        range(part.start // step * step, part.stop, step)
        for part, step in zip(parts, chunks, strict=True)
    )
    return product(*starts)


def _list_filters(array: Any) -> list[int]:
    """The numbers of the filters, in the order of packing."""
    properties = array.id.get_create_plist()
    filters = [properties.get_filter(number)[0] for number in range(properties.get_nfilters())]
    known = (*_PACKERS, *_SETTLED_BY_TYPE, _SHUFFLE, _FLETCHER32)
    for number in filters:
        if number not in known:
            raise NotWholeError(
                f"{visible(array.name)} was packed by the filter {number}, whose chunks cannot be "
                "checked: write it again with gzip or lzf"
            )
    if sum(number in _PACKERS for number in filters) > 1:
        raise NotWholeError(f"{visible(array.name)} was packed twice: write it again with gzip")
    return filters


def _measure(packed: bytes, filters: list[int], n_bytes: int, name: str) -> int | None:
    """How many bytes a chunk unpacks to; None if that follows from the type."""
    for number in reversed(filters):
        if number in _SETTLED_BY_TYPE:
            return None
        if number == _FLETCHER32:
            if len(packed) < _CHECKSUM_BYTES:
                raise NotWholeError(f"a chunk of {name} cannot be unpacked")
            packed = packed[:-_CHECKSUM_BYTES]
        elif number in _PACKERS:
            if any(before in _SETTLED_BY_TYPE for before in filters):
                return None
            return _UNPACKED[number](packed, n_bytes, name)
    return len(packed)


def _measure_gzip(packed: bytes, n_bytes: int, name: str) -> int:
    unpacker = zlib.decompressobj()
    try:
        size = len(unpacker.decompress(packed, n_bytes + 1))
    except zlib.error as error:
        raise NotWholeError(f"a chunk of {name} cannot be unpacked") from error
    return size if unpacker.eof else -1


def _measure_szip(packed: bytes, _: int, name: str) -> int:
    return int.from_bytes(packed[:_SIZE_BYTES], "little")


def _measure_lzf(packed: bytes, n_bytes: int, name: str) -> int:
    """Walk through the runs of bytes and the repetitions of earlier ones, without copying them."""
    place, size, end = 0, 0, len(packed)
    try:
        while place < end and size <= n_bytes:
            control = packed[place]
            place += 1
            if control < 32:  # as many bytes as they are, and one more
                size += control + 1
                place += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += packed[place]
                place += 1
            back = ((control & 31) << 8 | packed[place]) + 1
            place += 1
            if back > size:
                raise NotWholeError(f"a chunk of {name} cannot be unpacked")
            size += length + 2
    except IndexError:
        return -1
    return size if place == end else -1


_UNPACKED = {_GZIP: _measure_gzip, _SZIP: _measure_szip, _LZF: _measure_lzf}
