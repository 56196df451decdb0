"""A label for every volume, from a text file: one per line, or a column of a table."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._cells import restore_cell
from fewest._wording import counted, listed, near, quoted, visible
from fewest.cli._errors import CommandError

_DELIMITERS = (",", "\t", ";")
_NO_VALUE = ("", "n/a", "na", "none")
_USUAL_NAMES = (
    *("label", "labels", "condition", "conditions", "category", "categories", "class", "classes"),
    *("stimulus", "target", "targets", "trial_type", "run", "runs", "chunk", "chunks"),
    *("session", "sessions", "subject", "subjects", "participant", "participants"),
    *("participant_id", "group", "groups"),
)


@dataclass(frozen=True)
class LabelFile:
    """The cells of a text table, line by line; a header is one line more than volumes."""

    name: str
    rows: list[list[str]]

    @classmethod
    def read(cls, path: str) -> LabelFile:
        """Comma, tab or semicolon part the cells, whichever the first line has; else blanks do."""
        name = visible(path)
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
        except FileNotFoundError:
            raise CommandError(
                f"the file {name} does not exist.\nCheck its name and folder."
            ) from None
        except UnicodeDecodeError as error:
            raise CommandError(f"{name} is not a text file in UTF-8.\nSave it as such.") from error
        except OSError as error:
            raise CommandError(f"{name} cannot be read: {error.strerror or error}.") from error
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            raise CommandError(f"{name} is empty.\nWrite one label per line, one line per volume.")
        # Left out, one would move all later labels to the volume before.
        empty = next((number for number, line in enumerate(lines, 1) if not line.strip()), None)
        if empty is not None:
            raise CommandError(
                f"line {empty} of {name} is empty.\nEvery volume needs a value; take out lines "
                "that stand for none."
            )
        delimiter = next((sign for sign in _DELIMITERS if sign in lines[0]), None)
        if delimiter is None:
            rows = [line.split() for line in lines]
        else:
            rows = [
                [restore_cell(cell.strip()) for cell in row]
                for row in csv.reader(lines, delimiter=delimiter)
            ]
        return cls(name, rows)

    def column(self, wanted: str | None, n_volumes: int, option: str) -> NDArray[Any]:
        """The cells of a column, given by name or number (from 1); `option` names it."""
        header = self.rows[0] if len(self.rows) == n_volumes + 1 else None
        place = self._place(wanted, header, option)
        rows = self.rows if header is None else self.rows[1:]
        values = {row[place] for row in rows if place < len(row)}
        taken_for_a_volume = (
            header is None and len(rows) == n_volumes and _starts_with_a_header(rows, place)
        )
        not_a_name = header is not None and not _is_name(header[place], values)
        if len(rows) != n_volumes or taken_for_a_volume or not_a_name:
            header_too = " (the first looks like a header)" if taken_for_a_volume else ""
            raise CommandError(
                f"{self.name} has {counted(len(self.rows), 'line')}{header_too}, but the images "
                f"have {counted(n_volumes, 'volume')}.\n"
                "There must be one line per volume, in their order, and perhaps a header line."
            )
        first = 1 if header is None else 2
        for number, row in enumerate(rows, start=first):
            if place >= len(row) or not row[place]:
                raise CommandError(
                    f"line {number} of {self.name} has no cell in column {place + 1}.\n"
                    "Every volume needs a value."
                )
        return np.array([row[place] for row in rows])

    def _place(self, wanted: str | None, header: list[str] | None, option: str) -> int:
        width = len(self.rows[0])
        if wanted is None:
            if width > 1:
                raise CommandError(
                    f"{self.name} has {width} columns; the first line is: "
                    f"{listed(self.rows[0])}.\n"
                    f"Say which one by {option} NAME, or {option} 1 for the first."
                )
            return 0
        if header is not None and wanted in header:
            return header.index(wanted)
        if wanted.isdecimal():
            if not 1 <= int(wanted) <= width:
                raise CommandError(
                    f"{option} {visible(wanted)}: {self.name} has {counted(width, 'column')}.\n"
                    "Columns are counted from 1."
                )
            return int(wanted) - 1
        if header is None:
            raise CommandError(
                f"{option} {visible(wanted)}: {self.name} has {counted(len(self.rows), 'line')}, "
                "which leaves none for a header.\n"
                "Check the file, or give the number of the column (from 1)."
            )
        raise CommandError(
            f"{option} {visible(wanted)}: {self.name} has no column {quoted(wanted)}.\n"
            f"{near(wanted, header)}"
        )


def _is_name(cell: str, values: set[str]) -> bool:
    """A first line that looks like the others is no header, but a volume too many."""
    return cell not in values and not cell.isdecimal()


def _starts_with_a_header(rows: list[list[str]], place: int) -> bool:
    """Whether as many lines as volumes are a header and one too few, which moves all labels by one.

    That shows where numbers stand below a word, in any column, and where the word is a usual name.
    """
    first, *others = rows
    if first[place].lower() in _USUAL_NAMES and all(first[place] not in row for row in others):
        return True
    columns = [{row[number] for row in others if number < len(row)} for number in range(len(first))]
    return any(
        len(others) > 1 and values and all(map(_is_number, values)) and not _is_number(name)
        for name, values in zip(first, columns, strict=True)
        if name.lower() not in _NO_VALUE
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def convert_numbers(labels: NDArray[Any]) -> NDArray[Any]:
    """Runs 2 and 10 in that order; other names as they are."""
    try:
        return labels.astype(int)
    except ValueError:
        return labels


def read_region_names(path: str) -> dict[int, str]:
    """Names of the regions of an atlas: lines of a value and a name, or of names from 1 on."""
    rows = LabelFile.read(path).rows
    numbered = [row for row in rows if len(row) > 1 and row[0].isdecimal()]
    if numbered:
        return {int(value): " ".join(cells) for value, *cells in numbered}
    # Lists of nilearn's atlases begin with the background, which has the value 0.
    start = 0 if " ".join(rows[0]).lower() == "background" else 1
    return {value: " ".join(cells) for value, cells in enumerate(rows, start=start)}
