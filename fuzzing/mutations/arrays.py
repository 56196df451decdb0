"""NumPy arrays in archives, with headers or values that lie."""

from __future__ import annotations

import random

from fuzzing.mutations.archives import archive_of


def change_header(rng: random.Random, array: bytes) -> bytes:
    """Another shape, type or order in the header, the bytes as they are."""
    header, end = array[10 : array.index(b"\n") + 1], array.index(b"\n") + 1
    old, new = rng.choice(
        (
            (b"<f8", b"|O8"),
            (b"<f8", b"<f4"),
            (b"<f8", b"<i8"),
            (b"<f8", b"<c8"),
            (b"<f8", b"<M8"),
            (b"<i8", b"<f8"),
            (b"<i8", b"<U2"),
            (b"|b1", b"|i1"),
            (b"False", b"True "),
            (b"'shape': (", b"'shape': (9"),
            (b"'shape': (", b"'shape': (-"),
            (b"'shape': (", b"'shape': (__import__('os').system('true'),"),
            (b"'shape'", b"'shaqe'"),
            (b"{", b"[" * 80),
        )
    )
    header = header.replace(old, new)[: len(header)].rstrip().ljust(len(header) - 1) + b"\n"
    return array[:10] + header + array[end:]


def change_arrays(rng: random.Random, parts: dict[str, bytes]) -> bytes:
    """An archive in which an array has another header, place or content, or is missing."""
    name, other = rng.choice(list(parts)), rng.choice(list(parts))
    way = rng.randrange(4)
    if way == 0 and name != "model.json":
        parts[name] = change_header(rng, parts[name])
    elif way == 1:
        parts[name], parts[other] = parts[other], parts[name]
    elif way == 2:
        del parts[name]
    elif name != "model.json" and parts[name]:
        content = bytearray(parts[name])
        for _ in range(8):
            content[rng.randrange(len(content))] = rng.choice((0, 1, 2, 0x7F, 0xFF))
        parts[name] = bytes(content)
    return archive_of(parts.items())
