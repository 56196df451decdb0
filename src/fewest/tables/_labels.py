"""Labels as text: without white space at their ends, and those that differ in case only."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import listed, quoted

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_MOST_SHOWN = 3


def tidy_labels(
    values: NDArray[Any], name: str, fold_case: bool = False
) -> tuple[NDArray[Any], list[str]]:
    """Labels without white space at their ends, and notes about that, upper case and numbers.

    With `fold_case`, labels that differ in case only become one, as most of them are written.
    """
    values, notes = strip_labels(values, name)
    if not _is_text(values):
        return values, notes
    spellings: dict[str, Counter[str]] = {}
    for label, count in Counter(values.tolist()).items():
        spellings.setdefault(label.casefold(), Counter())[label] = count
    usual = {key: counts.most_common(1)[0][0] for key, counts in spellings.items()}
    for key, counts in spellings.items():
        if len(counts) == 1:
            continue
        shown = f"{listed([quoted(one) for one in sorted(counts)])} of {quoted(name)}"
        notes.append(
            f"{shown} count as {quoted(usual[key])}."
            if fold_case
            else f"{shown} differ in upper and lower case only, and count as {len(counts)} "
            "different ones. If they are the same, fold their case (--fold-case)."
        )
    if fold_case:
        values = np.array([usual[label.casefold()] for label in values.tolist()])
    return values, [*notes, *_note_numbers(values, name)]


def _note_numbers(values: NDArray[Any], name: str) -> list[str]:
    """A note about labels that are one number, written in different ways."""
    spellings: dict[Decimal, list[str]] = {}
    for label in np.unique(values).tolist():
        if (number := read_number(label)) is not None:
            spellings.setdefault(number, []).append(label)
    same = [" and ".join(map(quoted, labels)) for labels in spellings.values() if len(labels) > 1]
    if not same:
        return []
    return [
        f"The same number is written in different ways in {quoted(name)}, and each way counts as a "
        f"label of its own: {listed(same, _MOST_SHOWN)}."
    ]


def read_number(label: str) -> Decimal | None:
    """The number that a label is, however it is written; None for other text."""
    return Decimal(label) if _NUMBER.fullmatch(label) else None


def strip_labels(values: NDArray[Any], name: str) -> tuple[NDArray[Any], list[str]]:
    """Labels without white space at their ends, and a note that says so."""
    if not _is_text(values):
        return values, []
    given = values.tolist()
    texts = [one.strip() for one in given]
    cut_off = sorted({one for one, text in zip(given, texts, strict=True) if one != text})
    if not cut_off:
        return values, []
    shown = listed([repr(one) for one in cut_off])
    note = f"White space at the ends of {quoted(name)} was taken away: {shown}."
    return np.array(texts), [note]


def _is_text(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "U" or (
        values.dtype.kind in "SO" and all(isinstance(one, str) for one in values.tolist())
    )
