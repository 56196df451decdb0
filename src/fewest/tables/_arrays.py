"""From the columns of a frame to arrays: classes, groups, and features as numbers.

Of the features, ids are left out, and other text is refused.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, cut, listed, quoted
from fewest.tables._columns import is_no_number
from fewest.tables._errors import InputError
from fewest.tables._frame import (
    NUMBER_KINDS,
    Frame,
    Label,
    Request,
    is_far_more,
    is_sparse,
    require_some,
)
from fewest.tables._rounded import (
    explain_large,
    is_unheld,
    refuse_rounded,
)
from fewest.tables._together import may_be_groups

if TYPE_CHECKING:
    import pandas

# With a decimal comma or with thousands separators: '0,25', '1.234,5', "1'234.5", '1 234'.
_WRITTEN_NUMBER = r"\s*[-+]?(\d+|\d{1,3}([.,' \u00a0\u202f]\d{3})+)([.,]\d+)?([eE][-+]?\d+)?\s*"
_PLAIN_NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
# '12%', '12.5 %', '12,5%'; but '1,234%' may be any of two numbers.
_WRITTEN_PERCENT = r"\s*[-+]?\d+(\.\d+|,\d{1,2}|,\d{4,})?\s*%\s*"
_MANY_CLASSES = 20
_MOST_NAMED = 5
_TEXT_KINDS = "OUST"
_FEW_ROWS = 10  # among so few, whole numbers may count by chance
# '2021-03-04', '04.03.2021', '3/4/21', each perhaps with a time of day.
_WRITTEN_DATE = r"(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4})([T ]\d\d?:\d\d(:\d\d)?)?"
_REASONS = {
    "id": "Left out as an id, because every sample has its own text there: {}.",
    "date": "Left out, because there are dates in it: {}.",
    "counter": "Left out, because it only counts the rows (to keep it, name it in keep): {}.",
}
_WORDS = {"target": "class", "groups": "group", "covariates": "covariate"}


def leave_out_unlabelled(frame: Frame, request: Request) -> Frame:
    """The frame without samples that have no class or group, with a note that says so."""
    columns = [frame.get_label(name) for name in request.labels]
    unknown = np.any([_find_missing(column) for column in columns], axis=0)
    if unknown.all() or not unknown.any():
        return frame
    what = " or ".join(_WORDS[argument] for argument in dict.fromkeys(request.labels.values()))
    note = f"Left out, because they have no {what}: {unknown.sum()} of {len(unknown)} samples."
    return replace(
        frame,
        cells=frame.cells[~unknown],
        get_label=lambda name: frame.get_label(name)[~unknown],
        ids=None if frame.ids is None else frame.ids.take(~unknown),
        notes=[*frame.notes, note],
    )


def read_label(frame: Frame, request: Request, name: str) -> NDArray[Any]:
    """The classes, groups or covariate of that name: numbers or text, one per sample."""
    word = _WORDS[request.labels[name]]
    column = frame.get_label(name)
    missing = np.flatnonzero(_find_missing(column))
    if len(missing):
        across = "column" if request.transpose else "row"
        raise InputError(
            f"the {word} {frame.names.labels.line} {quoted(name)} of {frame.origin} has no value "
            f"in {counted(len(missing), across)} ({listed(missing + 1)}; empty, NA, NaN and null "
            f"count).\nFill it in or remove these {across}s. The first sample is number 1.",
            argument="missing" if request.needs_classes else None,
        )
    if isinstance(column, np.ndarray):
        return column
    if hasattr(column, "cat"):
        column = column.astype(column.cat.categories.dtype)
    if request.labels[name] == "covariates" and _has_percent(column):
        column = _read_shares(column)
    kind = column.dtype.kind
    if kind in NUMBER_KINDS:  # including pandas' types with missing values
        return column.to_numpy(dtype=bool if kind == "b" else np.dtype(f"{kind}8"))
    return np.array([str(label) for label in column.tolist()])


def _find_missing(column: Label) -> NDArray[np.bool_]:
    if not isinstance(column, np.ndarray):
        return column.isna().to_numpy()
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)


def check_classes(y: NDArray[Any], target: str, origin: str) -> None:
    """Raise an InputError unless y holds two or more classes (and not measurements or ids).

    Parameters
    ----------
    y : array of shape (n_samples,)
        The labels.
    target : str
        What the column (or array) of labels is called.
    origin : str
        What the file is called.
    """
    column = f"{quoted(target)} of {origin}"
    labels = np.unique(y)
    if len(labels) == 1:
        raise InputError(
            f"{column} holds only one class: {quoted(labels[0])}.\nTwo or more classes are needed."
        )
    fractional = y.dtype.kind == "f" and not np.all(np.isfinite(y) & (y == np.floor(y)))
    many = len(labels) > _MANY_CLASSES and len(labels) > len(y) / 2
    if fractional or (many and y.dtype.kind in NUMBER_KINDS):
        raise InputError(
            f"{column} looks like a number, not like a class: it has "
            f"{len(labels)} different values, such as {listed(labels.tolist(), 3)}.\n"
            "Name the column with the classes, or write the classes as words or whole numbers."
        )
    if many:
        raise InputError(
            f"{column} has {len(labels)} different values for {len(y)} samples, such as "
            f"{listed(labels.tolist(), 3)}.\nThat looks like an id: name the class column instead."
        )


def settle_ids(frame: Frame, request: Request) -> Frame:
    """The frame with the ids of its samples, if it names them.

    Ids that were asked for are taken even where some repeat, which a note says.
    """
    if frame.ids is not None:
        return frame
    candidates = frame.find_ids()
    found = [ids for ids in candidates if not ids.find_repeated()]
    if found or not candidates:
        return replace(frame, ids=found[0]) if found else frame
    [ids, *_] = candidates
    what = f"ids of {quoted(ids.name)}" if ids.name else "names of samples"
    repeated = f"Some {what} repeat: {listed(ids.find_repeated())}."
    if request.ids is not None:
        return replace(frame, ids=ids, notes=[*frame.notes, repeated])
    return replace(frame, notes=[*frame.notes, f"{repeated} So samples are numbered instead."])


def leave_out_text(frame: Frame, positions: list[int]) -> tuple[list[int], list[str]]:
    """The positions of columns without text, and a note that names the others."""
    if isinstance(frame.cells, np.ndarray) or is_sparse(frame.cells):
        return positions, []
    kinds = [dtype.kind for dtype in frame.cells.dtypes]
    text = [place for place in positions if kinds[place] not in NUMBER_KINDS]
    if not text:
        return positions, []
    names = [frame.names.columns.names[place] for place in text]
    note = f"Left out, because there is text in them: {listed(names)}."
    return require_some(sorted({*positions} - {*text}), frame.origin), [note]


def leave_out_ids(
    frame: Frame, positions: list[int], keep: Sequence[str] = (), *, joined: bool = False
) -> tuple[list[int], list[str]]:
    """The positions without ids, dates and row numbers, and notes of what was left out.

    What samples were `joined` by is no feature, even if it is a number. Columns to `keep` are
    features whatever they look like.
    """
    if isinstance(frame.cells, np.ndarray) or is_sparse(frame.cells):
        return positions, []
    names = frame.names.columns.names
    joined_by = frame.ids.name if joined and frame.ids is not None else None
    found: dict[str, list[int]] = {}
    for place in _list_doubtful(frame.cells, positions, joined_by, names):
        if names[place] in keep:
            continue
        kind = "id" if names[place] == joined_by else _looks_like(frame.cells.iloc[:, place])
        if kind:
            found.setdefault(kind, []).append(place)
    notes = [_REASONS[kind].format(listed(names[at] for at in found[kind])) for kind in found]
    left_out = {place for places in found.values() for place in places}
    if not left_out:
        return positions, []
    if 0 in found.get("id", ()) and is_far_more(len(frame.cells), len(positions)):
        notes.append(
            f"There are {len(frame.cells)} samples, and "
            f"{counted(len(positions) - len(left_out), 'feature')}: if the samples are columns of "
            "the file, read it transposed."
        )
    return require_some(sorted({*positions} - left_out), frame.origin), notes


def _list_doubtful(
    cells: pandas.DataFrame, positions: list[int], joined_by: str | None, names: Sequence[str]
) -> list[int]:
    """Columns that may be no measurements: in most others two cells show that they do not count."""
    kinds = [dtype.kind for dtype in cells.dtypes]
    counts = np.zeros(len(kinds), dtype=bool)
    if len(cells) >= _FEW_ROWS:
        numeric = [place for place in positions if kinds[place] in "iuf"]
        first = cells.iloc[:2, numeric].to_numpy(dtype=np.float64, na_value=np.nan)
        with np.errstate(over="ignore"):  # very large values differ by more than one
            counts[numeric] = np.diff(first, axis=0)[0] == 1
    return [
        place
        for place in positions
        if kinds[place] in _TEXT_KINDS + "M" or counts[place] or names[place] == joined_by
    ]


def _looks_like(column: pandas.Series) -> str:
    """What a column without measurements is (id, date, counter); nothing if it may have some."""
    if column.dtype.kind == "M":
        return "date"
    if column.dtype.kind in _TEXT_KINDS:
        return "id" if _is_id(column) else "date" if _are_dates(column) else ""
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    counts = numbers[0] == np.floor(numbers[0]) and np.all(np.diff(numbers) == 1)
    return "counter" if counts else ""


def _are_dates(column: pandas.Series) -> bool:
    # Bytes are no text to pandas, unless each is written by itself.
    return bool(column.dropna().map(str).str.fullmatch(_WRITTEN_DATE).all())


def _is_id(column: pandas.Series) -> bool:
    # A measurement with one odd cell is text, too, but most of its cells are numbers. So is one
    # whose numbers are written differently from those in the rest of the file.
    if not all(isinstance(cell, Hashable) for cell in column):  # lists and the like, of Parquet
        return False
    return bool(
        column.is_unique
        and is_no_number(column).all()
        and not column.map(str).str.fullmatch(_WRITTEN_NUMBER).all()
        and not _are_percent(column).any()
    )


def _are_percent(column: pandas.Series) -> pandas.Series:
    """Which cells are '12 %' or the like."""
    return column.map(str).str.fullmatch(_WRITTEN_PERCENT)


def read_percent(frame: Frame, positions: Sequence[int]) -> tuple[Frame, list[str], list[str]]:
    """The frame with numbers for cells such as '12 %', a note that says so, and these columns."""
    if isinstance(frame.cells, np.ndarray) or is_sparse(frame.cells):
        return frame, [], []
    cells, changed = frame.cells, list[str]()
    kinds = [dtype.kind for dtype in cells.dtypes]
    for place in positions:
        if kinds[place] not in _TEXT_KINDS:
            continue
        column = cells.iloc[:, place]
        if _has_percent(column):
            if not changed:
                cells = cells.copy(deep=False)
            cells.isetitem(place, _read_shares(column))
            changed.append(frame.names.columns.names[place])
    if not changed:
        return frame, [], []
    note = f"Read as numbers of percent, 12 for 12 %: {listed(changed)}."
    return replace(frame, cells=cells), [note], changed


def _has_percent(column: pandas.Series) -> bool:
    """Whether all cells of a column are percent."""
    known = column.dropna()
    return column.dtype.kind in _TEXT_KINDS and len(known) > 0 and bool(_are_percent(known).all())


def _read_shares(column: pandas.Series) -> pandas.Series:
    """12 for '12 %'."""
    texts = column.dropna().map(str).str.replace("%", "").str.replace(",", ".")
    return texts.astype(float).reindex(column.index)


def compare_percent(
    origin: str, features: Sequence[str], of_model: Sequence[str], here: Sequence[str]
) -> list[str]:
    """A note about features that were written as percent in training, and are not here.

    An InputError for the opposite: 12 % may have been 12 or 0.12 there.
    """
    if new := [name for name in features if name in here and name not in of_model]:
        raise InputError(
            f"{origin} has percent in {listed(new)}, which the model knows as plain numbers.\n"
            "Write the numbers as in its training, without the sign."
        )
    plain = [name for name in features if name in of_model and name not in here]
    if not plain:
        return []
    return [
        f"In training these were written as percent, and here they are plain numbers; 12 counts as "
        f"12 %, and 0.12 as 0.12 %: {listed(plain)}."
    ]


def convert_features(
    frame: Frame, positions: Sequence[int], *, are_needed: bool = False
) -> tuple[Any, list[str]]:
    """These columns as one array, and their names; an error that names what is no number.

    It does not advise to leave out columns that `are_needed`, by a model for instance.
    """
    names = [frame.names.columns.names[place] for place in positions]
    X = _convert(frame, positions, names, are_needed)
    cells = frame.cells

    def get_column(place: int) -> Label:
        if is_sparse(X):
            return X[:, [place]].data
        return X[:, place] if isinstance(cells, np.ndarray) else cells.iloc[:, positions[place]]

    refuse_rounded(X, names, frame.origin, get_column, are_needed=are_needed)
    return X, names


def _convert(frame: Frame, positions: Sequence[int], names: list[str], are_needed: bool) -> Any:
    everything = list(positions) == list(range(frame.cells.shape[1]))
    if isinstance(frame.cells, np.ndarray):
        return frame.cells if everything else np.take(frame.cells, positions, axis=1)
    if is_sparse(frame.cells):
        return frame.cells if everything else frame.cells[:, list(positions)]
    columns = frame.cells.iloc[:, positions]
    kinds = list(columns.dtypes)
    text = [place for place, kind in enumerate(kinds) if kind.kind not in NUMBER_KINDS]
    if text:
        raise _refuse_text(columns, names, text, frame.origin, are_needed)
    single = all(kind == np.float32 for kind in kinds)
    X = columns.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)
    return np.ascontiguousarray(X)  # cross-validation takes out rows many times


def _refuse_text(
    columns: pandas.DataFrame,
    names: Sequence[str],
    text: list[int],
    origin: str,
    are_needed: bool,
) -> InputError:
    first = text[:_MOST_NAMED]
    cells = [_find_text(columns.iloc[:, at]) for at in first]
    number = str(cells[0]).strip()
    if is_unheld(number):
        return explain_large(number, names[text[0]], origin, are_needed)
    shown = [f"{cut(names[at])} ('{cut(cell, 20)}')" for at, cell in zip(first, cells, strict=True)]
    more = f" and {len(text) - _MOST_NAMED} more" if len(text) > _MOST_NAMED else ""
    start = (
        f"{origin} has text instead of numbers in {counted(len(text), 'feature column')}: "
        f"{', '.join(shown)}{more}.\n"
    )
    reason = _explain_text(cells[0])
    if are_needed:
        return InputError(f"{start}The model needs numbers there.{reason}")
    message = (
        f"{start}Leave out columns that are not features (drop {quoted(names[text[0]])}), or write "
        f"numbers there.{reason}"
    )
    if not may_be_groups(columns.iloc[:, text[0]]):
        return InputError(message, argument="drop")
    message += (
        f" If samples with the same {quoted(names[text[0]])} belong together, name it as their "
        "groups instead."
    )
    return InputError(message, choices=("drop", "groups"), column=names[text[0]])


def _explain_text(cell: Any) -> str:
    """What is wrong with a cell that looks like a number; nothing for other text."""
    text = str(cell).strip()
    if isinstance(cell, bool):
        return f" {text} is a truth value among numbers: write 1 or 0."
    if re.fullmatch(_WRITTEN_PERCENT, text):
        return " Write all cells of a column as percent, or none."
    if re.fullmatch(_PLAIN_NUMBER, text):
        return (
            f" {cut(text, 20)} is text there: change its type to a number, or use one decimal sign "
            "in the whole file."
        )
    if re.fullmatch(_WRITTEN_NUMBER, text):
        return " Use one decimal sign in the whole file, and no thousands separators."
    return ""


def _find_text(column: pandas.Series) -> Any:
    """The first cell that is no number: odd text, else percent, else what only looks like one."""
    if column.dtype.kind not in _TEXT_KINDS:
        return column.iloc[0]
    is_text = is_no_number(column)
    texts = [str(cell).strip() for cell in column]
    ways = (
        is_text & ~_are_percent(column).to_numpy(),
        [is_unheld(text) for text in texts],
        is_text,
        [isinstance(cell, (str, bool)) for cell in column],
    )
    found = next((way for way in ways if np.any(way)), is_text)
    return column.iloc[int(np.argmax(found))]
