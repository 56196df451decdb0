"""Small pieces of text: safe names, short lists, counts with a noun, aligned tables."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Any

_LONGEST_NAME = 40
_MOST_LISTED = 5

PER_CHOICE = (
    "Each stands for a choice of groups, which are paid once: other features of these groups may "
    "do as well."
)


def visible(name: Any) -> str:
    """The name with line breaks, escape codes and the like spelled out."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in str(name)
    )


def cut(name: Any, width: int = _LONGEST_NAME) -> str:
    """The visible name, shortened at its end to the given width."""
    text = visible(name)
    return text if len(text) <= width else text[: width - 3] + "..."


def cut_apart(names: Sequence[Any], width: int = _LONGEST_NAME) -> list[str]:
    """The visible names, shortened at their ends as far as different ones stay different."""
    n_different = len({visible(name) for name in names})
    longest = max((len(visible(name)) for name in names), default=0)
    while width < longest and len({cut(name, width) for name in names}) < n_different:
        width += _LONGEST_NAME // 4
    return [cut(name, width) for name in names]


def quoted(name: Any) -> str:
    """The name as messages cite it."""
    return f"'{cut(name)}'"


def listed(names: Iterable[Any], most: int = _MOST_LISTED) -> str:
    """The first few names with commas between them, and how many more there are."""
    names = list(names)
    shown = ", ".join(cut(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def counted(number: int, noun: str) -> str:
    """'1 row', '3 rows'."""
    return f"{number} {noun if number == 1 else noun + 's'}"


def percent(share: float) -> str:
    """'12.5 %'."""
    return f"{100 * share:.1f} %"


def signed_points(share: float) -> str:
    """A difference of shares in percentage points: '+1.3', '-0.4', '0.0'."""
    points = round(100.0 * share, 1)
    return f"{points:+.1f}" if points else "0.0"


def four_digits(value: float) -> str:
    """'-1.570', '0.8400', '2303', '12346', '1.235e-07': zeros at the end are digits too."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    # Rounding comes first: 9.99996 is 10.00.
    exponent = int(f"{value:.3e}".partition("e")[2])
    if not -4 <= exponent <= 6:
        return f"{value:.3e}"
    return f"{value:.{max(0, 3 - exponent)}f}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """First column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(["", first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)


def near_names(name: str, names: Sequence[str]) -> list[str]:
    """The names that `name` may have meant, the closest first."""
    lowered: dict[str, str] = {}
    for candidate in names:
        lowered.setdefault(candidate.lower(), candidate)
    close = difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)
    return [lowered[match] for match in close]


def near(name: str, names: Sequence[str], line: str = "column") -> str:
    """A sentence with the names that `name` may have meant; else the first and the last ones."""
    close = near_names(name, names)
    if close:
        return f"Did you mean {' or '.join(map(quoted, close))}?"
    return first_and_last(names, line)


def first_and_last(names: Sequence[str], line: str = "column") -> str:
    """A sentence that shows what the columns (or rows) look like."""
    if len(names) <= _MOST_LISTED:
        return f"The {line}s are: {listed(names)}."
    return f"The first {line}s are: {listed(names[:3], 3)}; the last one is: {cut(names[-1])}."
