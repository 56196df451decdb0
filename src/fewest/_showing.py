"""Results that fit on the screen: what they are, not the numbers they hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from html import escape
from numbers import Integral, Real
from textwrap import wrap
from typing import Any

import numpy as np

from fewest._wording import cut, visible

_WIDTH = 100
_MOST_LINES = 9
_MOST_ENTRIES = 6  # of a short list that is shown as it is
_LONGEST_TEXT = 40
_LONGEST_LIST = 800
_MOST_DIGITS = 12
_KINDS = {
    "f": "floats",
    "i": "integers",
    "u": "integers",
    "b": "flags",
    "U": "texts",
    "O": "values",
}


class Shown:
    """Base of results, which are dataclasses: a short `repr`, and a table in notebooks.

    A class may say more with `_headline`, a sentence, and choose what follows it in `_facts`.
    """

    def _headline(self) -> str:
        """What the result says, in one line; nothing if its fields say it."""
        return ""

    def _facts(self) -> list[tuple[str, str]]:
        """Names and short values of what is shown: the fields, unless the class knows better."""
        return [
            (field.name, describe(getattr(self, field.name, None)))
            for field in fields(self)  # type: ignore[arg-type]
            if field.repr
        ]

    def __repr__(self) -> str:
        name, headline, facts = type(self).__name__, self._headline(), self._facts()
        if not headline:
            text = ", ".join(f"{label}={value}" for label, value in facts)
            return _fit(wrap(f"{name}({text})", _WIDTH, subsequent_indent="    "))
        width = max((len(label) for label, _ in facts), default=0)
        lines = [f"  {label.ljust(width)}  {value}" for label, value in facts]
        return _fit([f"{name}: {headline}", *lines])

    def _repr_html_(self) -> str:
        """The table of a notebook; what is printed, where the class prints a table of its own."""
        name = escape(type(self).__name__)
        if type(self).__str__ is not object.__str__:
            text = escape("\n".join(map(visible, str(self).splitlines())))
            return f"<div><strong>{name}</strong><pre>{text}</pre></div>"
        headline = escape(visible(self._headline()))
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(visible(label))}</th>'
            f'<td style="text-align:left">{escape(visible(value))}</td></tr>'
            for label, value in self._facts()
        )
        start = f"<strong>{name}</strong>{': ' if headline else ''}{headline}"
        return f"<div>{start}<table>{rows}</table></div>"


class Listed(tuple[Any, ...]):
    """A tuple that shows its first entries, and how many there are."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown: list[str] = []
        for entry in self:
            text = cut(" ".join(repr(entry).split()), 2 * _WIDTH)
            if shown and sum(map(len, shown)) + len(text) > _LONGEST_LIST:
                break
            shown.append(text)
        between = ",\n " if any(len(text) > _LONGEST_TEXT for text in shown) else ", "
        more = len(self) - len(shown)
        end = f"{between}... {more} more" if more else "," if len(self) == 1 else ""
        return f"({between.join(shown)}{end})"


def list_shortly(result: Any, *names: str) -> None:
    """Let these fields of a frozen result show their first entries only."""
    for name in names:
        object.__setattr__(result, name, Listed(getattr(result, name)))


def describe(value: Any, *, nested: bool = False) -> str:
    """A value in a few words: short ones as they are, others by their kind and size."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        whole = int(value)
        digits = whole.bit_length() * math.log10(2)
        return str(whole) if digits < _MOST_DIGITS else f"<{digits:.0f} digits>"
    if isinstance(value, Real):
        return f"{float(value):.6g}"
    if isinstance(value, str):
        return f"'{cut(value, _LONGEST_TEXT)}'"
    if isinstance(value, np.ndarray):
        return _describe_array(value)
    if isinstance(value, Mapping):
        return _describe_mapping(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return _describe_entries(value)
    if hasattr(value, "shape"):
        return f"<{' x '.join(map(str, value.shape))} {type(value).__name__}>"
    if isinstance(value, Shown) and not nested:
        inside = [
            f"{field.name}={describe(getattr(value, field.name, None), nested=True)}"
            for field in fields(value)  # type: ignore[arg-type]
            if field.repr
        ]
        text = f"{type(value).__name__}({', '.join(inside)})"
        return text if len(text) <= 2 * _WIDTH else f"<{type(value).__name__}>"
    return f"<{type(value).__name__}>"


def _describe_array(value: np.ndarray[Any, Any]) -> str:
    if value.ndim == 1 and value.size <= _MOST_ENTRIES:
        return _describe_entries(value.tolist())
    shape = " x ".join(map(str, value.shape))
    return f"<{shape} {_KINDS.get(value.dtype.kind, str(value.dtype))}>"


def _describe_mapping(value: Mapping[Any, Any]) -> str:
    text = ", ".join(f"{describe(key)}: {describe(entry)}" for key, entry in value.items())
    is_short = len(value) <= _MOST_ENTRIES and len(text) <= _WIDTH
    return f"{{{text}}}" if is_short else f"<{len(value)} entries>"


def _describe_entries(value: Iterable[Any]) -> str:
    entries = list(value)
    if not any(is_dataclass(one) for one in entries) and len(entries) <= _MOST_ENTRIES:
        text = ", ".join(describe(one) for one in entries)
        if len(text) <= _WIDTH:
            return f"[{text}]"
    kinds = {type(one).__name__ for one in entries}
    return f"<{len(entries)} {kinds.pop() if len(kinds) == 1 else 'entries'}>"


def _fit(lines: list[str]) -> str:
    shown = [line if len(line) <= _WIDTH else line[: _WIDTH - 3] + "..." for line in lines]
    if len(shown) > _MOST_LINES:
        shown = [*shown[: _MOST_LINES - 1], "    ..."]
    return "\n".join(shown)
