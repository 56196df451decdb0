"""Columns that say which samples belong together: ids that repeat, of patients for instance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._wording import listed, quoted
from fewest.tables._errors import InputError
from fewest.tables._frame import Frame, Request, is_sparse
from fewest.tables._rounded import is_unheld

if TYPE_CHECKING:
    import pandas

_OWNERS = (
    "patient|subject|subj|donor|participant|individual|person|proband|volunteer|animal|mouse|"
    "sample|specimen|case"
)
_IDS = "ids?|no|nr|num|number|code|name|identifier"
_OWNER = re.compile(
    rf"(?!cases?$)((id|no)[ _.-]?)?({_OWNERS})s?([ _.-]?({_IDS}))?|ids?|pid|mrn", re.IGNORECASE
)
_FEWEST_IDS = 3  # two values that repeat are a yes or no
BECAUSE = (
    "Samples of one patient belong together: without groups, folds would be tested on patients "
    "that they were trained on, and the error would be too small."
)


def is_owner(name: str) -> bool:
    """Whether a column of that name says whose samples they are."""
    return _OWNER.fullmatch(name.strip()) is not None


def may_be_groups(column: pandas.Series) -> bool:
    """Whether several entries of a column repeat."""
    known = column.dropna().map(str)
    return _FEWEST_IDS <= known.nunique() <= len(known) / 2


def repeats(values: Iterable[Any]) -> bool:
    """Whether the ids of owners, of which there are several, repeat."""
    texts = (str(one).strip() for one in values)
    known = [text for text in texts if text not in ("", "nan", "None", "<NA>")]
    return 1 < len(set(known)) < len(known)


def refuse_ids(frame: Frame, positions: Sequence[int], keep: Sequence[str]) -> None:
    """Raise an InputError if a feature seems to say which samples belong together.

    By its name, or because its entries are words with digits in them that repeat, as 'P07' does.
    """
    if isinstance(frame.cells, np.ndarray) or is_sparse(frame.cells):
        return
    names = frame.names.columns.names
    for place in positions:
        column, owns = frame.cells.iloc[:, place], is_owner(names[place])
        is_number = column.dtype.kind in "iuf"
        if names[place] in keep or not (owns or column.dtype.kind in "OUST"):
            continue
        if not (_is_whole(column) and repeats(column.tolist()) if owns else _are_codes(column)):
            continue
        start = (
            f"{frame.origin}: the values of {quoted(names[place])} repeat, as "
            f"{listed(column.dropna().unique().tolist(), 3)} do.\n"
        )
        if owns:
            kept = " If it is a measurement, keep it." if is_number else ""
            raise InputError(
                f"{start}{BECAUSE} Name the column as their groups.{kept}",
                choices=("groups", "keep") if is_number else ("groups",),
                column=names[place],
            )
        raise InputError(
            f"{start}If samples with the same value belong together, as those of one patient do, "
            "name the column as their groups. If they do not, leave it out.",
            choices=("groups", "drop"),
            column=names[place],
        )


def _is_whole(column: pandas.Series) -> bool:
    """Whether numbers, if it has any, may be ids."""
    known = column.dropna()
    return column.dtype.kind != "f" or bool(np.all(known == np.floor(known)))


def _are_codes(column: pandas.Series) -> bool:
    if not may_be_groups(column) or any(isinstance(cell, Real) for cell in column.dropna()):
        return False
    texts = column.dropna().map(str)
    # What is a number of too many digits is refused as such.
    return bool(texts.str.contains(r"\d").all()) and not any(map(is_unheld, texts))


def find_owners(frame: Frame, request: Request, features: Iterable[str]) -> list[str]:
    """What says which samples belong together, and is used neither as a feature nor as groups.

    Nothing where groups are named.
    """
    if request.groups is not None:
        return []
    names = frame.names
    own = names.columns.names if names.columns is names.ids else []  # of a table
    found = []
    for name in dict.fromkeys([*names.labels.names, *own]):
        if name not in {request.target, *features} and is_owner(name):
            with suppress(InputError):  # an array of another length says nothing about samples
                if repeats(frame.get_label(name).tolist()):
                    found.append(name)
    return found
