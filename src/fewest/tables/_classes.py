"""Classes in a second file: joined to the samples by their ids, in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fewest._types import IndexArray
from fewest._wording import counted, listed, quoted
from fewest.tables._errors import InputError
from fewest.tables._frame import Frame, Header, Ids, Label, make_ids

_MOST_SHOWN = 3
WORKBOOKS = (".xlsx", ".xlsm")


@dataclass(frozen=True, eq=False)
class ClassTable:
    """What a second file says about samples: columns by name, each with one entry per sample."""

    header: Header
    get_label: Callable[[str], Label]
    own_ids: tuple[Ids, ...] = ()  # that are no columns, such as obs_names

    @property
    def origin(self) -> str:
        return self.header.origin

    @cached_property
    def ids(self) -> list[Ids]:
        """Everything in the file that may be an id of a sample."""
        return [*self.own_ids, *(self._as_ids(name) for name in self.header.names)]

    def _as_ids(self, name: str) -> Ids:
        label: Any = self.get_label(name)
        return make_ids(name, label.tolist())

    def find_known(self, names: Sequence[str]) -> set[str]:
        """Which of these are ids, by the column that knows most of them."""
        found = [set(names).intersection(ids.values) for ids in self.ids]
        return max(found, key=len, default=set())

    def count_known(self, names: Sequence[str]) -> int:
        """How many of these are ids."""
        return len(self.find_known(names))

    def find_target(self) -> str | None:
        """The class column of a file with two columns: the one that is not the id."""
        names = [name for name in self.header.names if name]
        repeated = [ids.name for ids in self.ids if len(set(ids.values)) < len(ids)]
        if len(repeated) == 1 and (len(names) <= 2):
            return repeated[0]
        return None


def make_class_table(frame: Frame) -> ClassTable:
    """The labels of a file that was read as a frame."""
    labels = frame.names.labels
    outside = tuple(ids for ids in frame.find_ids() if ids.name not in labels.names)
    return ClassTable(labels, frame.get_label, outside)


def split_classes(text: str) -> tuple[Path, list[str]]:
    """FILE[:SHEET][:COLUMN] as the file, and what follows it."""
    whole, rest = text, list[str]()
    while not Path(whole).exists() and ":" in whole:
        whole, _, last = whole.rpartition(":")
        rest.insert(0, last)
    if not Path(whole).exists():  # the error is to name the file, not a column
        whole, *rest = text.split(":")
    if len(rest) > 2:
        raise InputError(
            f"{quoted(text)} has too many colons: name the classes as FILE, FILE:COLUMN or "
            "FILE:SHEET:COLUMN.",
            argument="classes",
        )
    return Path(whole), rest


def join_classes(frame: Frame, classes: ClassTable) -> Frame:
    """The samples that the second file knows, with its columns as their labels."""
    ids, of_classes = _match(frame, classes)
    places = {text: place for place, text in enumerate(of_classes.values)}
    rows: IndexArray = np.array([places.get(text, -1) for text in ids.values], dtype=np.intp)
    known = rows >= 0
    _refuse_repeated(ids.values[known], of_classes, classes)
    elsewhere = rows[known]

    def get_label(name: str) -> Label:
        if name in classes.header.names:
            label: Any = classes.get_label(name)
            return label[elsewhere] if isinstance(label, np.ndarray) else label.iloc[elsewhere]
        return frame.get_label(name)[known]

    kept = frame if known.all() else replace(frame, cells=frame.cells[known])
    notes = [*frame.notes, _describe(ids, of_classes, known, classes)]
    return replace(kept, get_label=get_label, ids=ids.take(known), notes=notes)


def _match(frame: Frame, classes: ClassTable) -> tuple[Ids, Ids]:
    """The ids of the samples and those of the second file that have most in common."""
    candidates = frame.find_ids()
    if not candidates:
        raise InputError(
            f"{frame.origin} has no column of ids to find its samples in {classes.origin}.\n"
            "Name the column whose entries are the samples' ids.",
            argument="ids",
        )
    n_shared, best = 0, (candidates[0], candidates[0])
    for ids in candidates:
        for others in classes.ids:
            shared = len(set(ids.values).intersection(others.values))
            if shared > n_shared:
                n_shared, best = shared, (ids, others)
    if n_shared == 0:
        raise InputError(
            f"no sample of {frame.origin} is in {classes.origin}: the samples are called "
            f"{listed(candidates[0].values, _MOST_SHOWN)}.\n{_show_columns(classes)} "
            "Write the same ids into both files, or name the column that has them.",
            argument="ids",
        )
    return best


def _show_columns(classes: ClassTable) -> str:
    shown = [
        f"{quoted(ids.name or 'its names')} holds {listed(ids.values, _MOST_SHOWN)}"
        for ids in classes.ids[:_MOST_SHOWN]
    ]
    return f"In {classes.origin} {'; '.join(shown)}."


def _refuse_repeated(wanted: Any, of_classes: Ids, classes: ClassTable) -> None:
    counts = Counter(of_classes.values)
    twice = [text for text in dict.fromkeys(wanted) if counts[text] > 1]
    if twice:
        raise InputError(
            f"{classes.origin} has {counted(len(twice), 'id')} in more than one row: "
            f"{listed(twice)}.\nKeep one row per sample."
        )


def _describe(ids: Ids, of_classes: Ids, known: Any, classes: ClassTable) -> str:
    """How the files were joined, and who is missing where."""
    by = f" by {quoted(of_classes.name)}" if of_classes.name else ""
    text = f"Joined with {classes.origin}{by}: {counted(int(known.sum()), 'sample')}."
    lacking = ids.values[~known]
    if len(lacking):
        text += f" Left out, because it does not have them: {listed(lacking)}."
    unused = [one for one in of_classes.values if one not in set(ids.values)]
    if unused:
        text += f" Only there: {listed(unused)}."
    return text
