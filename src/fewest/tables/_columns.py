"""Tables with a header, through pandas: Parquet, Excel, and what text shares with them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._memory import TooLargeError
from fewest._types import IndexArray
from fewest._wording import counted, listed, near, quoted, visible
from fewest.tables._errors import DamagedFileError, InputError, MissingPackageError
from fewest.tables._frame import (
    NUMBER_KINDS,
    TRANSPOSED,
    Frame,
    Header,
    Ids,
    Names,
    Request,
    make_ids,
)
from fewest.tables._rounded import is_rounded, refuse_rounded
from fewest.tables._shares import write_shares
from fewest.tables._sizes import check_parquet, check_workbook, check_zip
from fewest.tables._written import CLASSES, LABELS, VALUES, settle_labels

if TYPE_CHECKING:
    import pandas

# "None" is not among them: it may be the name of a class.
MISSING_CELLS = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL"]
# So many columns at the left may hold whole numbers that are ids.
_FIRST_COLUMNS = 3
# In a column of fewer cells, most may be text because one of them is the class.
_FEWEST_FOR_TEXT = 4
_MOMENTS = (datetime.date, datetime.time, datetime.timedelta)


def import_pandas(file: Path) -> ModuleType:
    """Pandas, or an error that advises installing it."""
    try:
        import pandas
    except ImportError as error:
        raise MissingPackageError(file, "pandas") from error
    return pandas


def read_parquet(file: Path, request: Request) -> Frame:
    """Read a table; an index that pandas stored in it is not a feature."""
    pandas = import_pandas(file)
    try:
        check_parquet(file)
        cells = pandas.read_parquet(file)
    except ImportError as error:
        raise MissingPackageError(file, "pyarrow") from error
    except (TooLargeError, MemoryError):
        raise
    # Which error pyarrow or pandas raises depends on where the damage is.
    except Exception as error:
        raise DamagedFileError(file, "a Parquet file", error, "Copy or write it again.") from error
    names = [str(name) for name in cells.columns]
    places = _leave_out_roles(names, request, CLASSES, LABELS)
    return make_frame([_convert_decimals(cells, places)], names, request, file)


def _leave_out_roles(names: Sequence[str], request: Request, *roles: str) -> list[int]:
    """The positions of columns that have none of these roles."""
    return [place for place, name in enumerate(names) if request.roles.get(name) not in roles]


def _convert_decimals(cells: pandas.DataFrame, places: Sequence[int]) -> pandas.DataFrame:
    """Columns of decimal numbers as doubles, as text files give them."""
    kinds = [dtype.kind for dtype in cells.dtypes]
    for place in places:
        if kinds[place] != "O":
            continue
        known = cells.iloc[:, place].dropna()
        # Those that doubles do not hold are refused later, if they are features.
        if len(known) and all(
            type(one) is Decimal and not is_rounded(format(one, "f")) for one in known
        ):
            cells.isetitem(place, cells.iloc[:, place].astype(float))
    return cells


def read_excel(file: Path, request: Request) -> Frame:
    """Read one sheet, the first one unless another is asked for; its first row has the names."""
    pandas, asked = import_pandas(file), request.sheet
    try:
        check_workbook(file)
        with pandas.ExcelFile(file, engine="openpyxl") as workbook:
            sheets = [str(name) for name in workbook.sheet_names]
            if asked is not None and asked not in sheets:
                raise InputError(
                    f"{visible(file)} has no sheet {quoted(asked)}.\n"
                    f"{near(asked, sheets, 'sheet')}",
                    argument="sheet",
                )
            sheet = sheets[0] if asked is None else asked
            cells = pandas.read_excel(
                workbook, sheet, header=None, keep_default_na=False, na_values=MISSING_CELLS
            )
            n_empty = _count_empty_rows(cells)
            names = [] if cells.empty else list_names(cells.iloc[n_empty])
            places = _leave_out_roles(names, request, CLASSES, LABELS, VALUES)
            cells = write_shares(cells, file, workbook.book[sheet], places)
    except ImportError as error:
        raise MissingPackageError(file, "openpyxl") from error
    except (InputError, TooLargeError, MemoryError):
        raise
    except Exception as error:  # openpyxl raises all kinds of them, too
        advice = "Save it again as .xlsx, or export the sheet as CSV."
        raise DamagedFileError(file, "an Excel workbook", error, advice) from error
    if not names:
        raise InputError(f"the sheet of {visible(file)} is empty: it needs a row of names first.")
    notes = [f"Left out: {counted(n_empty, 'empty row')} above the names."] if n_empty else []
    others = ""
    if asked is None and len(sheets) > 1:
        first = quoted(sheets[0])
        others = f"Read the first sheet, {first}; there are also: {listed(sheets[1:])}."
    # The names turned every column into text; below them each column has its own type.
    below = cells.iloc[n_empty + 1 :].reset_index(drop=True).infer_objects()
    parts = [_widen_whole_numbers(below)]
    return make_frame(parts, names, request, file, notes=notes, other_sheets=others)


def _count_empty_rows(cells: pandas.DataFrame) -> int:
    """How many rows above the first cell that has a value."""
    is_used = (bool(cells.iloc[row].notna().any()) for row in range(len(cells)))
    return next((row for row, used in enumerate(is_used) if used), 0)


def _widen_whole_numbers(cells: pandas.DataFrame) -> pandas.DataFrame:
    """Columns of numbers of which some have too many digits for 64 bits, as doubles."""
    for place in range(cells.shape[1]):
        column = cells.iloc[:, place]
        if column.dtype == object and all(type(cell) in (int, float) for cell in column):
            with suppress(OverflowError):  # more than a double can hold: that is text
                cells.isetitem(place, column.astype(float))
    return cells


def is_sheet(file: Path, name: str) -> bool:
    """Whether a workbook has a sheet of that name; False where it cannot be opened."""
    pandas = import_pandas(file)
    try:
        check_zip(file)
        with pandas.ExcelFile(file, engine="openpyxl") as workbook:
            return name in map(str, workbook.sheet_names)
    except Exception:  # openpyxl raises whatever the damage makes it
        return False


def make_frame(
    parts: Iterable[pandas.DataFrame],
    header: Sequence[str],
    request: Request,
    file: Path,
    *,
    decimal: str = ".",
    notes: Sequence[str] = (),
    other_sheets: str = "",
    list_texts: Callable[[], Iterable[list[str]]] = list,
) -> Frame:
    """The frame of a table that pandas has read, transposed if the samples are its columns.

    `header` has the names of the columns, because pandas changes those that are repeated or
    missing. A table to be transposed may come in parts of some rows each; `list_texts` gives its
    rows once more, as they are written, if it is text.
    """
    request, notes = request.fit_header(header), list(notes)
    parts = (_require_width(part, header, file) for part in parts)
    if request.transpose:
        first = next(parts)
        kept, said = _find_samples(header, first, request, visible(file))
        parts = chain([first], parts)
        parts = (_put_names_first(part, header, kept, request) for part in parts)
        labels = {*request.labels, *request.drop}
        cells, rows = _turn(parts, labels, visible(file), decimal)
        naming = 0 if request.names is None else header.index(request.names)
        _settle_rows(cells, rows, list_texts, (naming, *kept), request, decimal)
        names = name_lines(rows, request, file, lambda: header)
        notes += [*said, TRANSPOSED]
    else:
        kept = []
        [cells] = parts
        names = name_lines(header, request, file, lambda: cells.iloc[:, 0].tolist())

    def find_ids() -> list[Ids]:
        if request.transpose:
            return [make_ids(None, [header[place] for place in kept])]
        return _find_ids(cells, header, request)

    return Frame(
        names=names,
        cells=cells,
        get_label=lambda name: cells.iloc[:, names.columns.names.index(name)],
        find_ids=find_ids,
        notes=[*names.note_unnamed(), *notes, *filter(None, [other_sheets])],
        other_sheets=other_sheets,
    )


def _require_width(part: pandas.DataFrame, header: Sequence[str], file: Path) -> pandas.DataFrame:
    if part.shape[1] != len(header):  # odd quotes make two parsers of text disagree
        raise InputError(
            f"{visible(file)} is not a regular table: its header has {len(header)} names, its "
            f"rows {part.shape[1]} cells.\nEvery row must have as many cells as the header."
        )
    return part


def name_lines(
    names: Sequence[str], request: Request, file: Path, list_across: Callable[[], Sequence[Any]]
) -> Names:
    """The names of a table's columns, or of its rows if the samples are its columns."""
    line, across = ("row", "column") if request.transpose else ("column", "row")
    columns = Header(visible(file), names, line)
    labels = columns if request.classes is None else request.classes.header
    return Names(columns, labels, columns, list_across, across)


