"""Bytes that were flipped, lost, added, overwritten or moved."""

from __future__ import annotations

import random


def damage(rng: random.Random, content: bytes) -> bytes:
    """The content with one kind of damage; flipped bits are the most likely one."""
    return rng.choice(_WAYS)(rng, content) if len(content) > 1 else rng.randbytes(9)


def flip_bits(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 3, 20))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content))]


def cut_out(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.randrange(1, 200) :]


def insert(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content))
    return content[:start] + rng.randbytes(rng.randrange(1, 50)) + content[start:]


def overwrite(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content))
    filling = rng.choice((b"\0", b"\xff", b"PK\x01\x02", b"PK\x05\x06")) * 8
    return (content[:start] + filling + content[start + len(filling) :])[: len(content)]


def swap_ends(rng: random.Random, content: bytes) -> bytes:
    middle = rng.randrange(1, len(content))
    return content[middle:] + content[:middle]


_WAYS = (flip_bits, flip_bits, truncate, cut_out, insert, overwrite, swap_ends)
