"""Names in figures: in several lines rather than cut, and none on top of another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST_NAME = 24
_AFTER = " _-.,:;/|"  # where a long name may go on in the next line
_WORDS = re.compile(f"[{re.escape(_AFTER)}]")
_LEAST_APART = 0.045  # names below an axis, as a share of its width
_LETTERS_PER_INCH = 12.0
_SHARE_OF_AXES = 0.62  # of a figure with names at the left and a colour bar at the right
_MOST_LINES = 4  # of a name below its column
_MOST_UPRIGHT, _UPRIGHT_LETTERS, _INCHES_PER_LINE = 3, 30, 0.14


def short(name: Any) -> str:
    """A name that fits beside an axis and that matplotlib does not read as a formula."""
    name = " ".join(str(name).split())  # a line break would spill over its neighbours
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return _without_formulas(name)


def wrap(name: Any, width: int, lines: int) -> str:
    """The name in lines of at most `width` letters; beyond `lines` its middle is left out.

    Ends of names differ as often as beginnings do, those of transcripts or batches for instance.
    """
    text = " ".join(str(name).split())
    kept, pieces = min(len(text), width * lines), _break_lines(text, width)
    while len(pieces) > lines:
        kept -= 1
        head = -(-kept // 2)
        pieces = _break_lines(f"{text[:head]}…{text[len(text) - kept + head :]}", width)
    return _without_formulas("\n".join(pieces))


def name_classes(
    ax: Axes, places: ArrayLike, names: Sequence[Any], counts: Sequence[int] | None = None
) -> None:
    """Names below the columns: level where there is room, else slanted, or upright in lines.

    `counts` are written after the names, in parentheses.
    """
    places = np.asarray(places, dtype=np.float64)
    texts = [" ".join(str(name).split()) for name in names]
    after = [""] * len(texts) if counts is None else [f"({count})" for count in counts]
    inches = _SHARE_OF_AXES * ax.get_figure(root=True).get_figwidth()  # type: ignore[union-attr]
    gaps = _find_gaps(places, abs(np.subtract(*ax.get_xlim())))
    widths = [int(gap * inches * _LETTERS_PER_INCH) - 1 for gap in gaps]
    if all(map(_fits_level, texts, widths)):
        level = [wrap(text, width, _MOST_LINES) for text, width in zip(texts, widths, strict=True)]
        ax.set_xticks(places, [f"{one}\n{n}".rstrip() for one, n in zip(level, after, strict=True)])
        return
    texts = [f"{text} {n}".rstrip() for text, n in zip(texts, after, strict=True)]
    if max(map(len, texts)) <= _LONGEST_NAME:
        slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(places, list(map(_without_formulas, texts)), **slanted)
        return
    lines = max(1, min(_MOST_UPRIGHT, int(min(gaps) * inches / _INCHES_PER_LINE)))
    upright = [wrap(text, _UPRIGHT_LETTERS, lines) for text in texts]
    ax.set_xticks(places, upright, rotation=90, fontsize="small", multialignment="right")


def spread_places(places: FloatArray, width: float) -> FloatArray:
    """Increasing places of names on an axis of this width, moved so none covers the next."""
    least = width * min(_LEAST_APART, 1.0 / len(places))
    moved = np.array(places, dtype=np.float64)
    for place in range(1, len(moved)):
        moved[place] = max(moved[place], moved[place - 1] + least)
    last = width - least / 2.0
    for place in range(len(moved) - 1, -1, -1):
        moved[place] = last = min(moved[place], last)
        last -= least
    return moved


def _without_formulas(text: str) -> str:
    return text.replace("$", r"\$")


def _break_lines(text: str, width: int) -> list[str]:
    pieces = []
    while len(text) > width:
        # A space that would begin the next line ends this one just as well.
        after = width if text[width] == " " else max(text.rfind(c, 0, width) for c in _AFTER) + 1
        after = after if after > width // 3 else width
        pieces.append(text[:after].rstrip())
        text = text[after:].lstrip()
    return [*pieces, text]


def _find_gaps(places: FloatArray, width: float) -> list[float]:
    """How far the next name is from each one, as a share of the width of the axis."""
    if len(places) < 2:
        return [1.0] * len(places)
    steps = np.diff(places) / width
    return np.minimum(np.append(steps, np.inf), np.insert(steps, 0, np.inf)).tolist()


def _fits_level(text: str, width: int) -> bool:
    """Whether the name can be written in a few lines of this width without breaking a word."""
    longest = max(len(word) for word in _WORDS.split(text))
    return longest < max(width, 2) and len(_break_lines(text, width)) <= _MOST_LINES