def _find_samples(
    header: Sequence[str], first: pandas.DataFrame, request: Request, origin: str
) -> tuple[list[int], list[str]]:
    """Which columns are samples where they are columns, and notes about others.

    The first one, or the one that was asked for, has the names of the features. Columns of text are
    annotations; with a second file only those are samples that it knows.
    """
    if request.names is not None:
        Header(origin, header).require(request.names, "names")
    naming = {0} if request.names is None else {0, header.index(request.names)}
    places = [place for place in range(len(header)) if place not in naming]
    if request.classes is None:
        is_text = [_is_annotation(first.iloc[:, place]) for place in places]
        kept = [place for place, text in zip(places, is_text, strict=True) if not text]
        reason = "there is text in them"
    else:
        known = request.classes.find_known(header)
        kept = [place for place in places if header[place] in known]
        reason = f"{request.classes.origin} has no such sample"
    if not kept or len(kept) == len(places):
        return places, []
    others = [header[place] for place in places if place not in set(kept)]
    return kept, [f"Columns that are not used, because {reason}: {listed(others)}."]


def _is_annotation(column: pandas.Series) -> bool:
    """Whether most cells are text; that of a sample has few, its class for instance."""
    if column.dtype.kind in NUMBER_KINDS or len(column) < _FEWEST_FOR_TEXT:
        return False
    return bool(is_no_number(column).mean() > 0.5)


