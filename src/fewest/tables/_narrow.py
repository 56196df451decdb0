"""A table narrowed to some of its classes, or to one class against all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fewest._wording import counted, listed, near_names
from fewest.tables._content import Table
from fewest.tables._errors import InputError


def keep_classes(table: Table, only: Sequence[str]) -> Table:
    """The samples of these classes."""
    wanted = {_find_class(table, name, "only") for name in only}
    if len(wanted) < 2:
        raise InputError(
            f"only {listed(only)} leaves one class: name two or more.", argument="only"
        )
    kept = np.isin(_as_text(table), list(wanted))
    others = sorted(set(_as_text(table)[~kept].tolist()))
    if not others:
        return table
    note = f"Left out: {counted(int(np.sum(~kept)), 'sample')} of other classes ({listed(others)})."
    return table.take(kept, notes=[*table.notes, note])


def oppose_rest(table: Table, name: str) -> Table:
    """Two classes: this one, and all others together."""
    label = _find_class(table, name, "one_vs_rest")
    text = _as_text(table)
    others = sorted(set(text.tolist()) - {label})
    y = np.where(text == label, label, name_rest(label))
    note = f"The class {label} against the rest: {listed(others)}."
    return replace(table, y=y.astype(str), notes=[*table.notes, note])


def name_rest(label: str) -> str:
    """What all other classes are called, beside one that may be called so itself."""
    return "rest" if label != "rest" else "not rest"


def _as_text(table: Table) -> Any:
    return np.array([str(label) for label in table.y.tolist()])


def _find_class(table: Table, name: str, argument: str) -> str:
    known = sorted(set(_as_text(table).tolist()))
    if name not in known:
        raise InputError(
            f"{table.origin} has no class {name!r} in {table.target!r}.\n"
            f"The classes are: {listed(near_names(name, known) or known)}.",
            argument=argument,
        )
    return name
