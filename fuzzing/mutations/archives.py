"""Model files that somebody has changed: by hand, by accident, or to do harm."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable
from typing import Any

Member = tuple[str, bytes]


def members(content: bytes) -> list[Member]:
    """Names and contents of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def archive_of(
    parts: Iterable[Member], compression: int = zipfile.ZIP_STORED, mode: int = 0
) -> bytes:
    """An archive with valid checksums of these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in parts:
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            info.external_attr = mode << 16
            archive.writestr(info, content)
    return stream.getvalue()


def with_document(content: bytes, change: Callable[[Any], Any]) -> bytes:
    """The same file, its document changed (in place, or by what `change` returns).

    Arrays that nothing refers to any more are left out, as a careful forger would do.
    """
    parts = dict(members(content))
    document = json.loads(parts.pop("model.json"))
    changed = change(document)
    text = json.dumps(document if changed is None else changed)
    used = [(name, part) for name, part in parts.items() if f'"{name}"' in text]
    return archive_of([("model.json", text.encode()), *used])


def with_member(content: bytes, name: str, new: bytes) -> bytes:
    """The same file, one member replaced or added."""
    parts = dict(members(content))
    parts[name] = new
    return archive_of(parts.items())