def _put_names_first(
    part: pandas.DataFrame, header: Sequence[str], samples: Sequence[int], request: Request
) -> pandas.DataFrame:
    """The names of the features and the samples; without a name there, that of the first column."""
    names = part.iloc[:, 0]
    if request.names is not None:
        asked = part.iloc[:, header.index(request.names)]
        names = asked.where(asked.notna(), names)
    import pandas

    return pandas.concat([names, part.iloc[:, list(samples)]], axis=1)


def _is_unique(column: pandas.Series) -> bool:
    """Whether no entry repeats; lists and the like, which cannot be compared, are no ids."""
    try:
        return bool(column.is_unique)
    except TypeError:
        return False


def _find_ids(cells: pandas.DataFrame, header: Sequence[str], request: Request) -> list[Ids]:
    """Columns that may name the samples: the one asked for, or all without repeated entries."""
    if request.ids is not None:
        return [make_ids(request.ids, cells.iloc[:, header.index(request.ids)].tolist())]
    found = []
    for place, name in enumerate(header):
        column = cells.iloc[:, place]
        is_text = column.dtype.kind not in NUMBER_KINDS
        may_count = place < _FIRST_COLUMNS and column.dtype.kind in "iu"
        if (is_text or may_count or not name) and column.notna().all() and _is_unique(column):
            found.append(make_ids(name, column.tolist()))
    # Text says more than a number does.
    return sorted(found, key=lambda ids: all(text.isdigit() for text in ids.values))


