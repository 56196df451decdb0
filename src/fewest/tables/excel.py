"""Excel workbooks (.xlsx, .xlsm), through pandas and openpyxl."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from fewest._wording import listed, near, quoted, visible
from fewest.tables.errors import InputError, MissingPackageError
from fewest.tables.frame import (
    Cells,
    check_columns,
    import_pandas,
    table_from_frame,
    table_from_turned,
    turned_cells,
)
from fewest.tables.table import Table
from fewest.tables.text import MISSING_CELLS
from fewest.tables.wanted import Wanted

if TYPE_CHECKING:
    import pandas


def read_excel(file: Path, wanted: Wanted) -> Table:
    """Read one sheet, the first one unless another is wanted; its first row has the names."""
    frame, names, notes = _table(file, wanted)
    try:
        if wanted.transpose:
            return table_from_turned([frame], names, wanted, file, notes=notes)
        check_columns(names, wanted, visible(file), lambda: frame.iloc[:, 0].tolist())
        return table_from_frame(frame, names, wanted, file, notes=notes)
    except InputError as error:
        if not notes:
            raise
        # The data may be in another sheet.
        raise InputError(f"{error}\n{' '.join(notes)}", argument="sheet") from error


def excel_cells(file: Path, wanted: Wanted) -> Cells:
    """The same, but whatever the columns mean."""
    frame, names, notes = _table(file, wanted)
    if wanted.transpose:
        return turned_cells([frame], names, wanted, file, notes=notes)
    return Cells(frame, names, notes)


def _table(file: Path, wanted: Wanted) -> tuple[pandas.DataFrame, list[str], list[str]]:
    cells, notes = _sheet(file, wanted.sheet)
    if cells.empty:
        raise InputError(f"the sheet of {visible(file)} is empty: it needs a row of names first.")
    names = ["" if missing else str(name) for name, missing in _header(cells)]
    # The names made text of every column; below them each column has a type of its own.
    return cells.iloc[1:].reset_index(drop=True).infer_objects(), names, notes


def _sheet(file: Path, wanted: str | None) -> tuple[pandas.DataFrame, list[str]]:
    pandas = import_pandas(file)
    try:
        with pandas.ExcelFile(file, engine="openpyxl") as workbook:
            sheets = [str(name) for name in workbook.sheet_names]
            if wanted is not None and wanted not in sheets:
                raise InputError(
                    f"{visible(file)} has no sheet {quoted(wanted)}.\n"
                    f"{near(wanted, sheets, 'sheet')}",
                    argument="sheet",
                )
            sheet = sheets[0] if wanted is None else wanted
            cells = pandas.read_excel(
                workbook, sheet, header=None, keep_default_na=False, na_values=list(MISSING_CELLS)
            )
    except ImportError as error:
        raise MissingPackageError(
            f'reading {visible(file)} needs openpyxl: pip install "fewest[cli]"'
        ) from error
    except InputError:
        raise
    # What openpyxl meets in a damaged workbook depends on the place of the damage.
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        SyntaxError,
        zlib.error,
        zipfile.BadZipFile,
    ) as error:
        raise InputError(
            f"{visible(file)} is damaged, or not an Excel workbook ({visible(error)}).\n"
            "Save it again as .xlsx, or export the sheet as CSV."
        ) from error
    notes = []
    if wanted is None and len(sheets) > 1:
        notes = [f"Read the first sheet, {quoted(sheet)}; there are also: {listed(sheets[1:])}."]
    return cells, notes


def _header(cells: pandas.DataFrame) -> zip[tuple[object, bool]]:
    first = cells.iloc[0]
    return zip(first.tolist(), first.isna().tolist(), strict=True)
