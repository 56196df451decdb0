"""Coloured and dim text for people: put in where text is made, out where no terminal shows it.

Headers are bold as well as coloured, so that the colour tells nothing by itself: every eye and
every background will do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TextIO

from fewest import _wording

_HEADER, _DIM, _USUAL = "\033[1;36m", "\033[2m", "\033[0m"
_CODES = re.compile("|".join(map(re.escape, (_HEADER, _DIM, _USUAL))))


def as_header(text: str) -> str:
    """For what one looks for first."""
    return f"{_HEADER}{text}{_USUAL}"


def dim(text: str) -> str:
    """For what one needs now and then: notes and times. Each line by itself, for pagers."""
    return "\n".join(f"{_DIM}{line}{_USUAL}" if line else line for line in text.split("\n"))


def plain(text: str) -> str:
    """The text without emphasis."""
    return _CODES.sub("", text)


def shown_on(stream: TextIO | None, text: str) -> str:
    """The text as this stream should have it: plain unless it is a terminal that wants more."""
    return text if _wants_emphasis(stream) else plain(text)


def _wants_emphasis(stream: TextIO | None) -> bool:
    """See no-color.org for the first rule; dumb terminals know no codes."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return stream is not None and stream.isatty()


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """First column to the left, the others to the right; the first row is the header."""
    first, *lines = _wording.aligned(rows).split("\n")
    return "\n".join([as_header(first), *lines])