def _turn(
    parts: Iterable[pandas.DataFrame], labels: Collection[str], origin: str, decimal: str = "."
) -> tuple[pandas.DataFrame, list[str]]:
    """Samples as rows, and the names of the columns, which are in the first column of the file.

    The file comes in parts of some rows each. Rows named in `labels` and other rows with text are
    put first. If a class is text, pandas has read all other cells of the part's columns as text,
    too; they are converted here.
    """
    import pandas

    text: list[pandas.Series] = []
    blocks: list[pandas.DataFrame] = []
    text_names: list[str] = []
    number_names: list[str] = []
    for part in parts:
        names = list_names(part.iloc[:, 0])
        cells = [_write_points(part.iloc[:, place], decimal) for place in range(1, part.shape[1])]
        is_text = np.array([name in labels for name in names], dtype=bool)
        try:
            block = _convert(cells, ~is_text)
        except (ValueError, TypeError):
            is_text |= np.any([is_no_number(column) for column in cells], axis=0)
            block = _convert(cells, ~is_text)
        numbers = np.flatnonzero(~is_text)
        named = [names[row] for row in numbers]
        refuse_rounded(block, named, origin, partial(_take_row, cells, numbers))
        blocks.append(pandas.DataFrame(block))
        text += [_infer([column.iloc[row] for column in cells]) for row in np.flatnonzero(is_text)]
        for name, in_text in zip(names, is_text, strict=True):
            (text_names if in_text else number_names).append(name)
    return pandas.concat([*text, *blocks], axis=1, ignore_index=True), text_names + number_names


def _settle_rows(
    cells: pandas.DataFrame,
    rows: list[str],
    list_texts: Callable[[], Iterable[list[str]]],
    places: Sequence[int],
    request: Request,
    decimal: str,
) -> None:
    """Read labels that are rows of a text file once more: columns of numbers changed their texts.

    The cell at the first of the `places` is the name of the row; the others are the samples.
    """
    import pandas

    roles = {name: role for name, role in request.roles.items() if name in rows}
    if not roles:
        return
    width, (naming, *kept) = max(places) + 1, places
    for row in list_texts():
        row += [""] * (width - len(row))
        name = row[0] if row[naming] in MISSING_CELLS else row[naming]
        if name in roles:
            texts = pandas.Series([row[place] for place in kept], dtype=object)
            column = texts.mask(texts.isin(MISSING_CELLS))
            cells.isetitem(rows.index(name), settle_labels(column, roles.pop(name), decimal))
        if not roles:
            return


def _take_row(cells: Sequence[pandas.Series], rows: IndexArray, place: int) -> NDArray[Any]:
    return np.array([column.iloc[rows[place]] for column in cells], dtype=object)


def list_names(cells: pandas.Series) -> list[str]:
    """Cells that are names; a missing one is empty."""
    missing = cells.isna().tolist()
    return ["" if no else str(name) for name, no in zip(cells.tolist(), missing, strict=True)]


def is_no_number(column: pandas.Series) -> NDArray[np.bool_]:
    """Which cells are neither missing nor a number."""
    import pandas

    if column.dtype.kind in "mM":
        return column.notna().to_numpy()
    is_text = (column.notna() & pandas.to_numeric(column, errors="coerce").isna()).to_numpy()
    if column.dtype.kind == "O":  # to pandas, moments are numbers of nanoseconds
        is_text |= np.array([isinstance(cell, _MOMENTS) for cell in column], dtype=bool)
    return is_text


def _write_points(column: pandas.Series, decimal: str) -> pandas.Series:
    if decimal == "." or column.dtype.kind in NUMBER_KINDS:
        return column
    return column.str.replace(decimal, ".", regex=False)


def _convert(cells: Sequence[pandas.Series], rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    numbers = np.empty((len(cells), int(rows.sum())))
    for sample, column in enumerate(cells):
        # Objects are converted one by one, by Python's exact rule.
        values = column.to_numpy(dtype=None if column.dtype.kind in NUMBER_KINDS else object)
        numbers[sample] = values[rows].astype(np.float64)
    return numbers


def _infer(values: list[Any]) -> pandas.Series:
    """One row of cells as a column: numbers if all of them are."""
    import pandas

    column = pandas.Series(values)
    try:
        return pandas.to_numeric(column)
    except (ValueError, TypeError):
        return column.infer_objects()
