"""Excel workbooks: damaged bytes, members that are missing or swapped, and changed XML."""

from __future__ import annotations

import io
import random
import re
import zipfile
from functools import cache
from pathlib import Path

import pandas

from fuzzing.mutations.archives import archive_of, members
from fuzzing.mutations.raw import damage
from fuzzing.tables import NAMES, TARGET, check_file, small_table

_VALUES = (
    *(b"", b"-1", b"0", b"1", b"99999", b"1048577", b"XFD1", b"A1", b"A0", b"1e999", b"nan"),
    *(b"inf", b"1E5", b"s", b"str", b"inlineStr", b"b", b"e", b"d", b"#REF!", b"2020-01-01"),
    *(b"&#0;", b"&amp;", b"&x;", b"x" * 40_000, b"\xff", b"rId9", b"../x.xml", b"/etc/passwd"),
)
_ATTRIBUTE = re.compile(rb'"[^"<>]*"')
_TEXT = re.compile(rb">[^<>]+<")
_TAG = re.compile(rb"<[^<>]+>")


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"xlsx {case}")
    path = folder / "table.xlsx"
    content = _whole(rng.random() < 0.3)
    if rng.random() < 0.35:
        content = damage(rng, content)
    else:
        parts = dict(members(content))
        for _ in range(rng.choice((1, 1, 2, 5))):
            _change(rng, parts)
        content = archive_of(parts.items(), rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    path.write_bytes(content)
    check_file(path, rng, transpose=rng.random() < 0.1)


@cache
def _whole(two_sheets: bool) -> bytes:
    X, y = small_table()
    frame = pandas.DataFrame(X, columns=NAMES)
    frame[TARGET] = y
    stream = io.BytesIO()
    with pandas.ExcelWriter(stream, engine="openpyxl") as writer:
        frame.to_excel(writer, sheet_name="data", index=False)
        if two_sheets:
            frame.head(3).to_excel(writer, sheet_name="more")
    return stream.getvalue()


def _change(rng: random.Random, parts: dict[str, bytes]) -> None:
    """One change; that of cells is the most likely one."""
    cells = [name for name in parts if "sheet1.xml" in name or "sharedStrings" in name]
    name = rng.choice(cells if cells and rng.random() < 0.6 else sorted(parts))
    match rng.randrange(8):
        case 0 if len(parts) > 1:
            del parts[name]
        case 1:
            other = rng.choice(sorted(parts))
            parts[name], parts[other] = parts[other], parts[name]
        case 2:
            parts[name] = damage(rng, parts[name]) if parts[name] else b"<"
        case 3 | 4:
            parts[name] = _replace(rng, _ATTRIBUTE, parts[name], b'"%s"')
        case 5 | 6:
            parts[name] = _replace(rng, _TEXT, parts[name], b">%s<")
        case _:
            parts[name] = _move_tags(rng, parts[name])


def _replace(rng: random.Random, pattern: re.Pattern[bytes], part: bytes, form: bytes) -> bytes:
    found = list(pattern.finditer(part))
    if not found:
        return part
    place = rng.choice(found)
    return part[: place.start()] + form % rng.choice(_VALUES) + part[place.end() :]


def _move_tags(rng: random.Random, part: bytes) -> bytes:
    """One tag deleted, doubled, or put elsewhere."""
    found = list(_TAG.finditer(part))
    if not found:
        return part
    place, other = rng.choice(found), rng.choice(found)
    without = part[: place.start()] + part[place.end() :]
    match rng.randrange(3):
        case 0:
            return without
        case 1:
            return part[: other.start()] + place.group() + part[other.start() :]
    return without[: other.start()] + place.group() + without[other.start() :]
