"""Rules about features, as options: which are in or out, what they cost, which belong together.

Features are named on the command line as in the table; what is handed on are their numbers, which
estimators and the certified minimum take for data of any kind.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fewest._cells import restore_cell
from fewest._wording import counted, listed, near, quoted, visible
from fewest.cli._errors import CommandError
from fewest.cli._options import Group, Parser

_DELIMITERS = (",", "\t", ";", "|")
_SIGNS = {
    **dict.fromkeys(("1", "+1", "+", "up", "higher"), 1),
    **dict.fromkeys(("-1", "-", "down", "lower"), -1),
    **dict.fromkeys(("0", "", "either", "any"), 0),
}


def add_rule_options(parser: Parser) -> Group:
    """Options with rules about features."""
    group = parser.add_group("rules about features")
    group.option(
        "--include NAMES",
        "features that are always in, at no cost: names with commas between them; may be given "
        "several times",
        action="append",
        default=None,
    )
    group.option(
        "--exclude NAMES",
        "features that stay out, given in the same way",
        action="append",
        default=None,
    )
    group.option(
        "--feature-cost FILE",
        "table with a header line, the name of a feature in the first column and its price in the "
        "second, or FILE:COLUMN for another column; features that are not listed cost 1; where "
        "there is a C, it is per unit of the median price, so all prices times 100 change nothing",
    )
    group.option(
        "--feature-groups FILE",
        "table of the same form with groups (FILE, or FILE:COLUMN): a group is paid once, by the "
        "largest price in it; features that are not listed, or without a group, belong to none",
    )
    group.option(
        "--one-per-group", "select at most one feature of each of the groups; each has its price"
    )
    group.option(
        "--signs FILE",
        "table of the same form with 1 (or up) for features that must be higher in the second of "
        "two classes, -1 (or down) for those that must be lower, 0 for either",
    )
    return group


def read_rule_options(arguments: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Keyword arguments for estimators and `minimum_features`; empty if there are no rules.

    `names` are the features of the table. Features are given by number.
    """
    places = {name: place for place, name in enumerate(names)}
    given: dict[str, Any] = {}
    for rule in ("include", "exclude"):
        texts = getattr(arguments, rule)
        if texts:
            given[rule] = _find_all(f"--{rule}", texts, places)
    if arguments.feature_cost:
        cells = _read_cells("--feature-cost", arguments.feature_cost, places)
        given["feature_cost"] = {
            place: _read_price(cell, names[place]) for place, cell in cells.items() if cell
        }
    if arguments.feature_groups:
        groups: dict[str, list[int]] = {}
        for place, cell in _read_cells(
            "--feature-groups", arguments.feature_groups, places
        ).items():
            if cell:
                groups.setdefault(cell, []).append(place)
        given["feature_groups"] = groups
    if arguments.one_per_group:
        if not arguments.feature_groups:
            raise CommandError(
                "--one-per-group needs --feature-groups FILE, which says what belongs together."
            )
        given["one_per_group"] = True
    if arguments.signs:
        cells = _read_cells("--signs", arguments.signs, places)
        given["signs"] = {place: _read_sign(cell, names[place]) for place, cell in cells.items()}
    return given


def list_excluded(arguments: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """Options that leave excluded features out in commands that have no such rule."""
    places = {name: place for place, name in enumerate(names)}
    found = _find_all("--exclude", getattr(arguments, "exclude", None) or [], places)
    return [part for place in found for part in _drop(names[place])]


def _drop(name: str) -> list[str]:
    return [f"--drop={name}"] if name.startswith("-") else ["--drop", name]


def _find_all(option: str, texts: Sequence[str], places: dict[str, int]) -> list[int]:
    """Features of a list with commas; a name may hold commas itself."""
    found: list[int] = []
    for text in texts:
        parts = [text] if text in places else [part.strip() for part in text.split(",")]
        for name in filter(None, parts):
            found.append(_find(option, name, places))
    return list(dict.fromkeys(found))


def _find(option: str, name: str, places: dict[str, int]) -> int:
    if name not in places:
        raise CommandError(
            f"{option} names {quoted(name)}, which is not a feature of the table.\n"
            + near(name, list(places), "feature")
        )
    return places[name]


def _read_cells(option: str, text: str, places: dict[str, int]) -> dict[int, str]:
    """The cell of a column for each feature that a file names."""
    path, column = _part_column(text)
    header, *rows = _read_rows(option, path)
    shown = f"{option} {visible(path)}"
    if header[0] in places:
        raise CommandError(
            f"{shown} begins with {quoted(header[0])}, which is a feature.\n"
            "Its first line must name the columns, for example: feature,value"
        )
    if column is None:
        wanted = 1
    elif column in header[1:]:
        wanted = header.index(column, 1)
    else:
        raise CommandError(
            f"{shown} has no column {quoted(column)}.\n" + near(column, header[1:], "column")
        )
    cells: dict[int, str] = {}
    for row in rows:
        if len(row) != len(header):
            raise CommandError(
                f"{shown}: the header has {counted(len(header), 'cell')}, but a row has "
                f"{len(row)}: {listed(row)}.\nEvery row must have as many cells as the header."
            )
        place = _find(f"{shown}", row[0], places)
        if place in cells:
            raise CommandError(f"{shown} names {quoted(row[0])} twice.\nKeep one of its lines.")
        cells[place] = row[wanted]
    return cells


def _part_column(text: str) -> tuple[str, str | None]:
    """A file and the column of it that is meant, if one is named."""
    if Path(text).exists() or ":" not in text:
        return text, None
    path, _, column = text.rpartition(":")
    return (path, column) if Path(path).exists() else (text, None)


def _read_rows(option: str, path: str) -> list[list[str]]:
    """The cells of a text table with at least a header and two columns."""
    shown = f"{option} {visible(path)}"
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise CommandError(f"{shown}: there is no such file.\nCheck its name and folder.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{shown} is not a text file in UTF-8.\nSave it as such.") from None
    except OSError as error:
        raise CommandError(f"{shown} cannot be read: {error.strerror or error}.") from error
    lines = [line for line in lines if line.strip()]
    delimiter = next((sign for sign in _DELIMITERS if lines and sign in lines[0]), None)
    if delimiter is None:
        raise CommandError(
            f"{shown} is no table with two columns.\nIts lines must look like: feature,value"
        )
    return [
        [restore_cell(cell.strip()) for cell in row]
        for row in csv.reader(lines, delimiter=delimiter)
    ]


def _read_price(cell: str, name: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise CommandError(
            f"--feature-cost: the price of {quoted(name)} is {quoted(cell)}, which is no number."
        ) from None


def _read_sign(cell: str, name: str) -> int:
    if cell.lower() not in _SIGNS:
        raise CommandError(
            f"--signs: that of {quoted(name)} is {quoted(cell)}.\n"
            "Write 1 (higher in the second class), -1 (lower) or 0 (either)."
        )
    return _SIGNS[cell.lower()]
