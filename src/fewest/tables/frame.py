"""From a pandas data frame to a table: class column out, the rest as one array of numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, cut, first_and_last, listed, quoted, visible
from fewest.tables.errors import InputError, MissingPackageError
from fewest.tables.labels import NUMBER_TYPES, read_labels
from fewest.tables.table import Table, check_names, check_present, feature_positions
from fewest.tables.transposed import TURNED, far_more_rows, turned, turned_hint
from fewest.tables.wanted import Wanted

if TYPE_CHECKING:
    import pandas

# With a decimal comma, or with thousands set apart: '0,25', '1.234,5', "1'234.5", '1 234'.
_WRITTEN_NUMBER = r"\s*[-+]?(\d+|\d{1,3}([.,' \u00a0\u202f]\d{3})+)([.,]\d+)?([eE][-+]?\d+)?\s*"
_MOST_NAMED = 5
_UNNAMED = ""  # row names of R and the index of pandas: no features
_TEXT_TYPES = "OUST"


@dataclass(frozen=True)
class Cells:
    """A file as a data frame with a sample a row, and the names of its columns.

    The frame's own names may differ: pandas changes those that are repeated or missing.
    """

    frame: pandas.DataFrame
    names: list[str]
    notes: list[str] = field(default_factory=list)


def import_pandas(file: Path) -> ModuleType:
    """Pandas, or the advice to install it."""
    try:
        import pandas
    except ImportError as error:
        raise MissingPackageError(
            f'reading {visible(file)} needs pandas: pip install "fewest[cli]"'
        ) from error
    return pandas


def check_columns(
    names: Sequence[str],
    wanted: Wanted,
    origin: str,
    first_cells: Callable[[], Sequence[Any]] = list,
) -> None:
    """What the names alone can tell: done before a long file is read.

    `first_cells` fetches the first column, to see whether names are there instead.
    """
    check_names(names, origin, wanted.line)
    if wanted.target is None or wanted.target not in names:
        _refuse_target(names, wanted, origin, first_cells)
    check_present(wanted.labels, names, origin, wanted.line)
    if wanted.target in wanted.drop:
        raise InputError(
            f"to drop {quoted(wanted.target)} would leave out the class {wanted.line} itself.",
            argument="drop",
        )
    if wanted.groups == wanted.target:
        raise InputError(
            f"{quoted(wanted.groups)} cannot hold the classes and the groups: name another "
            f"{wanted.line}.",
            argument="groups",
        )
    _positions(names, wanted, origin)


def table_from_frame(
    frame: pandas.DataFrame,
    names: Sequence[str],
    wanted: Wanted,
    file: Path,
    *,
    notes: Sequence[str] = (),
) -> Table:
    """Split a frame whose columns have these names (pandas may have changed its own)."""
    origin = visible(file)
    if len(frame) == 0:
        raise InputError(f"{origin} has a header but no rows.")
    labels = read_labels(frame, names, wanted, origin)
    if labels.kept is not None:
        frame = frame[labels.kept]
    positions = _positions(names, wanted, origin)
    features = frame.iloc[:, positions]
    ids = _id_columns(features)
    if ids:
        id_names = [names[positions[place]] for place in ids]
        notes = [*notes, *_note_ids(id_names, positions[ids[0]] == 0, features.shape)]
        positions = [place for at, place in enumerate(positions) if at not in set(ids)]
        feature_positions([names[place] for place in positions], (), origin)
        features = frame.iloc[:, positions]
    feature_names = [names[position] for position in positions]
    return Table(
        X=numbers(features, feature_names, origin),
        y=labels.y,
        feature_names=feature_names,
        origin=origin,
        file=str(file),
        target=wanted.target,
        dropped=list(wanted.drop),
        notes=[*_note_unnamed(names, wanted.line), *notes, *labels.notes],
        groups=labels.groups,
    )


def table_from_turned(
    parts: Iterable[pandas.DataFrame],
    header: Sequence[str],
    wanted: Wanted,
    file: Path,
    *,
    decimal: str = ".",
    notes: Sequence[str] = (),
) -> Table:
    """The same where the samples are columns; the file comes in parts of some rows each."""
    cells = turned_cells(parts, header, wanted, file, decimal=decimal, notes=notes)
    check_columns(cells.names, wanted, visible(file), lambda: header)
    return table_from_frame(cells.frame, cells.names, wanted, file, notes=cells.notes)


def turned_cells(
    parts: Iterable[pandas.DataFrame],
    header: Sequence[str],
    wanted: Wanted,
    file: Path,
    *,
    decimal: str = ".",
    notes: Sequence[str] = (),
) -> Cells:
    """Samples as rows of a frame, where they are columns of the file."""
    if len(header) < 2:
        raise InputError(f"{visible(file)} has no columns but the names: there is no sample.")
    frame, names = turned(parts, wanted.labels, decimal)
    if not names:
        raise InputError(f"{visible(file)} has a header but no rows.")
    return Cells(frame, names, [*notes, TURNED])


def _refuse_target(
    names: Sequence[str], wanted: Wanted, origin: str, first_cells: Callable[[], Sequence[Any]]
) -> None:
    """Say what is wrong with the target, and whether rows and columns seem to be swapped."""
    hint = None
    if not wanted.transpose:
        hint = turned_hint(wanted.target, first_cells(), len(names))
    elif wanted.target in first_cells():
        hint = "But a column has that name: do not transpose the file."
    if wanted.target is None:
        raise InputError(
            f"say which {wanted.line} of {origin} holds the classes (target).\n"
            f"{hint or first_and_last(names, wanted.line)}",
            argument="transpose" if hint else "target",
        )
    if hint:
        raise InputError(
            f"{origin} has no {wanted.line} {quoted(wanted.target)} among its "
            f"{counted(len(names), wanted.line)}.\n{hint}",
            argument="transpose",
        )


def _positions(names: Sequence[str], wanted: Wanted, origin: str) -> list[int]:
    return feature_positions(names, {*wanted.labels, _UNNAMED}, origin)


def _id_columns(features: pandas.DataFrame) -> list[int]:
    """Places of text that is different in every row, and nowhere a number."""
    return [
        place
        for place, kind in enumerate(features.dtypes)
        if kind.kind in _TEXT_TYPES and _is_id(features.iloc[:, place])
    ]


def _is_id(column: pandas.Series) -> bool:
    import pandas

    # A measurement with one odd cell is text as well, but most of its cells are numbers; so is one
    # whose numbers are written in another way than those of the rest of the file.
    return bool(
        column.notna().all()
        and column.is_unique
        and pandas.to_numeric(column, errors="coerce").isna().all()
        and not column.astype(str).str.fullmatch(_WRITTEN_NUMBER).all()
    )


def _note_ids(names: list[str], at_the_front: bool, shape: tuple[int, int]) -> list[str]:
    notes = [f"Left out as an id, because every sample has its own text there: {listed(names)}."]
    if at_the_front and far_more_rows(*shape):
        notes.append(
            f"There are {shape[0]} samples, and {counted(shape[1] - len(names), 'feature')}: if "
            "the samples are columns of the file, read it transposed."
        )
    return notes


def numbers(features: pandas.DataFrame, names: Sequence[str], origin: str) -> NDArray[Any]:
    """The columns as one array; an error that names those with text."""
    kinds = list(features.dtypes)
    text = [position for position, kind in enumerate(kinds) if kind.kind not in NUMBER_TYPES]
    if text:
        raise _text_columns(features, names, text, origin)
    single = all(kind == np.float32 for kind in kinds)
    array = features.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)
    return np.ascontiguousarray(array)  # cross-validation takes rows out, many times


def _text_columns(
    features: pandas.DataFrame, names: Sequence[str], text: list[int], origin: str
) -> InputError:
    examples = ", ".join(
        f"{cut(names[position])} ('{cut(_first_text(features.iloc[:, position]), 20)}')"
        for position in text[:_MOST_NAMED]
    )
    more = f" and {len(text) - _MOST_NAMED} more" if len(text) > _MOST_NAMED else ""
    first = str(_first_text(features.iloc[:, text[0]]))
    signs = (
        " Numbers have one decimal sign, the same in the whole file, and no thousands separators."
        if re.fullmatch(_WRITTEN_NUMBER, first)
        else ""
    )
    return InputError(
        f"{origin} has text instead of numbers in {counted(len(text), 'feature column')}: "
        f"{examples}{more}.\n"
        f"Leave out what is no feature (drop {quoted(names[text[0]])}), or write numbers there."
        f"{signs}",
        argument="drop",
    )


def _first_text(column: pandas.Series) -> Any:
    """The first cell that is neither missing nor a number."""
    import pandas

    if column.dtype.kind not in _TEXT_TYPES:
        return column.iloc[0]
    odd = column.notna() & pandas.to_numeric(column, errors="coerce").isna()
    return column[odd].iloc[0] if odd.any() else column.iloc[0]


def _note_unnamed(names: Sequence[str], line: str) -> list[str]:
    places = [str(place + 1) for place, name in enumerate(names) if name == _UNNAMED]
    if not places:
        return []
    return [f"Left out, because it has no name: {line} {', '.join(places[:_MOST_NAMED])}."]
