"""Names of features that stand for several columns, and names that Excel made into dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest._types import IndexArray
from fewest._wording import counted, listed
from fewest.tables._errors import InputError
from fewest.tables._frame import is_sparse

WAYS = ("error", "mean", "max", "first", "suffix")
_SAID = {
    "mean": "their mean is used",
    "max": "the largest value of each sample is used",
    "first": "the first one is used",
    "suffix": "a number was added to each name",
}
_MONTHS = "jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez"
# '2-Sep', 'Sep-02', '2. Sep', '2023-09-02' and '2023-09-02 00:00:00' were SEPT2.
_DATE = re.compile(
    rf"\d{{1,2}}[-. ]+({_MONTHS})\.?(-\d{{2,4}})?|({_MONTHS})-\d{{1,4}}"
    r"|\d{4}-\d\d-\d\d( 00:00:00)?",
    re.IGNORECASE,
)


def merge_repeated(X: Any, names: list[str], how: str) -> tuple[Any, list[str], list[str]]:
    """The columns with one name each, their names, and a note of what was done."""
    first, which, counts = np.unique(
        np.array(names, dtype=object).astype(str),
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )[1:]
    if how == "error" or len(first) == len(names):
        return X, names, []
    order = np.argsort(first, kind="stable")  # groups by where their first column is
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    group = rank[which.ravel()]
    n_repeated = int(np.sum(counts > 1))
    repeated = [names[place] for place in np.sort(first[counts > 1])]
    note = (
        f"{counted(n_repeated, 'name')} had several columns of values: {_SAID[how]} "
        f"({listed(repeated)})."
    )
    if how == "suffix":
        return X, _number(names, set(repeated)), [note]
    kept = first[order]
    merged = _merge(X, group, kept, counts[order] > 1, how)
    return merged, [names[place] for place in kept], [note]


def _merge(X: Any, group: IndexArray, kept: IndexArray, several: Any, how: str) -> Any:
    """One column per group; only groups of several columns are computed."""
    merged = X[:, kept]
    if how == "first":
        return merged
    if is_sparse(X):
        raise InputError(
            "columns of a sparse table are not merged here: take the first of each name, or number "
            "them.",
            argument="duplicates",
        )
    if how == "mean" and merged.dtype.kind != "f":
        merged = merged.astype(np.float64)
    places = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[places], np.arange(len(kept) + 1))
    for one in np.flatnonzero(several):
        columns = X[:, places[starts[one] : starts[one + 1]]]
        merged[:, one] = columns.mean(axis=1) if how == "mean" else columns.max(axis=1)
    return merged


def _number(names: Sequence[str], repeated: set[str]) -> list[str]:
    """'TP53', 'TP53.2', 'TP53.3': numbers that no other name has already."""
    taken, seen, numbered = set(names), dict[str, int](), []
    for name in names:
        if name not in repeated:
            numbered.append(name)
            continue
        seen[name] = seen.get(name, 0) + 1
        new = name if seen[name] == 1 else f"{name}.{seen[name]}"
        while seen[name] > 1 and new in taken:
            seen[name] += 1
            new = f"{name}.{seen[name]}"
        taken.add(new)
        numbered.append(new)
    return numbered


def note_dates(names: Sequence[str]) -> list[str]:
    """A note about names that look as if Excel had turned gene symbols into dates."""
    dates = [name for name in names if name[:1].isalnum() and _DATE.fullmatch(name.strip())]
    if not dates or len(dates) > len(names) / 2:  # all of them: measurements at these dates
        return []
    return [
        "Names of features that look like dates, into which Excel turns gene symbols (2-Sep was "
        f"SEPT2, now SEPTIN2): {listed(dates)}. Take the names from the original file."
    ]
