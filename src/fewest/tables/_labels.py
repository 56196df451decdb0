"""Labels as text: without white space at their ends, and those that differ in case only."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import listed, quoted


def tidy_labels(
    values: NDArray[Any], name: str, fold_case: bool = False
) -> tuple[NDArray[Any], list[str]]:
    """Labels without white space at their ends, and notes about that and about upper case.

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
    return values, notes


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
