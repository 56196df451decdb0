r"""Docstrings are read at the prompt, too: |w|, coef_ and *shape mean themselves there.

reStructuredText would take them for a substitution, a link and emphasis. This puts a backslash
before them, in text only: not in formulas, code, or what stands between backticks.
"""

from __future__ import annotations

import re
from typing import Any

_LITERAL = re.compile(r"^\s*(\.\. (math|code|plot|code-block)::.*|[^.].*::|::)\s*$")
_CODE = re.compile(r"(``[^`]*``|:[\w:]+:`[^`]*`|`[^`]*`)")
# Names that end in an underscore, bars, and stars (of arguments) that no other one closes.
_OUTSIDE = re.compile(r"(?<=\w)_(?!\w)|(?<!\\)\||(?<![*\\\w])\*(?=\w)(?![^*]*\w\*)")


def escaped(lines: list[str]) -> list[str]:
    """The lines of a docstring, with a backslash where text would be taken for markup."""
    result, literal_indent, in_example = [], None, False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if literal_indent is not None and line.strip() and indent <= literal_indent:
            literal_indent = None
        is_text = literal_indent is None and not in_example
        if is_text and not line.lstrip().startswith(".."):
            parts = _CODE.split(line)
            parts[::2] = [_OUTSIDE.sub(r"\\\g<0>", part) for part in parts[::2]]
            line = "".join(parts)
        if is_text and _LITERAL.match(line):
            literal_indent = indent
        result.append(line)
    return result


def _process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = escaped(lines)


def setup(app: Any) -> dict[str, Any]:
    """Work on what numpydoc has made of a docstring."""
    app.connect("autodoc-process-docstring", _process, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
