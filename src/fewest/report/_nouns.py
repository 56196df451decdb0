"""What a page calls its rows and columns: samples and features, or volumes and voxels.

All sentences are written about samples and features. For other kinds of data the words are
replaced here, in the text of the templates and in sentences that were computed; never in names that
came with the data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from html import unescape
from typing import Any

# Of every kind of data, other words for these.
NOUNS: dict[str, Mapping[str, str]] = {
    "samples": {},
    "volumes": {"sample": "volume", "feature": "voxel"},
}
# "Support Feature Machine" is a name.
_WORD = re.compile(r"(?<!Support )\b([Ff]eature|[Ss]ample)(s|’s|s’)?\b(?! Machine)")

_TEXT = re.compile(r'>([^<]+)<|aria-label="([^"]+)"')


def rename(text: str, kind: str) -> str:
    """The sentence in the words of this kind of data."""
    words = NOUNS[kind]
    if not words:
        return text

    def replace(found: re.Match[str]) -> str:
        word = found[1]
        other = words.get(word.lower(), word.lower())
        return (other.capitalize() if word[0].isupper() else other) + (found[2] or "")

    return _WORD.sub(replace, text)


def rename_markup(markup: str, kind: str, names: Iterable[str] = ()) -> str:
    """A figure or card in these words, but for text that is one of the names as a whole."""
    if not NOUNS[kind]:
        return markup
    kept = set(names)
    return _TEXT.sub(
        lambda found: (
            found[0] if unescape(found[1] or found[2]) in kept else rename(found[0], kind)
        ),
        markup,
    )


class Words:
    """The sentences of a module in the words of this kind of data."""

    def __init__(self, module: Any, kind: str) -> None:
        self._module, self._kind = module, kind

    def __getattr__(self, name: str) -> Any:
        return self._rename(getattr(self._module, name))

    def _rename(self, found: Any) -> Any:
        if isinstance(found, str):
            return rename(found, self._kind)
        if isinstance(found, dict):
            return {key: self._rename(value) for key, value in found.items()}
        if callable(found):
            return lambda *given, **more: self._rename(found(*given, **more))
        return found


def rename_template(source: str, kind: str, lex: Callable[[str], Any]) -> str:
    """A template in these words: its text, and phrases in its expressions.

    `lex` is the lexer of Jinja. A string without a blank is a key and stays.
    """
    if not NOUNS[kind]:
        return source
    parts = []
    for _, token, value in lex(source):
        is_phrase = token == "string" and " " in value
        parts.append(rename(value, kind) if token == "data" or is_phrase else value)
    return "".join(parts)
